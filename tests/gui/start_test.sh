#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Files of the command line are read beside the window that opens: a large image whole in the end, with what follows it;
# one that is not there says so; without a display the program ends.
#   start_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# 2100 x 2100 of 1, more than a first look has; small.fits: 8 x 8.
python3 - << 'PY'
import struct

def write(name, side):
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {side}", f"NAXIS2  = {side}", "END"]
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    head = pad("".join(c.ljust(80) for c in cards).encode(), b" ")
    open(name, "wb").write(head + pad(struct.pack(">f", 1.0) * (side * side), b"\0"))

write("large.fits", 2100)
write("small.fits", 8)
PY
play() { xvfb-run -a -s "-screen 0 800x600x24 -noreset" "$view" --backend cpu --scale 1 --width 800 --height 600 "$@"; }
cat > both.steps << 'STEPS'
settle
expect documents.0.path ~ large.fits
expect documents.0.loading == false
expect documents.1.path ~ small.fits
expect documents.1.loading == false
expect active == 0
wheel 4 canvas
settle
STEPS
timeout 120 bash -c "$(declare -f play); view=$view; play --script both.steps large.fits small.fits"
cat > missing.steps << 'STEPS'
settle
expect documents.0.loading == false
expect documents.0.error ~ missing.fits
STEPS
play --script missing.steps missing.fits
code=0
env -u DISPLAY -u WAYLAND_DISPLAY timeout 60 "$view" --backend cpu large.fits 2> words || code=$?
[ "$code" = 4 ]
grep -q 'needs a display' words
echo started
