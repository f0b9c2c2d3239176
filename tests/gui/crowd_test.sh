#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Of a crowded field the image is seen between its ellipses, and the ellipses are: of the pixels of the image, with islands
# hidden, a tenth to some two fifths differ from the view without them.
#   crowd_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
tools=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$reber" simulate crowd.fits --size 1600 --sources 16000 --seed 4 --backend cpu -q
cat << STEPS > steps
open crowd.fits
settle
action map.grey
action overlay.islands
action run.start
until documents.0.result.sources > 1000
settle
screenshot with.png
wait 1
action overlay.sources
settle
screenshot without.png
wait 1
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
[ -z "${KEEP:-}" ] || cp ./*.png "$KEEP"
PYTHONPATH=$tools python3 - << 'PY'
from ellipses import read_png
rows = list(zip(read_png("with.png"), read_png("without.png")))
seen = [sum(a[3 * x:3 * x + 3] != b[3 * x:3 * x + 3] for a, b in rows[60:530]) for x in range(1280)]
image = [n for n in seen if n]
part = sum(image) / (470 * 470)
print(f"{part:.3f} of the image's pixels, in {len(image)} columns")
assert 460 < len(image) < 480, "the image is as large as the canvas is high"
assert 0.1 < part < 0.45, "ellipses cover the image, or cannot be seen"
PY
