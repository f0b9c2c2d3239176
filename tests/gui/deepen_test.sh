#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The panel tells the threshold of a crowded field that is searched deeper than its slider says, and tells none once the
# slider is moved.
#   deepen_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$reber" simulate crowd.fits --size 640 --pixel 4 --sources 3400 --extended 0 --rms-rise 0 --backend cpu -q
cat << STEPS > steps
open crowd.fits
settle
click pipeline.run
until documents.0.result.sources > 1000
settle
shown pipeline.threshold
screenshot told.png
click pipeline.seed 0.5 0.5
settle
click pipeline.run
settle
hidden pipeline.threshold
STEPS
xvfb-run -a -s "-screen 0 1280x1000x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 1000 --script steps
[ -z "${KEEP:-}" ] || cp ./*.png "$KEEP"
