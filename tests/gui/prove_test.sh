#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two backends held against each other in the window: the panel begins with the one at work, every bound holds, and the
# difference of their maps can be looked at.
#   prove_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$reber" simulate sky.fits --backend cpu -q --size 256 --sources 40 --extended 2 --seed 4
cat > steps << 'STEPS'
open sky.fits
settle
key Enter
until documents.0.result.sources > 5
settle
key F4
wait 3
click panel.prove
wait 2
click prove.start
until bench.proof.checks > 5
wait 3
settle
expect bench.proof.passed == true
click prove.snr.difference
wait 2
settle
expect documents.length == 2
expect compare == side by side
# Two maps beside each other are drawn alike, or they would look different where they are the same.
click prove.mean.split
wait 2
settle
expect documents.0.layer == Background
expect documents.1.layer == Background
dump maps.json
click prove.tab.checks
wait 2
click prove.tab.sources
wait 2
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
for limit in low high; do
  [ "$(grep -c "\"$limit\":" maps.json)" -ge 2 ]
  [ "$(grep "\"$limit\":" maps.json | sort -u | wc -l)" = 1 ] || { grep "\"$limit\":" maps.json; exit 1; }
done
