#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A first day by keys alone: an image is opened, its sources found and filtered, the table written, the session saved and,
# in the next window, opened from the same dialog as images.
#   newcomer_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/empty"
cd "$folder"
cp "$data/galactic_plane_150mhz.fits" field.fits
play() {
  HOME=$folder XDG_STATE_HOME=$folder/state xvfb-run -a -s "-screen 0 1280x800x24 -noreset" \
    "$view" --backend cpu --scale 1 --width 1280 --height 800 --no-settings --script "$1"
}
cat > first.steps << 'STEPS'
key Ctrl+o
wait 5
keys field
key Enter
wait 3
settle
key Enter
wait 3
settle
expect documents.length == 1
key Enter
until documents.0.result.sources > 50
settle
key /
wait 3
type SNR > 20
key Enter
wait 3
expect documents.0.table.shown < 60
# "export" in the palette finds the table's as well as the picture's.
key Ctrl+Shift+p
wait 5
type export the sources
wait 3
key Enter
wait 5
shown sources.export.write
key Enter
wait 5
hidden sources.export.write
key Ctrl+s
wait 5
key Enter
wait 5
STEPS
play first.steps
rows=$(grep -vc '^#' field_sources.csv)
[ "$rows" -gt 5 ] && [ "$rows" -lt 62 ]
[ -s field.reber.json ]
cat > second.steps << 'STEPS'
key Ctrl+o
wait 5
keys reber.json
key Enter
wait 3
settle
shown open.session
key Enter
wait 3
settle
until documents.0.result.sources > 50
settle
expect documents.0.table.filter == SNR > 20
expect documents.0.table.shown < 60
STEPS
play second.steps
