#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the viewer's pictures of the README and of docs/viewer.md anew, on the real window under Xvfb.
#   docs/images/viewer_pictures.sh REBER REBER_VIEW FIELD.fits CATALOGUE.csv [NAME ...]
# FIELD: a real field, with a catalogue of it by another program; the pictures that are committed show the bubble S17 in the
# field SCORPIO, from the Compact Array, and Aegean's components. NAME: sources, plots, inspect, regions, match, prove,
# compare, open, tour (ten); all of them without one. Pictures are reduced to 255 colours where ImageMagick is installed.
set -euo pipefail
reber=$(realpath "$1") view=$(realpath "$2") field=$(realpath "$3") list=$(realpath "$4"); shift 4
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- sources plots inspect regions match prove compare open tour
work=/tmp/scorpio  # the file dialog shows it
mkdir "$work" || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$field" s17.fits
cp "$list" aegean.csv
"$reber" convolve s17.fits s17_smoothed.fits --kernel gaussian:12 --backend cpu -q

found='open s17.fits
settle
click pipeline.run
until documents.0.result.sources > 20
settle'

steps_of() {
  case $1 in
    sources) cat << STEPS ;;
$found
click sources.head.SNR
wait 3
click sources.head.SNR
wait 3
double sources.row.1
settle
key Ctrl+0
settle
STEPS
    plots) cat << STEPS ;;
$found
click panel.plots
wait 3
drag plots.histogram 0.6 0.2 to plots.histogram 0.9 0.8
wait 3
STEPS
    inspect) cat << STEPS ;;
open s17.fits
settle
key F2
settle
key Shift+p
wait 2
drag canvas 0.35 0.35 to canvas 0.6 0.7
settle
move canvas 0.55 0.5
wait 5
STEPS
    regions) cat << STEPS ;;
open s17.fits
settle
key F2
settle
key g
wait 2
click panel.regions
wait 2
click regions.tool.Ellipse
wait 2
drag canvas 0.45 0.4 to canvas 0.52 0.5
settle
click regions.tool.Box
wait 2
drag canvas 0.56 0.6 to canvas 0.64 0.75
settle
STEPS
    match) cat << STEPS ;;
$found
key F4
wait 3
open aegean.csv
settle
click panel.match
wait 3
drag splitter.strip to canvas 0.5 0.35
wait 2
click match.list.plots
wait 5
STEPS
    prove) cat << STEPS ;;
$found
key F4
wait 3
click panel.prove
wait 2
click prove.start
until bench.proof.checks > 5
settle
click prove.tab.checks
wait 3
STEPS
    compare) cat << STEPS ;;
$found
open s17_smoothed.fits
settle
key Ctrl+Shift+Tab
settle
key Shift+s
settle
drag canvas 0.5 0.9 to canvas 0.5 0.8
key F4
settle
STEPS
    open) cat << STEPS ;;
open s17.fits
settle
key Ctrl+o
wait 5
click open.file.s17.fits
settle
wait 5
STEPS
  esac
}

play() { # WIDTH HEIGHT: the steps in the file "steps"
  xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width "$1" --height "$2" --script steps
}
# COLOURS NAME
keep() {
  if convert -version 2> /dev/null | grep -q ImageMagick; then convert "$2" -dither None -colors "$1" "PNG8:$2"; fi
  cp "$2" "$here/"
}

for name in "$@"; do
  if [ "$name" = tour ]; then
    {
      echo "action panel.tour"
      for page in 01 02 03 04 05 06 07 08 09 10; do
        printf 'until bench.tour.page == %d\nuntil bench.tour.resting == true\nsettle\nscreenshot viewer_tour_%s.png\n' "$((10#$page))" $page
        printf 'wait 2\nclick tour.next\n'
      done
    } > steps
    play 960 640
    for picture in viewer_tour_*.png; do keep 64 "$picture"; done
    continue
  fi
  { steps_of "$name"; echo "screenshot viewer_$name.png"; } > steps
  play 1280 800
  keep 255 "viewer_$name.png"
done
