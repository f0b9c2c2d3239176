#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# On a terminal: one progress line of its width that is gone at the end, colours unless they are not wanted.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 1500 --sources 100 --seed 3 --backend cpu
expect_status 0
run find sky.fits -o list.csv --backend cpu -q
expect_status 0
python3 - <<'PY'
data = bytearray(open("sky.fits", "rb").read())
data[5760 + 4000] ^= 1  # its sum is no longer the header's
open("changed.fits", "wb").write(data)
PY
cp sky.fits second.fits

# A root without its file system of terminals, as some containers are, has none to look at.
python3 -c 'import pty; pty.openpty()' 2>err || { echo "no terminal can be made here: $(tail -n 1 err)"; exit 77; }

what="reber on a terminal"
checks=$((checks + 1))
python3 - "$reber" >out 2>err <<'PY' || report "the terminal shows something else"
import fcntl, os, pty, re, struct, subprocess, sys, termios

BAR = re.compile(r"\[#*\.*\] +\d+ %  [^\r\n]*")
bad = []


def shown(words, columns=60, **variables):
    """Exit code and what a terminal of so many columns is sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    usual = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen([sys.argv[1]] + words.split() + ["--backend", "cpu", "--overwrite"], stdin=subprocess.DEVNULL,
                               stdout=theirs, stderr=theirs, env=usual | {"TERM": "xterm"} | variables)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    return process.wait(), text.decode()


def hold(truth, words, text):
    if not truth:
        bad.append(f"{words}: {text!r}"[:3000])


slow = "convolve sky.fits o.fits --kernel gaussian:90,60,30 --algorithm direct --threads 1"
code, text = shown(slow)
bars = BAR.findall(text)
hold(code == 0 and bars, "a bar", text)
hold(all(len(bar) < 60 for bar in bars), "a bar of the width", text)
hold(not BAR.search(text[text.rfind("\r\x1b[K"):]), "no bar at the end", text)
parts = [int(part) for part in re.findall(r"\] +(\d+) %  ", shown("find sky.fits -o p.csv --threads 1")[1])]
hold(parts == sorted(parts), "one bar that never goes back", str(parts))
hold(" left" in shown(slow, columns=80)[1], "the time left", text)
for words in ("find sky.fits -o p.csv", "run sky.fits -o w --verify", "run sky.fits -o w --dry-run", "info sky.fits"):
    wide = [line for line in shown(words, columns=80)[1].splitlines() if len(line.split("\x1b[K")[-1]) > 80]
    hold(not wide, "no line of more than 80 columns: " + words, str(wide))
code, text = shown(slow, columns=30)
hold(re.search(r"\r\x1b\[K *[1-9][0-9] %  convolve  sky", text), "no part of a number", text)
hold(all(len(line) < 30 for line in text[:text.rfind("\r\x1b[K")].split("\r\x1b[K")), "a narrow line", text)
code, text = shown(slow + " -q")
hold(code == 0 and not text, "nothing with -q", text)
code, text = shown("run sky.fits second.fits -o d --lanes 2 --kernel gaussian:40,20,30 --algorithm direct")
hold(code == 0 and BAR.search(text) and "second.fits: " in text, "a batch", text)

wanted = "\x1b[33mwarning:\x1b[0m ", "\x1b[1;31mreber:\x1b[0m "
for words, colour in ("find changed.fits -o o.csv", wanted[0]), ("find none.fits -o o.csv", wanted[1]):
    hold(colour in shown(words)[1], "colour", shown(words)[1])
    for without in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
        text = shown(words, **without)[1]
        hold("\x1b[3" not in text and "\x1b[1" not in text and colour[colour.index("m") + 1:-5] in text, f"{without}", text)
print("\n".join(bad))
sys.exit(1 if bad else 0)
PY

# A line now and then where stderr is no terminal: of the stages that take longer than five seconds alone.
run find sky.fits -o o.csv --backend cpu
expect_not_in err "#"
finish
