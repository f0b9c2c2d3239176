#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The score on two simulated skies of 4096 x 4096 pixels: completeness, reliability, fluxes, positions and pulls against the
# targets, three standard errors allowed for so small a sample. Skipped (77) without Python and NumPy.
set -u
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "skipped: no python3 with NumPy"; exit 77; }
"$python" "$2/bench/science.py" --reber "$1" --seeds 2 --allow 3
