#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Marks of the sources by column: size and colour, a legend, undo, a session, a figure.
#   marks_test.sh REBER REBER_VIEW
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

python3 "$here/pair_sky.py" sky.fits
printf 'RA,DEC,Flux,Class\n187.5,12.0,1e-3,a\n187.52,12.01,1e-1,b\n187.48,11.99,,a\n' > other.csv
cat > first.steps << 'STEPS'
open sky.fits
settle
action panel.inks
wait 3
action panel.display
action panel.pipeline
wait 3
action run.start
until documents.0.result.sources == 4
settle
wait 3
click marks.size
wait 3
click marks.size.Total_flux
wait 3
expect documents.0.marks.size.column == Total_flux
click marks.colour
wait 3
click marks.colour.Peak_flux
wait 3
expect documents.0.marks.colour.column == Peak_flux
expect documents.0.result.stale == false
screenshot marks.png
move overlay.marks
wait 2
# Each is one step back.
key Ctrl+z
wait 3
expect documents.0.marks.colour.column != Peak_flux
key Ctrl+Shift+z
wait 3
expect documents.0.marks.colour.column == Peak_flux
click marks.size.scaling
wait 3
click marks.size.scaling.log
wait 3
expect documents.0.marks.size.scaling == log
click marks.size.high
wait 2
key Ctrl+a
type 0.05
key Enter
wait 3
expect documents.0.marks.size.limits.1 == 0.05
open other.csv
settle
wait 3
click marks.of
wait 3
click marks.of.1
wait 3
click marks.colour
wait 3
click marks.colour.Flux
wait 3
expect bench.marks.0.colour.column == Flux
key Ctrl+z
wait 3
expect bench.marks.0.colour.column != Flux
expect documents.0.marks.size.limits.1 == 0.05
key Ctrl+Shift+z
wait 3
expect bench.marks.0.colour.column == Flux
move overlay.marks.0
action window.theme
wait 5
screenshot marks_light.png
STEPS
session_saved one.reber.json >> first.steps
play first.steps
cat > second.steps << 'STEPS'
open one.reber.json
settle
until documents.0.result.sources == 4
settle
expect documents.0.marks.colour.column == Peak_flux
expect documents.0.marks.size.limits.1 == 0.05
expect documents.0.marks.size.column == Total_flux
expect bench.marks.0.colour.column == Flux
wait 3
move overlay.marks.0
move overlay.marks
STEPS
play second.steps
