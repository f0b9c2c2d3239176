#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What hands need: a browser wherever a path is asked for, display changes taken back, regions set by number, their flux
# with its error.
#   hands_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$data/galactic_plane_150mhz.fits" sky.fits
cp "$data/galactic_plane_150mhz_truth.csv" truth.csv
mkdir deeper
cat > steps << 'STEPS'
open sky.fits
settle
# Display changes are undone one by one, and done again; parameters stay.
expect documents.0.render.invert == false
key i
wait 90
action map.viridis
wait 90
expect documents.0.render.map == viridis
key Ctrl+z
wait 2
expect documents.0.render.map == inferno
expect documents.0.render.invert == true
key Ctrl+z
wait 2
expect documents.0.render.invert == false
key Ctrl+z
wait 2
expect documents.0.render.invert == false
key Ctrl+Shift+z
wait 2
expect documents.0.render.invert == true
key Ctrl+z
wait 2
# Two keys within a second are two steps.
key y
wait 1
key i
wait 2
expect documents.0.render.invert == true
key Ctrl+z
wait 2
expect documents.0.render.invert == false
expect documents.0.render.map == viridis
key Ctrl+z
wait 2
expect documents.0.render.map == inferno

# Regions by number.
action panel.regions
wait 2
click panel.regions
wait 2
click regions.tool.Ellipse
wait 2
drag canvas 0.4 0.4 to canvas 0.5 0.5
wait 3
expect documents.0.regions == 1
click regions.row.0
wait 2
click regions.x
wait 2
key Ctrl+a
type 700.5
key Enter
wait 2
click regions.width
wait 2
key Ctrl+a
type 40
key Enter
wait 2
click regions.angle
wait 2
key Ctrl+a
type 30
key Enter
settle
# A browser beside each path.
click regions.file.browse
wait 3
settle
shown regions.file.file.deeper
click regions.file.file.deeper
wait 3
settle
click regions.file.up
wait 3
settle
shown regions.file.file.truth.csv
key Esc
wait 3
hidden regions.file.up
click regions.file
wait 2
key Ctrl+a
type out.reg
click regions.write
wait 2
expect notice ~ 1 region written
key F4
wait 2
click panel.match
wait 2
click match.path.browse
wait 3
settle
click match.path.file.truth.csv
wait 3
settle
expect bench.catalogues == 1
key Ctrl+Shift+s
wait 3
click session.path.browse
wait 3
settle
shown session.path.file.out.reg
key Esc
wait 3
key Esc
wait 3
key Ctrl+e
wait 3
shown export.path.browse
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
# The region's centre was set in x, and its size: DS9 writes half sizes.
grep -q '300.0[0-9]*"' out.reg
