#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A single pixel of 5 sigma is seen at fit zoom of a large image: measured on the screen.
#   faint_pixel_test.sh REBER REBER_VIEW [SIDE]
# By itself 4096 x 4096 pixels at 1/32, the level of 16384 x 16384 in a window of 512; SIDE 16384 takes it whole.
set -euo pipefail
reber=$1 view=$2 side=${3:-4096}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# White noise of 1 Jy: a beam of a quarter of a pixel.
"$reber" simulate sky.fits --backend cpu -q --size "$side" --sources 0 --extended 0 --rms 1e6 --rms-rise 0 --beam 0.5,0.5,0 --seed 11
data=$((4 * side * side))
start=$(($(stat -c %s sky.fits) - (data + 2879) / 2880 * 2880))
put() { # x y: exactly 5.0, big-endian
  printf '\x40\xa0\x00\x00' | dd of=sky.fits bs=1 seek=$((start + 4 * ($2 * side + $1))) conv=notrunc status=none
}
places=$(for part in 2 3 4 5 6; do echo $((side * part / 8 + 17)) $((side * (8 - part) / 8 + 5)); done)
while read -r x y; do put "$x" "$y"; done <<< "$places"
{
  echo "open $folder/sky.fits"
  echo "wait 2"
  echo "move canvas"
  echo settle
  for overlay in compass colour_bar scale_bar beam; do echo "action overlay.$overlay"; done
  if [ "$side" -lt 16384 ]; then
    echo "key 1"
    for i in 1 2 3 4 5; do echo "action view.zoom_out"; done
  fi
  echo "wait 3"
  echo settle
  [ -z "${SCREENSHOT:-}" ] || echo "screenshot $SCREENSHOT"
  while read -r x y; do echo "contrast image $x $y >= 8"; echo "wait 1"; done <<< "$places"
  # By the means alone it drowns, by the peaks alone it hardly stands out of the noise's own: the test can fail.
  echo "action image.zoomed_out"
  echo settle
  read -r x y <<< "$places"
  echo "contrast image $x $y < 5"
  echo "wait 1"
} > steps
cat steps
exec xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
