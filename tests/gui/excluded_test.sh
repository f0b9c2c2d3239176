#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Areas excluded on the image: the finder leaves them out, as the command does; undo and sessions keep them.
#   excluded_test.sh REBER REBER_VIEW
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

python3 "$here/pair_sky.py" sky.fits
cat > first.steps << 'STEPS'
open sky.fits
settle
action run.start
until documents.0.result.sources == 4
settle
key Ctrl+d
wait 3
click regions.tool.Box
wait 2
drag image 45 45 to image 82 75
wait 3
key Esc
wait 2
click regions.excluded
wait 3
expect documents.0.result.stale == false
action run.start
wait 2
settle
wait 3
expect documents.0.result.sources == 2
screenshot excluded.png
# What is excluded is taken back, and done again.
key Ctrl+z
wait 3
action run.start
wait 2
settle
wait 3
expect documents.0.result.sources == 4
key Ctrl+Shift+z
wait 3
action run.start
wait 2
settle
wait 3
expect documents.0.result.sources == 2
# Live, a region that is taken away counts at once.
action run.live
wait 2
settle
click image 45 60
wait 2
key Delete
wait 3
settle
wait 3
expect documents.0.result.sources == 4
key Ctrl+z
wait 3
settle
wait 3
expect documents.0.result.sources == 2
action run.copy_command
wait 2
dump state.json
STEPS
session_saved one.reber.json >> first.steps
play first.steps
cat > second.steps << 'STEPS'
open one.reber.json
settle
until documents.0.result.sources == 2
settle
expect documents.0.regions == 1
STEPS
play second.steps
# The command that the viewer copies finds the same rows.
command=$(python3 -c 'import json; print(json.load(open("state.json"))["notice"].split(": ", 1)[1])')
[[ $command == *"--search-region=image; -box("* ]] || { echo "copied: $command" >&2; exit 1; }
eval "\"$reber\" ${command#reber } --quiet"
rows=$(grep -vc '^#' sky_sources.csv)
[ "$rows" = 3 ] || { echo "the copied command found $((rows - 1)) sources, not 2" >&2; exit 1; }
