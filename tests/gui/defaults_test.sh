#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The panel's first run finds what the command line finds, measured the same way.
#   defaults_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$reber" find "$data/galactic_plane_150mhz.fits" --backend cpu -q -o line.csv --json line.json
sources=$(grep -c '^[^#]' line.csv)
sources=$((sources - 1)) # the line of names
[ "$sources" -gt 50 ]
cat > steps << STEPS
open $data/galactic_plane_150mhz.fits
settle
expect documents.0.request.detect.measure == auto
expect documents.0.request.background.passes == 2
click pipeline.run
until documents.0.result.sources > 0
settle
expect documents.0.result.fitted > 0
expect documents.0.result.sources == $sources
STEPS
exec xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --script steps
