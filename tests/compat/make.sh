#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes what later versions have to read: make.sh REBER FOLDER [VIEWER]. Run once for each major version, with its release.
# VIEWER: reber-view, whose session of that image is kept as well (xvfb-run is needed).
set -euo pipefail
reber=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
viewer=${3:+$(realpath "$3")}
mkdir -p "$2"
cd "$2"
"$reber" simulate field.fits --size 96 --sources 9 --extended 3 --seed 4 --truth truth.csv --quiet
"$reber" find field.fits --backend cpu --quiet -o catalogue.csv catalogue.fits catalogue.vot catalogue.ecsv catalogue.srl \
  catalogue.gaul catalogue.skymodel catalogue.reg catalogue.crtf --mesh-maps --write-mean mean.fits --write-rms rms.fits
mkdir -p batch
"$reber" run field.fits --backend cpu --quiet -o batch --products csv
sed -i "s|\"$PWD/|\"|" batch/field.toml batch/batch.jsonl  # the folder may be anywhere
if [ -n "$viewer" ]; then
  cat > save.steps << 'STEPS'
open field.fits
settle
key Enter
settle
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type session.reber.json
click session.save
wait 2
expect notice ~ Session saved
STEPS
  LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -a "$viewer" --backend cpu --no-settings --width 1280 --height 800 --script save.steps
  rm save.steps
  sed -i "s|\"$PWD/|\"|" session.reber.json
fi
python3 "$root/tests/support/check_promises.py" "$reber" "$root" --write promises.json
