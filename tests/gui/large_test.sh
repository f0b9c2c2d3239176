#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An image that stays in its file is drawn as one in memory is, its levels are kept, and its statistics are first those
# of some rows, then of all.
#   large_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2 side=6000
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$reber" simulate sky.fits --backend cpu -q --size $side --sources 40 --extended 0 --rms 100 --beam 5,5,0 --seed 11
play() { # NAME OPTION...
  local name=$1
  shift
  xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$name.steps" "$@"
}
look() { # FOLDER: pictures at three zooms
  mkdir -p "$1"
  for zoom in whole closer close; do
    printf '%s\n' "wait 3" settle "screenshot $1/$zoom.png" "action view.zoom_in" "action view.zoom_in"
  done
}
begin='open sky.fits
wait 2
move canvas
until documents.0.loading == false
settle
expect documents.0.row_step == 1
hidden canvas.preview'
{ echo "$begin"; look memory; } > memory.steps
{ echo "$begin"; look file; } > file.steps
play memory --cache off
play file --image-memory 1 --cache cache
python3 - "$root" << 'SAME'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/gui")
from ellipses import read_png
for zoom in ("whole", "closer", "close"):
    one, other = read_png(f"memory/{zoom}.png"), read_png(f"file/{zoom}.png")
    for y in range(60, 760):  # the canvas, below the bar with the file's name
        assert one[y][:3 * 930] == other[y][:3 * 930], (zoom, y)
SAME
[ "$(ls cache | wc -l)" = 1 ]
made=$(head -c 60 cache/*)
cat > again.steps << STEPS
$begin
expect documents.0.render.low < 0
action panel.statistics
wait 5
settle
shown statistics.all_pixels
click statistics.all_pixels
wait 2
settle
wait 3
hidden statistics.all_pixels
shown statistics.histogram
STEPS
play again --image-memory 1 --cache cache
[ "$(head -c 60 cache/*)" = "$made" ]
touch -d 2001-01-01 sky.fits
play file --image-memory 1 --cache cache
[ "$(ls cache | wc -l)" = 1 ]
[ "$(head -c 60 cache/* | cut -d' ' -f 5)" = "$(date -d 2001-01-01 +%s).000000000" ]
echo large
