#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The score on two simulated skies of 4096 x 4096 pixels: completeness, reliability, fluxes, positions and pulls against the
# targets, three standard errors allowed for so small a sample. Skipped (77) without Python and NumPy.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy
python3 "$source_folder/bench/science.py" --reber "$reber" --seeds 2 --allow 3
