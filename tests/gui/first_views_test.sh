#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What is seen first: padding of zeros, tiny and blank images, noise, three colours; Enter and Esc in fields, the
# palette, regions in front, paths of exports.
#   first_views_test.sh REBER REBER_VIEW
set -euo pipefail
python3 -c "import numpy" 2>/dev/null || exit 77
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/archive" "$folder/work"
cd "$folder/work"
python3 - << 'PY'
import numpy as np

def write(path, data):
    ny, nx = data.shape
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {nx}", f"NAXIS2  = {ny}",
             "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  = 83.0", "CRVAL2  = -21.5",
             f"CRPIX1  = {nx / 2}", f"CRPIX2  = {ny / 2}", "CDELT1  = -0.0005", "CDELT2  = 0.0005",
             "BMAJ    = 0.002", "BMIN    = 0.002", "BPA     = 0.0", "BUNIT   = 'Jy/beam'", "END"]
    head = "".join(c.ljust(80) for c in cards).encode()
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(path, "wb").write(pad(head, b" ") + pad(data.astype(">f4").tobytes(), b"\0"))

random = np.random.default_rng(1)
noise = random.normal(0, 1, (400, 400))
padded = noise.copy()
for margin in (130,):
    padded[:margin], padded[-margin:], padded[:, :margin], padded[:, -margin:] = 0, 0, 0, 0
write("../archive/padded.fits", padded)
write("tiny.fits", np.arange(6.0).reshape(2, 3))
write("blank.fits", np.full((300, 300), np.nan))
yy, xx = np.mgrid[:400, :400]
spot = lambda x: np.exp(-((xx - x) ** 2 + (yy - 200) ** 2) / 18)
# Two bright sources of opposite spectra.
for name, a, b in (("low.fits", 900, 100), ("middle.fits", 300, 300), ("high.fits", 100, 900)):
    write(name, random.normal(0, 1, (400, 400)) + a * spot(120) + b * spot(280))
PY
play() {
  HOME=$folder xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$1"
}
cat > views.steps << 'STEPS'
open ../archive/padded.fits
settle
expect documents.0.render.low < -1.2
expect documents.0.render.low > -1.8
expect documents.0.render.high > 12
expect documents.0.render.high < 18
# The same by the rule, over all pixels.
action limits.noise...99.9
settle
expect documents.0.render.low < -1.2
expect documents.0.render.high > 12
# Exports are proposed where the viewer was started.
key Ctrl+e
wait 3
click export.path
wait 2
key Enter
settle
pause 1
settle
expect notice ~ work/padded.png
open tiny.fits
settle
expect documents.1.render.low == 0
expect documents.1.render.high == 5
hidden canvas.all_blank
open blank.fits
settle
shown canvas.all_blank
STEPS
play views.steps
[ -s padded.png ]
cat > colours.steps << 'STEPS'
open high.fits
settle
open middle.fits
settle
open low.fits
settle
action compare.rgb
settle
click compare.image.Red
wait 2
click compare.image.Red.2
wait 2
click compare.image.Green
wait 2
click compare.image.Green.1
wait 2
click compare.image.Blue
wait 2
click compare.image.Blue.0
wait 2
settle
action window.hide
settle
# Steep is red, inverted is blue, at their very peaks; neither is white.
red image 120 200 > 200
blue image 120 200 < 80
blue image 280 200 > 200
red image 280 200 < 80
STEPS
play colours.steps
cat > hands.steps << 'STEPS'
open low.fits
settle
key Enter
settle
# Esc leaves the filter with what was typed last.
key /
wait 3
type SNR > 5
wait 2
key Enter
wait 2
click sources.filter
wait 2
key Ctrl+a
type SNR > 50
wait 2
key Esc
wait 3
expect documents.0.table.filter == SNR > 50
# "tour" is the tour.
key Ctrl+Shift+p
wait 3
type tour
wait 2
key Enter
wait 3
shown tour.next
key Esc
wait 3
action panel.regions
wait 2
action panel.profiles
wait 2
click panel.profiles
wait 2
hidden regions.tool.Ellipse
key r
wait 2
drag canvas 0.4 0.4 to canvas 0.5 0.5
wait 3
shown regions.tool.Ellipse
action panel.session
wait 3
click session.path
wait 2
key Ctrl+a
type mine.reber.json
key Enter
wait 3
expect notice ~ Session saved
STEPS
play hands.steps
[ -s mine.reber.json ]
