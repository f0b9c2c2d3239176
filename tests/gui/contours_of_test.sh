#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Contours of one image over another: at their place of the sky, on pixels of another size and turned, kept in the session.
#   contours_of_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# A disc of 10 pixels' radius; a dark image of the same sky, its pixels half as large and turned by 90 degrees; another sky.
python3 - << 'PY'
import struct


def write(name, n, step, turned, ra, value):
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {n}", f"NAXIS2  = {n}", "BUNIT   = 'JY/BEAM '",
             "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", f"CRVAL1  = {ra}", "CRVAL2  = 20.0",
             f"CRPIX1  = {n / 2 + 0.5}", f"CRPIX2  = {n / 2 + 0.5}", "CUNIT1  = 'deg'", "CUNIT2  = 'deg'"]
    if turned:
        cards += [f"CD1_1   = 0.0", f"CD1_2   = {-step}", f"CD2_1   = {-step}", "CD2_2   = 0.0"]
    else:
        cards += [f"CDELT1  = {-step}", f"CDELT2  = {step}"]
    data = b"".join(struct.pack(">f", value(i % n, i // n)) for i in range(n * n))
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad("".join(c.ljust(80) for c in cards + ["END"]).encode(), b" ") + pad(data, b"\0"))


noise = lambda x, y: ((x * 7919 + y * 104729) % 1009 / 1009 - 0.5) * 0.02
disc = lambda x, y: noise(x, y) + (1.0 if (x - 44) ** 2 + (y - 32) ** 2 < 100 else 0.0)
write("disc.fits", 64, 1e-3, False, 50.0, disc)
write("dark.fits", 128, 5e-4, True, 50.0, lambda x, y: 0.0)
write("elsewhere.fits", 64, 1e-3, False, 200.0, noise)
PY
# West is where the disc is: 12.5 pixels right of the middle in the one, 25 above it in the other, where its edge is 20 away.
cat > steps << 'STEPS'
open elsewhere.fits
settle
open disc.fits
settle
open dark.fits
settle
key Ctrl+0
action panel.contours
settle
click contours.on
wait 2
click contours.of
wait 3
click contours.of.1
wait 3
settle
expect contours.of == 1
expect active == 2
red image 82.4 88.5 < 150
red image 42.6 88.5 < 150
red image 62.5 108.4 < 150
red image 62.5 68.6 < 150
red image 62.5 38.5 > 200
red image 62.5 88.5 > 200
screenshot over.png
wait 1
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type kept.reber.json
click session.save
wait 2
key Esc
wait 2
click contours.of
wait 3
click contours.of.0
wait 3
settle
red image 62.5 108.4 > 200
STEPS
play() { xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$@"; }
play steps
cat > again.steps << 'STEPS'
open kept.reber.json
settle
expect documents.length == 3
expect contours.of == 1
settle
red image 62.5 108.4 < 150
STEPS
play again.steps
[ -z "${KEEP:-}" ] || cp ./*.png "$KEEP"
echo contours
