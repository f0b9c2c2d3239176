#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Source ellipses stand on the screen where the catalogue's positions on the sky are, with its sizes and angles: plain,
# rotated and mirrored images and one whose pixels are no squares, each as stored, and turned north up and mirrored.
#   ellipses_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
tool=$(cd "$(dirname "$0")" && pwd)/ellipses.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
images="plain rotated mirrored oblong"
bare="view.pixel_grid window.hide overlay.compass overlay.colour_bar overlay.scale_bar overlay.beam overlay.islands"
at=0
for name in $images; do
  python3 "$tool" make "$name"
  "$reber" find "$name.fits" -o "$name.csv" --backend cpu -q
  cat << STEPS
open $name.fits
settle
action map.grey
action run.start
until documents.$at.result.fitted >= 2
settle
STEPS
  if [ $at = 0 ]; then printf 'action %s\n' $bare; fi  # for all images
  for look in stored mirrored; do
    if [ $look = mirrored ]; then printf 'action view.%s\n' north_up flip_x; fi
    echo "action view.fit"
    echo "action view.zoom_8"
    echo "action view.zoom_in"
    echo "action view.zoom_in"
    echo "wait 3"
    echo settle
    echo "expect documents.$at.view.zoom > 31.9"
    echo "screenshot $name.$look.png"
    echo "wait 1"
  done
  at=$((at + 1))
done > steps
xvfb-run -a -s "-screen 0 800x800x24 -noreset" "$view" --backend cpu --scale 1 --width 800 --height 800 --script steps
[ -z "${KEEP:-}" ] || cp ./*.png ./*.csv ./*.fits "$KEEP"
status=0
for name in $images; do python3 "$tool" check "$name" "$name.csv" "$name".*.png || status=1; done
exit $status
