#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What is opened: outputs follow no link, inputs are regular files with an end, whichever option names them.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu -q)
run simulate sky.fits --size 200 --sources 10 --seed 3 "${cpu[@]}"
expect_status 0
run find sky.fits -o list.csv "${cpu[@]}"
expect_status 0
run mask sky.fits --threshold 5 -o mask.fits "${cpu[@]}"
expect_status 0
cp sky.fits before.fits

# Records that are a link to the image, or to nothing.
link() {  # HOW...
  rm -rf o && mkdir o && "$@"
  run run sky.fits -o o "${cpu[@]}"
  expect_status 3
  expect_in err batch.jsonl
  expect_same sky.fits before.fits
}
link ln -s ../sky.fits o/batch.jsonl
link ln sky.fits o/batch.jsonl
link ln -s nowhere o/batch.jsonl
expect_no_file o/nowhere
# Two processes that talk through a folder of links.
mkdir talk
for name in hello alive; do for who in 0 1; do ln -s ../sky.fits "talk/$name.$who" && ln -s ../sky.fits "talk/$name.$who.new"; done; done
"$reber" find sky.fits --share talk --rank 1/2 -o shared1.csv "${cpu[@]}" >out1 2>err1 &
run find sky.fits --share talk --rank 0/2 -o shared.csv "${cpu[@]}"
wait $!
expect_same sky.fits before.fits

# Inputs without an end, or that nobody writes.
mkfifo pipe
refuse() {  # STATUS FILE WORDS...
  local wanted=$1 file=$2
  shift 2
  status=0
  what="reber $*"
  case $1 in match | send) ;; *) set -- "$@" "${cpu[@]}" ;; esac
  (ulimit -v 4000000; exec timeout 20 "$reber" "$@") >out 2>err </dev/null || status=$?
  expect_status "$wanted"
  expect_in err "$file" "regular file is wanted"
}
for file in pipe /dev/zero /proc/self/environ /proc/kallsyms; do
  refuse 3 $file info $file
  refuse 3 $file find sky.fits -o o.csv --search-region $file
  refuse 3 $file find sky.fits -o o.csv --search-mask $file
  refuse 3 $file mask mask.fits -o o.fits --inside $file
  refuse 3 $file match list.csv $file --radius 5
  refuse 3 $file measure sky.fits --at $file -o o.csv
  refuse 2 $file find sky.fits -o o.csv --config $file
  refuse 3 $file send $file
  ln -sf $file hub
  SAMP_HUB=std-lockurl:file://$PWD/hub refuse 3 hub send sky.fits
done
for file in /dev/zero /proc/self/environ; do refuse 3 $file run @$file -o o; done
finish
