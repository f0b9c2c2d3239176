#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a window looks like: the image keeps half of a small one, the colour bar is tall and has round values, knobs leave
# the numbers alone, tables are laid out in their first frame, plots follow new sources, the match says what it found.
#   looks_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# WIDTH HEIGHT SCALE SCRIPT [OPTION ...]
play() {
  xvfb-run -a -s "-screen 0 $1x$2x24 -noreset" "$view" --backend cpu --scale "$3" --width "$1" --height "$2" --script "$4" "${@:5}"
}
cp "$data/galactic_plane_150mhz.fits" field.fits
"$reber" find field.fits -o sources.csv --fit none --backend cpu -q

# Half of the window is the image's; the table comes with a click on its tab, and goes with one on the fold.
cat > large.steps << 'STEPS'
open field.fits
settle
share canvas window >= 0.5
key Enter
until documents.0.result.sources > 50
settle
share canvas window >= 0.5
hidden sources.row.0
click panel.sources
wait 3
shown sources.row.0
shown splitter.strip
share canvas window >= 0.3
click strip.fold
wait 3
hidden sources.row.0
share canvas window >= 0.5
# What asks for a part of the strip by name opens it.
action panel.match
wait 3
shown match.open
STEPS
play 1600 1000 2 large.steps

cat > small.steps << 'STEPS'
open field.fits
settle
key Enter
until documents.0.result.sources > 50
settle
shown sources.row.0
share canvas window >= 0.35
# The bars follow the pointer there too.
drag splitter.column to canvas 0.5 0.5
wait 3
share canvas window < 0.25
STEPS
play 800 600 1 small.steps

cat > values.steps << 'STEPS'
open field.fits
settle
share overlay.colour_bar canvas > 0.06
shown overlay.colour_bar.tick.0
shown overlay.colour_bar.tick.0.2
shown overlay.colour_bar.tick.0.5
shown overlay.colour_bar.tick.1
# A slider's knob: below its number, on a track.
expect documents.0.render.bias == 0.5
blue display.bias 0.5 0.13 < 90
wait 1
blue display.bias 0.5 0.93 > 150
wait 1
# The first frame that shows the numbers has room for them.
action panel.statistics
at statistics.name.2 apart statistics.name.2 statistics.value.2
apart statistics.name.6 statistics.value.6
apart statistics.value.3 statistics.beside.3
STEPS
play 1280 800 1 values.steps

# Few sources, then many: the highest bar stays inside the plot, and the axis reaches the faint ones. What was zoomed by
# hand is left.
cat > plots.steps << 'STEPS'
open field.fits
settle
key Enter
until documents.0.result.sources > 2
settle
expect documents.0.result.sources < 40
click panel.plots
settle
within plots.histogram.tops plots.histogram
action run.live
settle
drag pipeline.seed 0.5 0.5 to pipeline.seed 0.02 0.5
until documents.0.result.sources > 100
settle
wait 3
within plots.histogram.tops plots.histogram
STEPS
play 1280 800 1 plots.steps --threshold 60

# The summary over the width of the lists, and whole; names do not push the numbers away.
awk -F, 'BEGIN {OFS = ","} /^#/ {print; next} !head {head = 1; print "Name", $0; next} {printf "%08d-8720-4eb7-b92c-3d7082034df1,%s\n", NR, $0}' sources.csv > named.csv
cat > match.steps << 'STEPS'
open field.fits
settle
key Enter
until documents.0.result.sources > 50
settle
key F4
wait 3
open named.csv
settle
click panel.match
settle
within match.summary strip
share match.summary strip > 0.06
within match.cell.5 strip
shown match.row.3
STEPS
play 1280 800 1 match.steps
echo looked at
