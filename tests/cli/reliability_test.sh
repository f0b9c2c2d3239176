#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber find --reliability on a simulated sky at 4 sigma: the sum of 1 - R predicts the false detections within the
# Poisson errors of both counts, and the files carry the column only where it was asked for. Detections taken for peaks of
# the noise are counted, and kept with a flag where that is asked for.
source "$(dirname "$0")/harness.sh"

run simulate sky.fits --truth truth.csv --size 2048 --sources 300 --seed 11
expect_status 0
run find sky.fits -o plain.csv --threshold 4 --json plain.json
expect_status 0
expect_in out "noise peaks" "left out"
run find sky.fits -o kept.csv --threshold 4 --keep-noise-peaks --json kept.json
expect_status 0
expect_in out "kept, flagged"
run find sky.fits -o judged.csv --threshold 4 --reliability --json judged.json
expect_status 0
expect_in out "expected to be false" "negative detections" "detect-neg"
expect_in judged.csv Reliability
expect_not_in plain.csv Reliability
expect_json judged.json "'expected to be false' in d['facts']['reliability']"
run find sky.fits -o both.csv --threshold 4 --reliability --negative
expect_status 0

what="rows with and without the noise's peaks"
checks=$((checks + 1))
python3 - <<'PY' >out 2>err || report "they are not the flagged rows"
import csv, json
plain, kept = (list(csv.reader(open(f"{name}.csv"))) for name in ("plain", "kept"))
flag = kept[0].index("Flag")
noise = [row for row in kept[1:] if int(row[flag]) & 4096]
counted = [json.load(open(f"{name}.json"))["facts"]["noise peaks"] for name in ("plain", "kept")]
print(counted)
assert len(noise) > 0 and all(int(text.split()[0]) == len(noise) for text in counted)
serial = kept[0].index("Source_id") if "Source_id" in kept[0] else None
strip = lambda rows: [[v for i, v in enumerate(row) if i != serial] for row in rows]
assert strip(plain[1:]) == strip([row for row in kept[1:] if not int(row[flag]) & 4096])
PY
cat out

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
