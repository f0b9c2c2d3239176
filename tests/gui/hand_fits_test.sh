#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sources added, merged, split and moved by hand: one step of undo each, refused with a reason, kept when the finder
# runs again and in a session, and written with their origin.
#   hand_fits_test.sh REBER REBER_VIEW
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

# Found: 0 and 1, a pair in one island; 2 and 3, single ones. One more is below the threshold.
python3 "$here/pair_sky.py" sky.fits
cat > first.steps << 'STEPS'
open sky.fits
settle
key F3
wait 2
action panel.display
wait 2
action source.add
wait 2
expect notice ~ run the pipeline first
action run.start
until documents.0.table.shown == 4
settle
action panel.why
wait 3
# One where the click is; where there is none, why.
key Shift+i
wait 2
click image 60.6 119.7
wait 2
settle
wait 3
expect documents.0.table.shown == 5
expect documents.0.origins.added == 1
expect documents.0.selected.length == 1
screenshot added.png
click image 100 40
wait 2
settle
wait 3
expect notice ~ Not added
expect documents.0.table.shown == 5
expect documents.0.hand_fits.length == 1
key Esc
wait 2
# Two rows of an island become one, and two again.
click sources.row.0
wait 2
click sources.row.2 ctrl
wait 2
key Shift+j
wait 2
expect notice ~ different islands
shown status.notice
click sources.row.0
wait 2
click sources.row.1 ctrl
wait 2
key Shift+j
wait 2
settle
wait 3
expect documents.0.table.shown == 4
expect documents.0.origins.merged == 1
# What was refused before is told no more.
hidden status.notice
screenshot merged.png
key Shift+k
wait 2
settle
wait 3
expect documents.0.table.shown == 5
expect documents.0.origins.split == 2
expect documents.0.result.sources == 5
screenshot split.png
# A point source is no two.
click image 120 60
wait 2
key Shift+k
wait 2
settle
wait 3
expect notice ~ Not split
expect documents.0.hand_fits.length == 3
# A fit from another place ends where the source is.
click image 121 121
wait 2
key Shift+v
wait 2
click image 123 120
wait 2
settle
wait 3
expect documents.0.origins.moved == 1
expect documents.0.hand_fits.length == 4
screenshot moved.png
# Each is one step back, and one forth.
key Ctrl+z
wait 2
settle
wait 3
expect documents.0.hand_fits.length == 3
expect documents.0.origins.found == 2
key Ctrl+z
wait 2
settle
wait 3
expect documents.0.origins.merged == 1
expect documents.0.table.shown == 4
key Ctrl+Shift+z
wait 2
settle
wait 3
key Ctrl+Shift+z
wait 2
settle
wait 3
expect documents.0.origins.split == 2
expect documents.0.origins.moved == 1
# The finder runs again, at another threshold: all of it stands.
move canvas
wheel 3 canvas ctrl
wait 4
action run.start
wait 2
settle
wait 5
expect documents.0.table.shown == 5
expect documents.0.origins.added == 1
expect documents.0.origins.split == 2
expect documents.0.origins.moved == 1
# A locked row stays as it is.
click image 120 60
wait 2
click why.source.lock
wait 2
key Shift+k
wait 2
expect notice ~ is locked
click sources.export
wait 2
key Ctrl+a
type edited.csv
click sources.export.write
wait 2
expect notice ~ rows written
STEPS
session_saved one.reber.json >> first.steps
play first.steps
cat > second.steps << 'STEPS'
open one.reber.json
settle
until documents.0.table.shown == 5
settle
wait 5
expect documents.0.hand_fits.length == 4
expect documents.0.origins.added == 1
expect documents.0.origins.split == 2
expect documents.0.origins.moved == 1
expect documents.0.origins.found == 1
STEPS
play second.steps
[ "$(wc -l < edited.csv)" = 6 ]
for origin in found added moved; do [ "$(grep -c "\"$origin\"" edited.csv)" = 1 ]; done
[ "$(grep -c '"split"' edited.csv)" = 2 ]
# Fluxes of the pair, 60 and 45 mJy, within a tenth, and of the one below the threshold, 4.6, within 3 sigma.
python3 - << 'CHECK'
import csv
rows = list(csv.DictReader(line for line in open("edited.csv") if not line.startswith("#")))
split = sorted(float(row["Peak_flux"]) for row in rows if row["Origin"] == "split")
assert abs(split[0] / 0.045 - 1) <= 0.1 and abs(split[1] / 0.060 - 1) <= 0.1, split
added = next(row for row in rows if row["Origin"] == "added")
assert abs(float(added["Peak_flux"]) - 0.0046) <= 3 * float(added["E_Peak_flux"]), added
CHECK
