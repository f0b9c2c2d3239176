#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Colours and widths of what is drawn on the image are kept in the settings; ellipses follow the table's filter.
#   inks_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_STATE_HOME=$folder/state
"$reber" simulate sky.fits --backend cpu -q --size 256 --sources 30 --seed 5
play() {
  xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 \
    --settings settings.json --script "$1"
}
cat > first.steps << 'STEPS'
open sky.fits
settle
key Enter
until documents.0.result.sources > 5
settle
action panel.pipeline
action panel.inks
wait 3
action window.hide
settle
screenshot all.png
wait 1
action window.hide
wait 2
drag inks.sources.width 0.5 0.5 to inks.sources.width 1.0 0.5
settle
action window.hide
settle
screenshot broad.png
wait 1
action window.hide
wait 2
click inks.reset
click panel.sources
wait 2
click sources.filter
wait 2
type SNR > 1e9
wait 3
expect documents.0.table.shown == 0
settle
action window.hide
settle
screenshot none.png
wait 1
action window.hide
wait 2
click inks.filter
settle
action window.hide
settle
screenshot still.png
wait 1
action window.hide
wait 2
click inks.filter
drag inks.contours.width 0.5 0.5 to inks.contours.width 1.0 0.5
click inks.islands.auto
wait 3
STEPS
play first.steps
differ() { if cmp -s "$1" "$2"; then echo "$1 and $2 are the same picture" >&2; exit 1; fi; }
differ all.png broad.png
differ none.png still.png
grep -A4 '"contours": {' settings.json | grep -q '"width": 5.0'
grep -A4 '"islands": {' settings.json | grep -q '"automatic": false'
# The next viewer has them, and writes them again.
cp settings.json before.json
cat > second.steps << 'STEPS'
open sky.fits
settle
STEPS
play second.steps
for name in contours islands; do
  cmp <(grep -A4 "\"$name\": {" before.json) <(grep -A4 "\"$name\": {" settings.json)
done
