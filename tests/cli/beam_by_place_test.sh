#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Points with a beam constant on the sky, from Dec -10 to +80 in CAR: right fluxes and sizes, as --beam-is says.
source "$(dirname "$0")/harness.sh"
reported=$data/reported
if [ ! -e "$reported/33_car_high_latitude/wide_beam.fits" ]; then
  echo "no REBER_TEST_DATA: beams by place are not tested"
  exit 0
fi

# CATALOGUE TOTAL PART: every total is TOTAL within PART of it, and no source is resolved.
expect_totals() {
  checks=$((checks + 1))
  python3 - "$@" <<'PY' || report "expected totals of $2 within $3 in $1, unresolved"
import csv, sys
name, total, part = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
with open(name) as file:
    rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
bad = [r["Total_flux"] for r in rows if not abs(float(r["Total_flux"]) / total - 1) <= part or int(r["Resolved"])]
print(len(rows), "rows, wrong:", bad)
sys.exit(0 if len(rows) >= 1 and not bad else 1)
PY
}

for name in wide_beam wide_sr car_beam car_sr; do
  run find "$reported/33_car_high_latitude/$name.fits" -o "$name.csv" --backend cpu
  expect_status 0
  expect_totals "$name.csv" 2.0 0.004
done
run find "$reported/62_car_wide/car_dec55.fits" -o dec55.csv --backend cpu
expect_totals dec55.csv 0.1 0.03
run find "$reported/33_car_high_latitude/wide_beam.fits" -o pixels.csv -v --backend cpu --beam-is pixels
expect_in out 'constant in pixels'
run find "$reported/33_car_high_latitude/wide_beam.fits" -o sky.csv --backend cpu --beam-is sky
expect_same sky.csv wide_beam.csv
run convolve "$reported/33_car_high_latitude/wide_beam.fits" smooth.fits --backend cpu --to-beam 10000
expect_in err 'one kernel in pixels'

finish
