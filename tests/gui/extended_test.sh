#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Extended sources in the viewer are those of reber find --extended: table, outlines on the image and in figures, choosing
# one from the image and from the table; kept in the session; what they do not go with is said.
#   extended_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$reber" simulate sky.fits --scene galactic_plane --size 600 --seed 5 --backend cpu --quiet
"$reber" find sky.fits --extended told.csv --backend cpu --quiet > /dev/null
# SCRIPT [ARGUMENTS]
play() { xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$@"; }
cat > first.steps << 'STEPS'
open sky.fits
settle
hidden panel.extended
expect documents.0.extended.wanted == false
action panel.display
wait 3
click pipeline.extended
wait 2
key Enter
until documents.0.result.sources > 10
until documents.0.extended.structures > 1
settle
shown panel.extended
click panel.extended
wait 3
click extended.row.1
wait 3
expect documents.0.extended.selected == 1
double extended.row.1
wait 3
settle
# Off it: nothing is chosen.
key Ctrl+0
wait 3
click canvas 0.01 0.99
wait 3
expect documents.0.extended.selected == -1
click extended.export
wait 3
click extended.export.path
wait 2
key Ctrl+a
type seen.csv
click extended.export.write
wait 3
expect notice ~ written to seen.csv
# Figures draw the outlines; without the overlay there are none.
action overlay.islands
action overlay.sources
settle
key Ctrl+e
wait 3
click export.path
wait 2
key Ctrl+a
type with.svg
click export.write
settle
wait 3
expect notice ~ Picture written to with.svg
action overlay.extended
wait 2
key Ctrl+e
wait 3
click export.path
wait 2
key Ctrl+a
type without.svg
click export.write
settle
wait 3
expect notice ~ Picture written to without.svg
action overlay.extended
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type kept.reber.json
click session.save
wait 2
expect notice ~ Session saved
STEPS
play first.steps
cmp <(grep -v '^#' told.csv) <(grep -v '^#' seen.csv)
ink() { grep -ci -e '#f0e442' -e 'rgb(94[.0-9]*%, *8[89]' "$1" || true; }
[ "$(ink with.svg)" -gt 0 ]
[ "$(ink without.svg)" -eq 0 ]
cat > second.steps << 'STEPS'
open kept.reber.json
until documents.0.extended.structures > 1
settle
expect documents.0.extended.wanted == true
click pipeline.extended
wait 3
expect documents.0.extended.structures == 0
hidden panel.extended
STEPS
play second.steps
# What they do not go with.
cat > third.steps << 'STEPS'
settle
action panel.display
wait 3
click pipeline.extended
wait 2
key Enter
until documents.0.result.sources > 10
settle
wait 3
shown pipeline.extended.error
expect documents.0.extended.structures == 0
STEPS
play third.steps sky.fits --wavelets 2
echo extended
