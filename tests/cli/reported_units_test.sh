#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Units in any order, maps summed over a line, temperatures. Inputs are read from the folder of test data.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

reported=$data/reported
if [ ! -d "$reported/02_moment0_unit" ]; then
  echo "no folder 'reported' in the test data: units not measured"
  finish
fi
for image in "$reported"/01_bunit_beam-1_jy/u_*.fits "$reported"/02_moment0_unit/m0_[abcd].fits; do
  name=$(basename "$image" .fits)
  run find "$image" -o "$name.csv" --backend cpu
  expect_status 0
  run convolve "$image" "c_$name.fits" --to-beam 14,12,0 --backend cpu
  expect_status 0
  expect_in out "factor 2.1"
done
run find "$reported/02_moment0_unit/m0_k.fits" -o m0_k.csv --backend cpu
expect_status 0
expect_in err "no total fluxes: 'K km/s' is a temperature summed over a line"
run info "$reported/02_moment0_unit/m0_a.fits"
expect_in out "Jy/beam km/s"
expect_not_in out "not a unit"
run convolve "$reported/40_eht_jy_per_pixel/ring.fits" ring.fits --to-beam 20e-6,20e-6,0 --backend cpu
expect_status 0
expect_in out "Jy/beam"
run find ring.fits -o ring.csv --backend cpu
for name in 3 6 7; do
  run find "$reported/51_pixel_scale_of_vlbi/px_$name.fits" -o "px_$name.csv" --backend cpu
  expect_status 0
done
for kind in csv reg crtf ann; do
  run find "$reported/20_microarcsecond/uas.fits" -o "uas.$kind" --backend cpu
  expect_status 0
  expect_in out "187.705930403835"
  grep -q "187.7059304038" "uas.$kind" || report "too few decimals in uas.$kind"
done
what="totals and their units"
checks=$((checks + 1))
python3 - <<'PY' >out 2>err || report "a total or its unit is wrong"
import csv, glob, math
def rows(name):
    return list(csv.DictReader(line for line in open(name) if line[0] != "#"))
for name in sorted(glob.glob("u_*.csv")):
    totals = sorted(float(row["Total_flux"]) for row in rows(name))[-2:]
    assert abs(totals[1] - .501) < .002 and abs(totals[0] - .300) < .002, (name, totals)
for name in ("m0_a", "m0_b", "m0_c", "m0_d"):
    assert all(math.isfinite(float(row["Total_flux"])) for row in rows(name + ".csv")), name
for name in ("px_3", "px_6", "px_7"):
    totals = [float(row["Total_flux"]) for row in rows(name + ".csv")]
    assert len(totals) == 1 and abs(totals[0] - 1.0001) < 1e-4, (name, totals)
head = open("ring.fits", "rb").read(14400).decode("ascii", "replace")
assert "BUNIT   = 'Jy/beam" in head and "BMAJ    =" in head, head
assert all(math.isnan(float(r["Total_flux"] or "nan")) for r in rows("m0_k.csv"))
PY
finish
