#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# 800 x 600 with names that are too long: nothing lies over anything else, lists show rows, the magnifier is whole.
#   small_window_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
name=a_very_long_name_of_a_field_in_the_galactic_plane_at_150_MHz_with_everything_in_it_version_7_final.fits
cp "$data/galactic_plane_150mhz.fits" "$name"
mkdir deeper
cp "$data/dirac_grid.fits" other.fits
cp "$data/dirac_grid.fits" deeper/third.fits
"$reber" find "$name" -o sources.csv --fit none --backend cpu -q
cat > steps << STEPS
open $name
settle
move canvas 0.5 0.5
wait 2
expect cursor.on_image == true
within tools.title window
apart tools.title splitter.column
key Enter
wait 2
apart status.readout status.work
apart status.readout status.stop
until documents.0.result.sources > 50
key F2
settle
within magnifier window
key F4
wait 2
click panel.match
wait 2
click match.path
wait 2
type sources.csv
click match.open
settle
shown match.row.2
key Ctrl+o
wait 5
apart open.file.$name open.filter
key Esc
wait 2
# By keys alone: letters and Enter, which opens at the second time; or a whole path, where letters are typed.
key Ctrl+o
wait 5
keys oth
key Enter
wait 3
settle
key Enter
wait 3
settle
hidden open.accept
expect documents.length == 2
expect documents.1.title ~ other.fits
key Ctrl+o
wait 5
keys $folder/deeper/third.fits
key Enter
wait 3
settle
shown open.file.third.fits
key Enter
wait 3
settle
expect documents.length == 3
# Layers become a list where their buttons leave the images' names no room; the shown one is in sight.
click document.0
settle
apart layers document.0
click layers
wait 2
click layer.RMS
settle
expect documents.0.layer == RMS
key Ctrl+Shift+Tab
settle
expect active == 2
apart document.2 splitter.column
apart document.2 layer.Input
STEPS
xvfb-run -a -s "-screen 0 800x600x24 -noreset" "$view" --backend cpu --scale 1 --width 800 --height 600 --script steps
