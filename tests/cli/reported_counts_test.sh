#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Counts and lists that went wrong: more than 2^24 pixels of one value, places named twice. Inputs of the lists are read
# from the folder of test data.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy

cat >make.py <<'PY'
import numpy
def write(name, pixels):
    cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
             "NAXIS1  = %20d" % pixels.shape[1], "NAXIS2  = %20d" % pixels.shape[0], "END"]
    with open(name, "wb") as file:
        file.write("".join(card.ljust(80) for card in cards).encode().ljust(2880))
        pixels.astype(">f4").tofile(file)
        file.write(bytes(-file.tell() % 2880))
zeros = numpy.zeros((4100, 4100), "f4")
zeros[-1] = 1
write("zeros.fits", zeros)
PY
python3 make.py
run info zeros.fits --backend cpu --threads 1
expect_status 0
expect_in out "0 of 16810000 pixels" "mean     0.000243902"
rm zeros.fits

reported=$data/reported
if [ ! -d "$reported/50_duplicates_in_list" ]; then
  echo "no folder 'reported' in the test data: lists not measured"
  finish
fi
lists=$reported/50_duplicates_in_list
cat "$lists/clean.csv" >many.csv
for row in a b c d e f g h i j k l m n o p; do echo "$row,150.017638642,-29.985276602" >>many.csv; done
printf 'far,10,10\nfar,10,10\n' >>many.csv
cp many.csv free.csv
for list in "$lists"/*.csv many.csv; do
  name=$(basename "$list" .csv)
  run measure "$lists/field.fits" --at "$list" -o "out_$name.csv" --backend cpu
  expect_status 0
done
run measure "$lists/field.fits" --at free.csv --free position -o out_free.csv --backend cpu
run measure "$reported/31_forced_at_edges/field.fits" --at "$reported/31_forced_at_edges/list.csv" -o out_edges.csv --backend cpu
expect_status 0
what="fluxes of places named twice"
checks=$((checks + 1))
python3 - <<'PY' >out 2>err || report "a flux or a flag is wrong"
import csv, math
def rows(name):
    table = list(csv.DictReader(line for line in open("out_%s.csv" % name) if line[0] != "#"))
    for row in table:
        assert math.isfinite(float(row["Total_flux"])) or int(row["Flag"]) != 0, (name, row)
    return table
def flux(row): return float(row["Total_flux"])
right = [.499, .400, .301, .198, .250]
clean = rows("clean")
assert all(abs(flux(row) - one) < .0015 for row, one in zip(clean, right)), clean
for name in ("twice", "blend_twice", "near_0.001", "near_0.01", "near_0.05", "near_0.2", "many", "free"):
    table = rows(name)
    twins = [0, 5] if name == "twice" else [3] + list(range(5, min(len(table), 21)))
    shared = sum(flux(table[k]) for k in twins)
    error = sum(float(table[k]["E_Total_flux"]) for k in twins)
    assert abs(shared - right[twins[0]]) < max(.002, 3 * error) and abs(shared - right[twins[0]]) < .003, (name, shared)
    for k in set(range(5)) - set(twins):
        assert abs(flux(table[k]) - right[k]) < .0015, (name, k, flux(table[k]))
    for k in twins:
        assert (int(table[k]["Flag"]) & 256 != 0) == (name not in ("near_0.01", "near_0.05", "near_0.2")), (name, k)
edges = {row["Name"]: row for row in rows("edges")}
assert abs(flux(edges["p0"]) + flux(edges["p7"]) - .5) < .005
assert all(abs(flux(edges[name]) - .3) < .005 for name in ("p1", "p2", "p3", "p4")), edges
PY
finish
