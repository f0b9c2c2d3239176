#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Rough edges that a day of use found: panels in narrow strips, an interface larger than its window, fields of popups,
# images of one pixel and of one value, formats that rows cannot fill, colours of another part of the sky.
#   edges_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# WIDTH HEIGHT SCALE SCRIPT
play() { xvfb-run -a -s "-screen 0 $1x$2x24 -noreset" "$view" --backend cpu --scale "$3" --width "$1" --height "$2" --script "$4"; }
cp "$data/galactic_plane_150mhz.fits" sky.fits

# A strip that is too narrow for a line of buttons has two.
cat > narrow.steps << 'STEPS'
open sky.fits
settle
action panel.regions
wait 3
click panel.regions
wait 2
click regions.tool.Ellipse
wait 2
drag canvas 0.4 0.4 to canvas 0.5 0.5
wait 3
click regions.angle
wait 2
key Ctrl+a
type 30
key Enter
wait 3
click regions.file
wait 2
key Ctrl+a
type narrow.reg
click regions.write
wait 2
expect notice ~ 1 region written
apart regions.write regions.angle
STEPS
play 800 600 1 narrow.steps
grep -q ',209.8[0-9]*) # text' narrow.reg  # 30 degrees on the image, on the sky

# Twice as large in a small window: as large as it fits.
cat > large.steps << 'STEPS'
open sky.fits
settle
within menu.Help window
key Enter
until documents.0.result.sources > 50
settle
click panel.sources
wait 3
within sources.filter window
click sources.export
wait 3
within sources.export.path window
within sources.export.write window
key Esc
wait 2
click sources.columns
wait 3
shown sources.column.RA
STEPS
play 800 600 2 large.steps

# Fields stand out of a popup; what rows cannot fill is refused.
cat > popup.steps << 'STEPS'
open sky.fits
settle
key Enter
until documents.0.result.sources > 50
settle
click sources.export
wait 3
red sources.export.path 0.97 -0.5 < 30
red sources.export.path 0.97 0.5 > 34
click sources.export.path
wait 2
key Ctrl+a
type list.gaul
click sources.export.write
wait 3
shown sources.export.write
click sources.export.path
wait 2
key Ctrl+a
type list.csv
click sources.export.write
wait 3
hidden sources.export.write
STEPS
play 1280 800 1 popup.steps
[ ! -e list.gaul ]
[ -s list.csv ]

# One pixel, one value: the magnifier's mark stays inside, the profile of a constant is a line.
python3 - << 'PY'
import struct

def write(name, nx, ny, value):
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {nx}", f"NAXIS2  = {ny}", "BUNIT   = 'Jy/beam'", "END"]
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad("".join(c.ljust(80) for c in cards).encode(), b" ") + pad(struct.pack(f">{nx * ny}f", *[value] * (nx * ny)), b"\0"))

write("one.fits", 1, 1, 0.5)
write("flat.fits", 60, 40, 3.25)
PY
{
  printf 'open one.fits\nsettle\nkey F2\nwait 3\nmove canvas 0.5 0.5\nwait 3\nsettle\n'
  for place in $(seq -w 1 99); do echo "red panel.magnifier 0.$place 0.93 < 240"; done
  printf 'open flat.fits\nsettle\nmove canvas 0.4 0.5\nwait 3\nsettle\ncontrast profiles.x 0.75 0.493 > 3\n'
} > odd.steps
play 1280 800 1 odd.steps

# After a run the readout's sigmas are the run's: its maps come when the pointer is on the image.
cat > noise.steps << 'STEPS'
open sky.fits
settle
move menu.Help
key Enter
until documents.0.result.sources > 50
settle
move image 500 500
until documents.0.layers.length == 3
STEPS
play 1280 800 1 noise.steps

# One column of 3000 pixels, and one row: seen with all of it in the window. A small range on a large value: limits that differ.
python3 - << 'PY'
import struct


def write(name, nx, ny, value):
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {nx}", f"NAXIS2  = {ny}", "BUNIT   = 'JY/BEAM '", "END"]
    data = b"".join(struct.pack(">f", value(i)) for i in range(nx * ny))
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad("".join(c.ljust(80) for c in cards).encode(), b" ") + pad(data, b"\0"))


write("column.fits", 1, 3000, lambda i: 5.0 + i % 7)
write("row.fits", 3000, 1, lambda i: 5.0 + i % 7)
write("offset.fits", 64, 64, lambda i: 1e6 + 0.0625 * (i * 37 % 17))
PY
for name in column row; do printf 'open %s.fits\nsettle\ncontrast canvas 0.5 0.5 > 3\nmove image 0 0\nwait 3\nscreenshot %s.png\nwait 1\n' $name $name; done > thin.steps
play 1280 800 1 thin.steps

# Three colours are those of the shown image's sky, where there are as many.
python3 - << 'PY'
def write(name, ra):
    cards = ["SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 60", "NAXIS2  = 48", "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'",
             f"CRVAL1  = {ra}", "CRVAL2  = 10.0", "CRPIX1  = 30.0", "CRPIX2  = 24.0", "CDELT1  = -1.0E-3", "CDELT2  = 1.0E-3",
             "CUNIT1  = 'deg'", "CUNIT2  = 'deg'", "END"]
    data = bytes(i % 200 for i in range(60 * 48))
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad("".join(c.ljust(80) for c in cards).encode(), b" ") + pad(data, b"\0"))

for number, ra in enumerate((10.0, 200.0, 10.01, 10.02)):
    write(f"sky{number}.fits", ra)
PY
cat > colours.steps << 'STEPS'
open sky1.fits
settle
open sky2.fits
settle
open sky3.fits
settle
open sky0.fits
settle
action compare.rgb
settle
expect rgb.0 == 3
expect rgb.1 == 1
expect rgb.2 == 2
STEPS
play 1280 800 1 colours.steps

# A table in a FITS file is a catalogue, however it comes, and leaves the shown image as it was; one without positions says so,
# and is no colour of an RGB picture.
"$reber" find sky.fits -o found.fits --backend cpu -q --fit none
cp found.fits second.fits
python3 - << 'PY'
cards = lambda *c: "".join(x.ljust(80) for x in c + ("END",)).encode().ljust(2880)
open("bare.fits", "wb").write(cards("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0", "EXTEND  = T") + cards(
    "XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 4", "NAXIS2  = 2", "PCOUNT  = 0", "GCOUNT  = 1", "TFIELDS = 1",
    "TFORM1  = '1J'", "TTYPE1  = 'number'") + bytes(2880))
PY
cat > tables.steps << 'STEPS'
settle
expect documents.length == 1
expect bench.catalogues == 1
open sky1.fits
settle
key Ctrl+Shift+Tab
wait 2
expect active == 0
drop second.fits
wait 3
settle
expect documents.length == 2
expect active == 0
expect bench.catalogues == 2
expect notice ~ second.fits: 1
open bare.fits
settle
expect documents.length == 3
expect documents.2.error ~ holds no image HDU
key Ctrl+Shift+Tab
settle
action compare.rgb
settle
expect rgb.0 == 1
expect rgb.1 == 0
expect rgb.2 == -1
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script tables.steps sky.fits found.fits

# The data challenge's names of columns are known.
printf '# id ra_core dec_core ra_cent dec_cent flux_jy\n1 180.0 -30.0 180.0 -30.0 0.5\n2 180.01 -30.0 180.01 -30.0 0.25\n' > truth.txt
"$reber" match truth.txt truth.txt > matched.txt
grep -q ra_cent matched.txt
grep -q flux_jy matched.txt
echo even
