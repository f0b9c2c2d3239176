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

# A thousand rows at, in a row beside and in a ring around one source share its flux; every other row keeps its own.
python3 - <<'PY' || report "no lists of crowds"
import csv, math
head = open("sky.fits", "rb").read(28800).decode("ascii", "replace")
step = float(next(head[i:i + 80] for i in range(0, len(head), 80) if head[i:i + 6] == "CDELT2").split("=")[1].split("/")[0])
rows = [(float(r["RA"]), float(r["DEC"])) for r in csv.DictReader(open("truth.csv")) if float(r["snr"]) > 50]
def write(name, more):
    with open(name, "w") as out:
        out.write("ra,dec\n" + "".join(f"{a:.12f},{d:.12f}\n" for a, d in rows + more))
ra, dec = rows[0]
write("alone.csv", [])
write("same.csv", [rows[0]] * 1000)
write("chain.csv", [(ra, dec + i * 5e-4 * step) for i in range(-200, 200)])
write("ring.csv", [(ra + .05 * step * math.cos(i / 159) / math.cos(math.radians(dec)), dec + .05 * step * math.sin(i / 159)) for i in range(1000)])
PY
run measure sky.fits --at alone.csv -o alone_out.csv
for crowd in same chain ring; do
  run measure sky.fits --at $crowd.csv -o ${crowd}_out.csv
  expect_status 0
  checks=$((checks + 1))
  python3 - $crowd <<'PY' >out 2>err || report "rows of one place, $crowd: $(cat err)"
import csv, math, sys
alone = list(csv.DictReader(open("alone_out.csv")))
rows = list(csv.DictReader(open(sys.argv[1] + "_out.csv")))
flux = lambda row: float(row["Total_flux"])
assert not [row for row in rows if math.isnan(flux(row)) and row["Flag"] == "0"]
assert all(float(row["E_Total_flux"]) > 0 for row in rows if not math.isnan(flux(row)))
parts = [rows[0]] + rows[len(alone):]
assert all(int(row["Flag"]) & 256 for row in parts), [row["Flag"] for row in parts][:9]
total = sum(flux(row) for row in parts)
assert abs(total / flux(alone[0]) - 1) < .02, (total, flux(alone[0]))
for row, before in zip(rows[1:len(alone)], alone[1:]):
    assert abs(flux(row) - flux(before)) <= 1e-3 * abs(flux(before)), (row, before)
PY
done
finish
