#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What is kept comes back: a session in a second window, regions in a file, the view as a picture; two different images
# are held against each other.
#   keep_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# SCRIPT [WIDTH HEIGHT]
play() {
  local width=${2:-1280} height=${3:-800}
  xvfb-run -a -s "-screen 0 ${width}x${height}x24 -noreset" "$view" --backend cpu --scale 1 --width "$width" --height "$height" --script "$1"
}

cp "$data/galactic_plane_150mhz.fits" sky.fits
cat > first.steps << 'STEPS'
open sky.fits
settle
click pipeline.run
until documents.0.result.sources > 50
settle
click panel.sources
wait 2
click sources.filter
wait 2
type SNR > 10
wait 3
click sources.row.1
wait 2
key x
wait 2
action map.viridis
action stretch.sqrt
key 2
wait 2
key m
wait 2
key [
drag splitter.column to canvas 0.85 0.5
wait 2
action panel.contours
action overlay.contours
action panel.regions
wait 2
click panel.regions
wait 2
click regions.tool.Ellipse
wait 2
drag canvas 0.3 0.3 to canvas 0.5 0.5
wait 3
expect documents.0.regions == 1
click regions.file
wait 2
type out.reg
click regions.write
wait 2
expect notice ~ 1 region written
click regions.read
wait 2
expect documents.0.regions == 2
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type one.reber.json
click session.save
wait 2
expect notice ~ Session saved
key Ctrl+e
wait 3
click export.path
wait 2
key Ctrl+a
type view.png
click export.axes
wait 2
drag export.scale 0.5 0.5 to export.scale 0.0 0.5
wait 2
shown export.write
click export.write
wait 2
hidden export.write
settle
compare view.png
wait 2
dump first.json
STEPS
play first.steps
[ -s out.reg ] && [ -s one.reber.json ] && [ -s view.png ]

# So many contours that 16 bits do not count their points: what is drawn after them is in the file all the same. In a
# small window it is a large part.
cat > many.steps << 'STEPS'
open sky.fits
settle
action panel.pipeline
action panel.display
action panel.contours
action overlay.contours
wait 2
drag contours.first 0.3 0.5 to contours.first 0.0 0.5
wait 2
drag contours.count 0.5 0.5 to contours.count 1.0 0.5
wait 2
key h
wait 3
key 1
settle
key Ctrl+e
wait 3
click export.path
wait 2
key Ctrl+a
type many.png
click export.axes
wait 2
drag export.scale 0.5 0.5 to export.scale 0.0 0.5
wait 2
click export.write
wait 2
hidden export.write
settle
compare many.png
STEPS
play many.steps 640 480

# A second window: the same session, saved again, is the same file.
cat > second.steps << 'STEPS'
open one.reber.json
wait 2
settle
until documents.0.result.sources > 50
settle
wait 3
expect documents.0.render.map == viridis
expect documents.0.view.flip_x == true
expect documents.0.bookmarks == 1
expect documents.0.regions == 2
expect documents.0.flagged.length == 1
expect documents.0.selected.length == 1
expect documents.0.table.filter == SNR > 10
expect overlays.contours == true
expect panels.contours == true
expect sizes.column > 400
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type two.reber.json
click session.save
wait 2
STEPS
play second.steps
cmp one.reber.json two.reber.json

# Two images of one sky: blink shows one and the other, split both, and both are drawn with their overlays.
"$reber" convolve sky.fits smooth.fits --kernel gaussian:12 --backend cpu -q
cat > compare.steps << 'STEPS'
open smooth.fits
settle
open sky.fits
settle
click pipeline.run
until documents.1.result.sources > 50
settle
screenshot single.png
key Shift+s
settle
expect compare == split
drag canvas 0.5 0.9 to canvas 0.3 0.9
settle
screenshot split.png
key b
settle
expect compare == blink
until compare_shown == first
until compare_shown == other
wait 1
screenshot other.png
until compare_shown == first
wait 1
screenshot first.png
key b
wait 2
expect compare == off
# Beside each other: the right half is zoomed and read like the left one.
key Shift+b
settle
expect compare == side by side
wheel 9 canvas2 0.5 0.5
settle
expect documents.1.view.zoom > 1
move canvas2 0.5 0.5
wait 3
expect cursor.on_image == true
drag canvas2 0.5 0.5 to canvas2 0.7 0.5
wait 3
settle
screenshot beside.png
key Shift+b
wait 2
STEPS
play compare.steps
differ() { if cmp -s "$1" "$2"; then echo "$1 and $2 are the same picture" >&2; exit 1; fi; }
for picture in split other beside; do differ single.png "$picture.png"; done
differ other.png first.png
