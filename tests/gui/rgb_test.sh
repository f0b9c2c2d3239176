#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Three images as red, green and blue: each with limits of its own, on the first one's grid, kept in a session, exported.
#   rgb_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Three images of 0 with one square of 1 each, at three places of the sky; the third on a grid turned by 90 degrees. A
# fourth lies elsewhere.
python3 - << 'PY'
import math
import struct

SIDE = 200

def write(name, square, turn=0.0, ra=83.25, high=1.0):
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    step = 2 / 3600
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {SIDE}", f"NAXIS2  = {SIDE}",
             "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", f"CRVAL1  = {ra}", "CRVAL2  = -21.5",
             "CRPIX1  = 100.5", "CRPIX2  = 100.5", f"CD1_1   = {-step * c:.15E}", f"CD1_2   = {step * s:.15E}",
             f"CD2_1   = {step * s:.15E}", f"CD2_2   = {step * c:.15E}",
             "CUNIT1  = 'deg'", "CUNIT2  = 'deg'", "BUNIT   = 'Jy/beam'", "END"]
    head = "".join(c.ljust(80) for c in cards).encode()
    rows = [[high if x in square[0] and y in square[1] else 0.0 for x in range(SIDE)] for y in range(SIDE)]
    data = struct.pack(f">{SIDE * SIDE}f", *sum(rows, []))
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad(head, b" ") + pad(data, b"\0"))

write("red.fits", (range(30, 60), range(30, 60)))
write("green.fits", (range(130, 160), range(30, 60)), high=10.0)
# Turned by 90 degrees: its square stands at (140 ... 169, 140 ... 169) of the first one's grid.
write("blue.fits", (range(140, 170), range(30, 60)), turn=90)
write("elsewhere.fits", (range(30, 60), range(30, 60)), ra=10.0)
PY
play() {
  xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$1"
}
cat > first.steps << 'STEPS'
open blue.fits
settle
action limits.min-max
open green.fits
settle
action limits.min-max
open red.fits
settle
action limits.min-max
settle
action panel.pipeline
action compare.rgb
settle
expect compare == rgb
shown compare.image.Red
# Chosen by hand: red, green and blue by their names.
click compare.image.Green
wait 2
click compare.image.Green.1
wait 2
click compare.image.Blue
wait 2
click compare.image.Blue.0
wait 2
settle
expect rgb.0 == 2
expect rgb.1 == 1
expect rgb.2 == 0
action window.hide
settle
red image 45 45 > 250
green image 45 45 < 5
blue image 45 45 < 5
red image 145 45 < 5
green image 145 45 > 250
blue image 145 45 < 5
red image 155 155 < 5
green image 155 155 < 5
blue image 155 155 > 250
red image 100 150 < 5
blue image 45 155 < 5
action window.hide
wait 2
# Limits are those of the marked colour; the others stay.
click compare.adjust.Green
wait 2
expect channel == Green
click display.high
wait 2
key Ctrl+a
type 20
key Enter
settle
expect documents.1.render.high == 20
expect documents.2.render.high == 1
action window.hide
settle
green image 145 45 < 250
green image 145 45 > 100
red image 45 45 > 250
screenshot rgb.png
action window.hide
wait 2
key 8
wait 2
drag canvas 0.5 0.5 to canvas 0.2 0.15
settle
key Ctrl+e
wait 3
click export.path
wait 2
key Ctrl+a
type out.png
click export.axes
wait 2
drag export.scale 0.5 0.5 to export.scale 0.0 0.5
wait 2
click export.write
wait 2
hidden export.write
settle
compare out.png
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type rgb.reber.json
click session.save
wait 2
expect notice ~ Session saved
STEPS
play first.steps
cat > second.steps << 'STEPS'
open rgb.reber.json
settle
expect compare == rgb
expect rgb.0 == 2
expect rgb.2 == 0
key Ctrl+0
action window.hide
settle
green image 145 45 < 250
green image 145 45 > 100
blue image 155 155 > 250
action window.hide
wait 2
# An image of another part of the sky leaves its colour dark.
open elsewhere.fits
settle
click document.2
settle
click compare.image.Blue
wait 2
click compare.image.Blue.3
settle
action window.hide
settle
blue image 155 155 < 5
red image 45 45 > 250
STEPS
play second.steps
# A difference keeps its own look in a session.
cat > third.steps << 'STEPS'
open green.fits
settle
open red.fits
settle
key d
settle
expect documents.1.render.map == diverging
expect documents.1.render.limits == even
action map.viridis
action panel.compare
wait 2
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type look.reber.json
click session.save
wait 2
STEPS
play third.steps
cat > fourth.steps << 'STEPS'
open look.reber.json
settle
expect compare == difference
expect documents.1.render.map == viridis
STEPS
play fourth.steps
