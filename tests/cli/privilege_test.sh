#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the commands ask of the system, by strace: no network, no other program, no file that was not named. Needs strace.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
strace -o /dev/null true 2>/dev/null || { echo "SKIP: no strace here, or it may not trace"; exit 77; }

run simulate sky.fits --size 256 256 --sources 20 --seed 3 --backend cpu
expect_status 0
"${REBER_TILE_COMPRESS:?}" sky.fits tiles.fits.fz hcompress || exit 1

no_leak_check
# Fails for a call that a command must not make.
watch() {  # COMMAND...
  what="reber $*"
  status=0
  strace -f -o calls -e trace=network,execve,execveat,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,symlink,chmod \
    "$reber" "$@" --backend cpu >out 2>err </dev/null || status=$?
  expect_status 0
  python3 - "$PWD" "$reber" calls <<'EOF' >err || report "does what it must not"
import re, sys
here, program, calls = sys.argv[1:]
# Read at the start of any process, by the loader, the C library and OpenMP or OpenCV's look at the machine. The loader looks for
# libraries wherever LD_LIBRARY_PATH says.
SYSTEM = re.compile(r"/(lib|lib64|usr/lib|usr/local/lib|usr/share|etc/ld\.so|etc/(localtime|nsswitch\.conf|passwd)|proc|sys/(devices|fs/cgroup|kernel)|dev/null)|/dev/(urandom|nvidia)|\S+/lib[\w+.-]+\.so(\.\d+)*$")
starts, bad = 0, []
for line in open(calls, errors="replace"):
    call = re.match(r"\d+\s+(\w+)\((.*)", line)
    if not call:
        continue
    name, rest = call[1], call[2]
    if name in ("execve", "execveat"):
        starts += 1
        if starts > 1:
            bad.append(line)
    elif name in ("socket", "connect", "bind", "sendto", "recvfrom", "listen", "accept"):
        bad.append(line)
    elif name in ("openat", "open", "creat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "link", "symlink", "chmod"):
        for path in re.findall(r'"([^"]*)"', rest):
            if path.startswith("/") and not path.startswith(here) and not SYSTEM.match(path):
                bad.append(line)
            if not path.startswith("/") and path.startswith(".."):
                bad.append(line)
            writes = name != "openat" and name != "open" or re.search(r"O_(WRONLY|RDWR|CREAT)", rest)
            if writes and path.startswith("/") and not path.startswith(here) and not path.startswith(("/dev/null", "/proc/self")):
                bad.append(line)
if bad:
    print("".join(bad[:10]))
sys.exit(1 if bad or starts != 1 else 0)
EOF
}

watch find sky.fits -o a.csv -o a.fits -o a.vot -o a.sqlite --write-rms rms.fits
expect_in calls execve a.csv
watch run sky.fits -o folder
watch convolve sky.fits smooth.fits --kernel gaussian:3
watch find tiles.fits.fz -o tiles.csv
expect_in calls '/proc/self/fd/'
watch measure sky.fits --at a.csv -o forced.csv
finish
