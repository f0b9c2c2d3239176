#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Regions go from image to image, and to DS9, by the clipboard: at their place of the sky. A line tells its length there.
#   region_copy_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$data/galactic_plane_150mhz.fits" sky.fits
cp sky.fits again.fits
cat > steps << 'STEPS'
open sky.fits
settle
key F2
wait 3
click panel.regions
wait 3
click regions.tool.Line
wait 2
drag image 100 500 to image 340 500
wait 3
expect documents.0.regions == 1
shown regions.measure
click regions.tool.Box
wait 2
drag image 600 600 to image 700 680
wait 3
expect documents.0.regions == 2
click regions.row.1
wait 2
# The chosen one alone.
key Ctrl+c
wait 2
expect notice == Copied: 1 region
key Ctrl+v
wait 2
expect notice == Pasted: 1 region
expect documents.0.regions == 3
# What is typed keeps both keys to itself.
click regions.file
wait 2
type one.reg
key Ctrl+a
key Ctrl+c
key Ctrl+v
wait 2
expect documents.0.regions == 3
key Ctrl+a
type one.reg
click regions.write
wait 2
key Esc
wait 2
click regions.row.2
wait 2
key Delete
wait 2
key Delete
wait 2
open again.fits
settle
key Ctrl+v
wait 2
expect notice ~ no regions
key Ctrl+Tab
wait 3
click regions.row.1
wait 2
key Ctrl+c
wait 2
key Ctrl+Tab
wait 3
key Ctrl+v
wait 2
expect documents.1.regions == 1
dump last.json
click regions.file
wait 2
key Ctrl+a
type two.reg
click regions.write
wait 2
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
[ "$(grep -c '^box' one.reg)" -eq 2 ]
# A file of regions on the command line, and dropped on the window; one without an image; a damaged one.
cat > files.steps << 'STEPS'
settle
expect documents.length == 1
expect documents.0.regions == 3
drop two.reg
wait 3
settle
expect documents.length == 1
expect documents.0.regions == 4
expect notice ~ 1 region read
key Ctrl+z
wait 3
expect documents.0.regions == 3
drop nowhere.reg
wait 3
expect notice ~ nowhere.reg
key Ctrl+w
wait 3
drop two.reg
wait 3
expect notice ~ open the image first
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script files.steps again.fits one.reg
boxes() { grep '^box' "$1" | sed -E 's/([0-9]\.[0-9]{3})[0-9]*/\1/g'; }
cmp <(boxes one.reg | sed -n 1p) <(boxes two.reg)
echo copies
