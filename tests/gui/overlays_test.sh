#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What lies over an image leaves it to be seen and can be read: the scale bar on bright emission, the beam on tiny images,
# marks of crowded catalogues, tooltips beside what they speak of.
#   overlays_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# bright.fits: 600 x 600 of 1, its first row 0; tiny.fits: 24 x 24 with a beam of 8 pixels; marks.csv: every fifth pixel.
python3 - << 'PY'
import struct

def write(name, side, beam, rows=None):
    rows = rows or side
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {side}", f"NAXIS2  = {rows}",
             "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRVAL1  = 83.25", "CRVAL2  = -21.5",
             f"CRPIX1  = {side / 2}", f"CRPIX2  = {side / 2}", f"CDELT1  = {-2 / 3600}", f"CDELT2  = {2 / 3600}",
             "CUNIT1  = 'deg'", "CUNIT2  = 'deg'", "BUNIT   = 'Jy/beam'",
             f"BMAJ    = {2 * beam / 3600}", f"BMIN    = {2 * beam / 3600}", "BPA     = 0.0", "END"]
    head = "".join(c.ljust(80) for c in cards).encode()
    data = struct.pack(f">{side * rows}f", *([0.0] * side + [1.0] * (side * rows - side)))
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad(head, b" ") + pad(data, b"\0"))

write("bright.fits", 600, 8)
write("tiny.fits", 24, 8)
write("narrow.fits", 60, 8, 600)
with open("marks.csv", "w") as out:
    out.write("ra,dec\n")
    # Near the tangent point pixels are degrees by CDELT to a thousandth of a pixel.
    import math
    for y in range(-40, 41):
        for x in range(-40, 41):
            dec = -21.5 + y * 5 * 2 / 3600
            out.write(f"{83.25 - x * 5 * 2 / 3600 / math.cos(math.radians(dec)):.9f},{dec:.9f}\n")
PY
cat > steps << 'STEPS'
open bright.fits
settle
action map.grey
action stretch.linear
wait 3
click display.low
wait 2
key Ctrl+a
type 0
key Enter
wait 2
click display.high
wait 2
key Ctrl+a
type 1
key Enter
wait 2
expect documents.0.render.low == 0
key 1
settle
# Bright all over: the bar and the beam stand on plates, darker than the image.
red image 300 300 > 250
red overlay.scale_bar 0.03 0.9 < 190
red overlay.beam 0.06 0.06 < 190
# A tooltip leaves what it speaks of to be seen, above it where there is no room below.
move display.bias
wait 40
shown tooltip
apart tooltip display.bias
within tooltip window
move display.contrast
wait 40
shown tooltip
apart tooltip display.contrast
within tooltip window
# 6561 marks, ten screen pixels apart: as large as ones that stand alone they would touch.
move canvas 0.5 0.02
wait 2
key 2
open marks.csv
settle
red image 301.5 299 > 250
red image 299 301.5 > 250
red image 299 300 < 250
expect bench.catalogues == 1
# Seen from further away, marks of a screen pixel leave the image between them.
key Ctrl+0
settle
wheel -4 canvas
settle
red image 302.5 302.5 > 250
# The scale bar is short where the image is narrow.
action overlay.catalogues
open narrow.fits
settle
action map.grey
action limits.min-max
action view.fit
settle
red image 3 28 > 250
# On an image as small as the marker of its beam the outline alone is drawn.
open tiny.fits
settle
action map.grey
action limits.min-max
action view.fit
settle
drag canvas 0.5 0.5 to canvas 0.35 0.5
settle
shown overlay.beam
red overlay.beam 0.06 0.06 > 240
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
