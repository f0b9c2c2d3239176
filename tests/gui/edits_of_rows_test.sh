#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Rows removed, locked and commented by hand: taken back and done again, kept when the finder runs again and in a
# session, and written with a column Origin.
#   edits_of_rows_test.sh REBER REBER_VIEW
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

cp "$data/galactic_plane_150mhz.fits" sky.fits
cat > first.steps << 'STEPS'
open sky.fits
settle
key F3
wait 2
action panel.display
wait 2
action run.start
until documents.0.result.sources > 50
settle
action panel.why
wait 3
click panel.sources
wait 3
click sources.head.SNR
wait 2
click sources.head.SNR
wait 2
# Nothing was edited: no column of it.
click sources.export
wait 2
key Ctrl+a
type plain.csv
click sources.export.write
wait 2
click sources.row.0
wait 3
screenshot chosen.png
click why.comment
wait 2
type the brightest
wait 2
click why.source.lock
wait 2
expect documents.0.edits.0.comment == the brightest
expect documents.0.edits.0.locked == true
click why.source.remove
wait 2
expect notice ~ locked
expect documents.0.edits.length == 1
click sources.row.2
click sources.row.1 ctrl
wait 2
key Shift+x
wait 3
expect documents.0.edits.length == 3
expect documents.0.selected.length == 1
screenshot removed.png
key Ctrl+z
wait 3
expect documents.0.edits.length == 1
key Ctrl+Shift+z
wait 3
expect documents.0.edits.length == 3
# The finder runs again, with other parameters: the same places.
move canvas
wheel -5 canvas ctrl
wait 2
wait 2
action run.start
settle
wait 5
expect documents.0.edits.length == 3
click sources.row.0
wait 2
screenshot again.png
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
until documents.0.result.sources > 50
settle
wait 5
expect documents.0.edits.length == 3
expect documents.0.edits.0.comment == the brightest
action source.restore
wait 3
expect documents.0.edits.length == 1
key Ctrl+z
wait 3
expect documents.0.edits.length == 3
STEPS
play second.steps
if grep -q Origin plain.csv; then echo "a column of edits without edits"; exit 1; fi
head -1 edited.csv | grep -q Origin
[ "$(grep -c '"found"' edited.csv)" = "$(($(wc -l < edited.csv) - 1))" ]
[ "$(wc -l < edited.csv)" -gt 50 ]
[ "$(grep -c '"the brightest"' edited.csv)" = 1 ]
