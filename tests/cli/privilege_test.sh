#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the commands ask of the system, by strace: no network, no other program, no file that was not named, none written
# but through the two doors of core/files/io, none mapped. What SECURITY.md says of it. Needs strace.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy
strace -o /dev/null true 2>/dev/null || { echo "SKIP: no strace here, or it may not trace"; exit 77; }

run simulate sky.fits --size 256 256 --sources 20 --seed 3 --backend cpu
expect_status 0
"${REBER_TILE_COMPRESS:?}" sky.fits tiles.fits.fz hcompress || exit 1

no_leak_check
cpu=(--backend cpu)
# Fails for a call that a command must not make.
watch() {  # COMMAND...
  what="reber $*"
  status=0
  strace -f -y -o calls -e trace=prctl,mmap,network,execve,execveat,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,symlink,chmod \
    "$reber" "$@" "${cpu[@]}" >out 2>err </dev/null || status=$?
  expect_status 0
  python3 - "$PWD" "$reber" calls "${workers:-0}" <<'EOF' >err || report "does what it must not"
import re, sys
here, program, calls, workers = *sys.argv[1:4], int(sys.argv[4])
# Read at the start of any process, by the loader, the C library and OpenMP or OpenCV's look at the machine. The loader looks for
# libraries wherever LD_LIBRARY_PATH says. What draws pictures reads which fonts there are.
SYSTEM = re.compile(r"/(lib|lib64|usr/lib|usr/local/lib|usr/share|etc/ld\.so|etc/(localtime|nsswitch\.conf|passwd)|proc|sys/(devices|fs/cgroup|kernel)|dev/null|etc/fonts|var/cache/fontconfig|usr/local/share/fonts|(root|home/[^/]+)/\.(fonts|fonts\.conf|local/share/fonts|config/fontconfig|cache/fontconfig|fontconfig))|/dev/(urandom|nvidia)|/(usr|etc)$|/var/lib/casacore|\S+/lib[\w+.-]+\.so(\.\d+)*$")
starts, bad, made = 0, [], set()
for line in open(calls, errors="replace"):
    call = re.match(r"\d+\s+(\w+)\((.*)", line)
    if not call:
        continue
    name, rest = call[1], call[2]
    if name in ("execve", "execveat"):
        starts += 1
        if starts > 1 and (workers == 0 or f'"{program}"' not in rest and "/proc/self/exe" not in rest):
            bad.append(line)
    elif name == "mmap" and f"<{here}/" in rest:
        bad.append(line)
    elif "= -1 EPERM" in rest:
        continue  # refused by the cage
    elif name in ("socket", "connect", "bind", "listen", "accept") or name in ("sendto", "recvfrom") and workers == 0:
        bad.append(line)  # workers are spoken to over the two ends of a socketpair()
    elif name in ("openat", "open", "creat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "link", "symlink", "chmod"):
        for path in re.findall(r'"([^"]*)"', rest):
            if path.startswith("/") and not path.startswith(here) and not SYSTEM.match(path):
                bad.append(line)
            if not path.startswith("/") and path.startswith(".."):
                bad.append(line)
            opens = name in ("openat", "open")
            writes = not opens or re.search(r"O_(WRONLY|RDWR|CREAT)", rest)
            # A temporary that is new, or records; neither through a link. Libraries open the temporary again by its name.
            fresh = re.search(r"/\.reber-\w+-\d+-\d+\.tmp$", path)
            if opens and writes and path != "/dev/null" and not fresh and not ("O_NOFOLLOW" in rest and "O_APPEND" in rest):
                bad.append(line)
            if fresh and "O_CREAT" in rest and fresh[0] not in made and not ("O_NOFOLLOW" in rest and "O_EXCL" in rest):
                bad.append(line)
            if fresh and "O_CREAT" in rest:
                made.add(fresh[0])
            if writes and path.startswith("/") and not path.startswith(here) and not path.startswith(("/dev/null", "/proc/self")):
                bad.append(line)
if bad:
    print("".join(bad[:10]))
sys.exit(1 if bad or starts != 1 + workers else 0)
EOF
}

watch find sky.fits -o a.csv -o a.fits -o a.vot -o a.sqlite --write-rms rms.fits
expect_in calls execve a.csv
watch run sky.fits -o folder
watch convolve sky.fits smooth.fits --kernel gaussian:3
watch find tiles.fits.fz -o tiles.csv
expect_in calls '/proc/self/fd/'
# The decoding child is in its cage before it opens the file, and in the whole of it before it reads on.
python3 - calls <<'EOF' >err || report "the decoder's cage is entered too late, or not at all"
import sys
lines = open(sys.argv[1], errors="replace").read().splitlines()
child = [line.split()[0] for line in lines if "/proc/self/fd/" in line][0]
steps = ["open" if "/proc/self/fd/" in line else "cage" for line in lines
         if line.startswith(child + " ") and ("/proc/self/fd/" in line or "PR_SET_SECCOMP" in line)]
sys.exit(steps[0] != "cage" or steps[-1] != "cage" or "open" not in steps)
EOF
what="no filter, and one is required"
status=0
strace -f -o calls -e trace=prctl -e inject=prctl:error=EPERM "$reber" find tiles.fits.fz -o uncaged.csv --require-cage \
  --backend cpu >out 2>err </dev/null || status=$?
expect_status 4
expect_in err "--require-cage"
expect_no_file uncaged.csv
watch measure sky.fits --at a.csv -o forced.csv
watch background sky.fits --write-mean mean.fits
watch simulate more.fits --size 128 128 --sources 5 --seed 4
watch smooth sky.fits -o smoother --to-beam 60,60,0
watch mask sky.fits -o mask.fits --threshold 5
watch verify sky.fits --json verified.json
watch info sky.fits --json told.json
cp sky.fits second.fits
workers=2 watch run sky.fits second.fits -o worked --workers 2
watch regrid sky.fits --projection TAN --rotate 20 -o turned.fits
watch mosaic sky.fits second.fits -o both.fits
watch report sky.fits --quick -o quality.html
PYTHONPATH=$source_folder/tests/support python3 -c '
import fits_cubes, numpy
fits_cubes.write("cube.fits", numpy.random.default_rng(1).normal(size=(6, 40, 50)).astype("f4"))' || exit 1
watch cube cube.fits smooth:20,20,0 spectral:hanning moments:0,1 -o smoothed.fits
watch spectrum sky.fits --json spectrum.json
gzip -k sky.fits
watch convolve sky.fits.gz unpacked.fits --kernel gaussian:3
if [ -n "${REBER_CASA_MAKER:-}" ]; then
  "$REBER_CASA_MAKER" sky.fits sky.image float >made 2>&1 || { cat made; exit 1; }
  watch find sky.image -o casa.csv
fi
cpu=()
watch match a.csv forced.csv -o pairs.csv
watch merge folder -o merged.csv

# The viewer for browsers listens at this machine alone, connects nowhere and starts nothing but itself.
if [ -x "$(dirname "$reber")/reber-view" ]; then
  what="reber view --browser"
  timeout 40 strace -f -o calls -e trace=network,execve,execveat "$reber" view --browser sky.fits >out 2>err </dev/null &
  for ((i = 0; i < 150; ++i)); do
    if grep -q 'http://127.0.0.1' out; then break; fi
    sleep 0.2
  done
  kill -TERM "$(awk 'NR == 1 {print $1}' calls)"
  wait || true
  expect_in out "http://127.0.0.1"
  python3 - calls <<'EOF' >err || report "does what it must not"
import re, sys
lines = open(sys.argv[1], errors="replace").read().splitlines()
outside = [line for line in lines if re.search(r"\b(connect|bind|sendto)\(.*AF_INET6?", line)
           and ("bind(" not in line or 'inet_addr("127.0.0.1")' not in line)]
other = [line for line in lines if re.search(r"\bexecve(at)?\(", line) and not re.search(r'execve(at)?\("[^"]*/reber(-view)?"', line)]
print("\n".join(outside + other))
sys.exit(bool(outside or other) or not any("bind(" in line for line in lines))
EOF
fi
finish
