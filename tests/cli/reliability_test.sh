#!/usr/bin/env bash
# reber find --reliability on a simulated sky at 4 sigma: the sum of 1 - R predicts the false detections within the
# Poisson errors of both counts, and the files carry the column only where it was asked for.
source "$(dirname "$0")/harness.sh"

run simulate sky.fits --truth truth.csv --size 2048 --sources 300 --seed 11
expect_status 0
run find sky.fits -o plain.csv --threshold 4
expect_status 0
run find sky.fits -o judged.csv --threshold 4 --reliability --json judged.json
expect_status 0
expect_in out "expected to be false" "negative detections" "detect-neg"
expect_in judged.csv Reliability
expect_not_in plain.csv Reliability
expect_json judged.json "'expected to be false' in d['facts']['reliability']"
run find sky.fits -o both.csv --threshold 4 --reliability --negative
expect_status 0

what="false detections against their prediction"
checks=$((checks + 1))
python3 - <<'PY' >out 2>err || report "prediction and count differ"
import csv, math
truth = [(float(r["x"]), float(r["y"])) for r in csv.DictReader(open("truth.csv"))]
rows = list(csv.DictReader(open("judged.csv")))
expected = sum(1 - float(r["Reliability"]) for r in rows)
beam_px = 5
false = sum(min((float(r["Xposn"]) - x) ** 2 + (float(r["Yposn"]) - y) ** 2 for x, y in truth) > beam_px**2 for r in rows)
print(f"{len(rows)} sources, {expected:.1f} expected to be false, {false} are")
assert false >= 10 and abs(expected - false) <= 3 * math.sqrt(expected + false)
assert not any(r["Reliability"] == "NaN" for r in rows)
both = list(csv.DictReader(open("both.csv")))
assert all((r["Reliability"] == "NaN") == bool(int(r["Flag"]) & 8) for r in both)
assert len(both) > len(rows)
PY
cat out
finish
