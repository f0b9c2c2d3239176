#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Pictures and plots are drawn by a module that is opened when something is drawn: nothing else loads it, every kind of
# file is made by it, and without it, or without any font, the rest goes on.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

cpu=(--backend cpu)
run simulate sky.fits --size 200 "${cpu[@]}"
libraries='libopencv|libcairo|libfontconfig|libfreetype|libreber_drawing'
loaded() {  # what a run of the program opens of these libraries
  what="libraries of $*"
  checks=$((checks + 1))
  LD_DEBUG=files LD_DEBUG_OUTPUT="$PWD/loaded" "$reber" "$@" >out 2>err || report "expected it to run"
  cat loaded.* | grep -E "$libraries" >opened
  rm -f loaded.*
}
loaded --version
expect_empty opened
loaded find sky.fits -o found.csv "${cpu[@]}"
expect_empty opened
loaded run sky.fits -o tables --products csv,rms "${cpu[@]}"
expect_empty opened
loaded run sky.fits -o all "${cpu[@]}"
expect_in opened libreber_drawing libopencv libcairo
expect_file all/sky.png all/sky.csv

begins() {  # FILE TEXT
  what="$1"
  checks=$((checks + 1))
  head -c 8 "$1" | grep -aq "$2" || report "expected it to begin with $2"
}
for ending in png pdf svg; do
  run spectrum sky.fits --plot "spectrum.$ending" "${cpu[@]}"
  expect_status 0
  run find sky.fits --extended "outlines.$ending" -o "again_$ending.csv" "${cpu[@]}"
  expect_status 0
done
begins spectrum.png PNG
begins spectrum.pdf '%PDF'
begins spectrum.svg '<?xml'
begins outlines.png PNG
begins outlines.pdf '%PDF'
begins outlines.svg '<?xml'

# Without any font: Cairo's own strokes, and the same layout to a few pixels.
echo '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>' >none.conf
FONTCONFIG_FILE=$PWD/none.conf run run sky.fits -o strokes --products picture "${cpu[@]}"
expect_status 0
begins strokes/sky.png PNG
what="letters without a font"
checks=$((checks + 1))
cmp -s all/sky.png strokes/sky.png && report "expected other letters"
size_of() { od -An -t u1 -j16 -N8 "$1" | awk '{print 256 * $3 + $4, 256 * $7 + $8}'; }
read -r width height < <(size_of all/sky.png)
read -r width2 height2 < <(size_of strokes/sky.png)
what="layout without a font"
checks=$((checks + 1))
[ "$height" = "$height2" ] && [ $((width - width2)) -lt 60 ] && [ $((width2 - width)) -lt 60 ] ||
  report "expected $width x $height, not $width2 x $height2"

# Without the module: what is asked for by name is refused at once, what nobody named is left out with a warning.
mkdir bin
cp "$reber" bin
reber=$PWD/bin/reber
run run sky.fits -o without "${cpu[@]}"
expect_status 0
expect_in err "no picture is written" libreber_drawing.so libcairo2 libopencv fonts-dejavu-core
expect_file without/sky.csv without/sky_rms.fits
expect_no_file without/sky.png
run run sky.fits -o named --products csv,picture "${cpu[@]}"
expect_status 2
expect_in err libreber_drawing.so libcairo2
expect_no_file named/sky.csv
run spectrum sky.fits --plot none.png "${cpu[@]}"
expect_status 2
expect_in err libreber_drawing.so
expect_no_file none.png
run find sky.fits -o more.csv "${cpu[@]}"
expect_status 0
# A module that cannot be loaded: what the loader says.
mkdir -p lib/reber
echo "no library" >lib/reber/libreber_drawing.so
run run sky.fits -o damaged "${cpu[@]}"
expect_status 0
expect_in err "no picture is written" "lib/reber/libreber_drawing.so"
expect_no_file damaged/sky.png

finish
