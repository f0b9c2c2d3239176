#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Values told in another unit: colour bar, limits and readout follow, pixels and measurements do not; refused with the
# reason; undo and sessions keep it.
#   units_test.sh REBER REBER_VIEW
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
at() { python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))["documents"][0]
for name in sys.argv[2].split("."): value = value[name]
print(value)' "$1" "$2"; }

python3 "$here/pair_sky.py" plain.fits
python3 "$here/pair_sky.py" sky.fits 1.4e9
cat > plain.steps << 'STEPS'
open plain.fits
settle
click display.unit
wait 3
screenshot offered.png
click display.unit.K
wait 3
expect notice ~ Not told in K: the header has no frequency
expect documents.0.unit.name == mJy/beam
STEPS
play plain.steps
cat > first.steps << 'STEPS'
open sky.fits
settle
action run.start
until documents.0.result.sources == 4
settle
dump before.json
click display.unit
wait 3
click display.unit.K
wait 3
expect documents.0.unit.name == K
expect documents.0.result.stale == false
move image 60 60
wait 3
screenshot kelvin.png
dump kelvin.json
# A limit is typed in the unit that is told.
click display.high
wait 2
key Ctrl+a
type 100
key Enter
wait 3
dump limit.json
key Ctrl+z
wait 3
key Ctrl+z
wait 3
expect documents.0.unit.name == mJy/beam
key Ctrl+Shift+z
wait 3
expect documents.0.unit.chosen == K
action window.theme
wait 3
click display.unit
wait 3
screenshot light.png
click display.unit.MJy/sr
wait 3
expect documents.0.unit.name == MJy/sr
expect documents.0.table.shown == 4
STEPS
session_saved one.reber.json >> first.steps
play first.steps
# A beam of 12 arcsec at 1.4 GHz, by the formula itself.
kelvin=$(at kelvin.json unit.factor)
python3 - "$kelvin" "$(at limit.json render.high)" "$(at before.json render.high)" "$(at kelvin.json render.high)" << 'CHECK'
import math
import sys
kelvin, typed, before, after = map(float, sys.argv[1:])
wavelength, beam = 299792458 / 1.4e9, math.pi * math.radians(12 / 3600) ** 2 / (4 * math.log(2))
known = 1e-26 * wavelength**2 / (2 * 1.380649e-23 * beam)
assert abs(kelvin / known - 1) <= 1e-9, (kelvin, known)
assert abs(typed * kelvin / 100 - 1) <= 1e-6, typed
assert before == after
CHECK
cat > second.steps << 'STEPS'
open one.reber.json
settle
until documents.0.result.sources == 4
expect documents.0.unit.name == MJy/sr
STEPS
play second.steps
