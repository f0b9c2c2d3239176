#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The interface at twice its size, and in a small window: bars keep to their place, controls and axes stay in the strip,
# names leave the colour bar, Esc closes what is in front, a difference of two units says so.
#   scale_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# WIDTH HEIGHT SCALE SCRIPT
play() { xvfb-run -a -s "-screen 0 $1x$2x24 -noreset" "$view" --backend cpu --scale "$3" --width "$1" --height "$2" --script "$4"; }
cp "$data/galactic_plane_150mhz.fits" field_with_a_name_that_is_long.fits
"$reber" find field_with_a_name_that_is_long.fits -o sources.csv --fit none --backend cpu -q

cat > large.steps << 'STEPS'
open field_with_a_name_that_is_long.fits
settle
action window.theme
wait 3
apart tools canvas
apart status canvas
key Enter
until documents.0.result.sources > 50
settle
click panel.plots
settle
within plots.histogram.log_y strip
within plots.scatter.log_y strip
apart plots.histogram.log_y plots.scatter
within plots.scatter.x.label strip
# Matched with itself: numbers of a row are whole, one plot at a time has room.
key F4
wait 3
open sources.csv
settle
click panel.match
move canvas 0.5 0.5
wait 3
apart status.readout status.notice
within match.cell.4 strip
within match.close.0 strip
drag splitter.strip to canvas 0.5 0.3
settle
click match.list.plots
wait 3
shown match.offsets
hidden match.fluxes
within match.offsets.x.label strip
within match.offsets.y.label strip
click match.plot.completeness
wait 3
hidden match.offsets
within match.completeness.x.label strip
apart match.completeness.y.label match.completeness
STEPS
play 1920 1080 2 large.steps

cat > beside.steps << 'STEPS'
open field_with_a_name_that_is_long.fits
settle
key Enter
until documents.0.result.sources > 50
settle
key F4
wait 3
open sources.csv
settle
click panel.match
wait 3
click match.list.plots
wait 3
# Beside each other, and all as high.
within match.offsets.x.label strip
within match.fluxes.x.label strip
within match.completeness.x.label strip
apart match.offsets match.fluxes
apart match.fluxes match.completeness
# An axis with one label tells no scale.
shown match.completeness.x.tick.1
shown match.completeness.x.tick.100
# What is in front goes first, with what is typed in it.
key Ctrl+i
wait 3
key F1
wait 3
shown help.keys
key Esc
wait 2
hidden help.keys
shown header.search
click header.search
wait 2
type NAXIS
wait 2
key Esc
wait 2
hidden header.search
# The first difference is one of values; that of two units says so, and its numbers have none.
click compare.layer
wait 2
click compare.layer.S/N
wait 2
key d
settle
expect compare == difference
hidden compare.units
click compare.layer
wait 2
click compare.layer.S/N
settle
shown compare.units
STEPS
play 1440 900 1 beside.steps

cat > small.steps << 'STEPS'
open field_with_a_name_that_is_long.fits
settle
key Enter
until documents.0.result.sources > 50
settle
key d
settle
shown overlay.colour_bar
apart compare.name overlay.colour_bar
key d
wait 2
key b
wait 3
apart compare.name overlay.colour_bar
key b
wait 2
# Two profiles have the room of three.
key F2
settle
move canvas 0.5 0.5
wait 3
shown profiles.y
hidden profiles.line
# Labels of selected sources that would lie over each other: one is left.
key F3
settle
click sources.row.0 0.05 0.5
wait 2
click sources.row.3 0.05 0.5 shift
settle
key h
wait 3
shown overlay.label.0
wheel -30 canvas
settle
shown overlay.label.0
hidden overlay.label.1
STEPS
play 800 600 1 small.steps
echo scaled
