#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber measure: fluxes at the true places of a simulated sky with pulls near 1 and a mean ratio near 1, flags for what
# cannot be measured, the same answer for any number of threads.
source "$(dirname "$0")/harness.sh"

run simulate sky.fits --truth truth.csv --size 1536 --sources 500 --extended 0 --seed 5
expect_status 0
run measure sky.fits --at truth.csv -o forced.csv forced.fits forced.vot --json forced.json
expect_status 0
expect_in out "upper limits" "wrote forced.fits"
expect_file forced.csv forced.fits forced.vot
expect_json forced.json "d['sources'] == 500 and d['measured'] >= 490 and d['upper_limits'] > 10"
run measure sky.fits --at truth.csv -o free.csv --free position --threads 2
expect_status 0
run measure sky.fits --at truth.csv -o free1.csv --free position --threads 1
expect_same free.csv free1.csv
run measure sky.fits --at truth.csv -o one.csv --threads 1
expect_same forced.csv one.csv

for file in forced.csv free.csv; do
  what="fluxes of $file against the truth"
  checks=$((checks + 1))
  python3 - "$file" <<'PY' >out 2>err || report "pulls or ratio out of bounds"
import csv, math, statistics, sys
truth = list(csv.DictReader(open("truth.csv")))
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == len(truth)
pulls, ratios, moved = [], [], []
for t, r in zip(truth, rows):
    flux, error, true = float(r["Total_flux"]), float(r["E_Total_flux"]), float(t["Total_flux"])
    if not math.isfinite(flux) or int(r["Flag"]) & 3:
        continue
    if sys.argv[1] == "free.csv" and int(r["Flag"]) & 128:
        continue
    pulls.append((flux - true) / error)
    if float(t["snr"]) > 20:
        ratios.append(flux / true)
    if math.isfinite(float(r["E_DEC"])):
        moved.append((float(r["DEC"]) - float(t["DEC"])) / float(r["E_DEC"]))
scatter = 1.4826 * statistics.median(abs(p - statistics.median(pulls)) for p in pulls)
print(f"{len(pulls)} pulls, scatter {scatter:.3f}, mean {statistics.mean(pulls):+.3f}; ratio {statistics.median(ratios):.4f}")
assert 0.85 <= scatter <= 1.15, scatter  # 500 pulls: +-0.05
assert abs(statistics.median(ratios) - 1) < 0.01
if sys.argv[1] == "free.csv":
    spread = 1.4826 * statistics.median(abs(m) for m in moved)
    print(f"positions: {len(moved)} pulls, scatter {spread:.3f}")
    assert 0.8 <= spread <= 1.2
PY
  cat out
done

cat >odd.csv <<'CSV'
name,ra,dec
centre,180.0,-30.0
far,10,10
none,,
CSV
run measure sky.fits --at odd.csv -o odd_out.csv
expect_status 0
expect_in out "1 off the image" "1 without a position"
what="rows of the result"
checks=$((checks + 1))
[ "$(wc -l <odd_out.csv)" -eq 4 ] || report "expected every row of the list in the result"

run measure sky.fits --at truth.csv --free shape
expect_status 2
expect_in err shape
printf 'a,b\n1,2\n' >nothing.csv
run measure sky.fits --at nothing.csv
expect_status 2
expect_in err "no columns of positions"
run measure sky.fits
expect_status 2
expect_in err "--at"
finish
