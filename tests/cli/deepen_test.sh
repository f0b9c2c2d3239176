#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A crowded sky is searched below 5 sigma unless the user states a threshold; report, HISTORY and files say so, and the
# rows are real. An ordinary sky, and one whose negative image forbids it, are searched as ever.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)
crowd=(--pixel 4 --sources 3400 --extended 0 --rms-rise 0)

run simulate crowded.fits --truth truth.csv --size 640 "${crowd[@]}" "${cpu[@]}"
run simulate ordinary.fits --size 640 "${cpu[@]}"
expect_status 0

run find crowded.fits -o crowded.csv crowded.vot --json crowded.json "${cpu[@]}"
expect_status 0
expect_in out "threshold     4.5 sigma: " "are expected to be false" "seed 4.5, flood 3"
expect_in crowded.vot "detect: seed 5 sigma" "detect: threshold lowered to 4.5 sigma: "
expect_json crowded.json "d['facts']['threshold'].startswith('4.5 sigma')"
expect_json crowded.json "float(d['facts']['threshold'].split('which ')[1].split()[0]) <= 0.001 * int(d['facts']['threshold'].split()[2])"

what="rows of the crowded sky"
checks=$((checks + 1))
python3 - >out 2>err <<'PY' || report "fewer than 98 of 100 are real"
import csv, math
def rows(name): return list(csv.DictReader(line for line in open(name) if line[0] != "#"))
truth = [(float(t["RA"]), float(t["DEC"]), float(t["Peak_flux"])) for t in rows("truth.csv")]
def real(row):
    ra, dec, peak = (float(row[k]) for k in ("RA", "DEC", "Peak_flux"))
    return any(math.hypot((a - ra) * math.cos(math.radians(dec)), d - dec) < 7.5 / 3600 and p > 0.5 * peak for a, d, p in truth)
found = rows("crowded.csv")
good = sum(map(real, found))
print(good, "of", len(found))
assert len(found) > 1550 and good >= 0.98 * len(found)
PY
cat out

# same NAME WORDS...: the rows of another run of the crowded sky.
same() {
  local other=$1
  shift
  run find crowded.fits -o same.csv --overwrite "${cpu[@]}" "$@"
  expect_status 0
  expect_same <(grep -v '^#' same.csv) <(grep -v '^#' "$other")
}
run find crowded.fits -o usual.csv usual.vot --deepen 0 "${cpu[@]}"
expect_status 0
expect_in out "seed 5, flood 3"
expect_not_in out "expected to be false"
expect_not_in usual.vot "lowered"
same crowded.csv --threshold 4.5
same usual.csv --threshold 5
same crowded.csv --threshold 5 --deepen 0.001
same crowded.csv --deepen 0.001 --threshold 5
printf '[find]\nthreshold = 5\n' >stated.toml
same usual.csv --config stated.toml
printf '[find]\ndeepen = 0.001\nthreshold = 5\n' >both.toml
same crowded.csv --config both.toml
same crowded.csv --threads 1

# Left in its file.
run simulate wide.fits --size 1400 --pixel 4 --sources 16000 --extended 0 --rms-rise 0 "${cpu[@]}"
run find wide.fits -o wide.csv --fit none "${cpu[@]}"
expect_in out "threshold     4.5 sigma: "
run find wide.fits -o banded.csv --fit none --host-memory 170M "${cpu[@]}"
expect_in out "threshold     4.5 sigma: " "left in the file"
expect_same wide.csv banded.csv

for words in "--fdr 0.01" "--scales 0" "--flood 5" "--wavelets 2"; do
  # shellcheck disable=SC2086
  run find crowded.fits "${cpu[@]}" $words
  expect_status 0
  expect_not_in out "4.5 sigma"
done
run find crowded.fits --deepen 1 "${cpu[@]}"
expect_status 2

# Negative rows are beside the others, at the same threshold.
run find crowded.fits -o negative.csv --negative --reliability "${cpu[@]}"
expect_in out "  4.5 sigma: " "detect-neg" "seed 4.5, flood 3 sigma"
expect_not_in out "seed 5,"

# Several processes, and completeness.
"$reber" find crowded.fits --share talk --rank 1/2 "${cpu[@]}" >/dev/null 2>err.1 </dev/null &
run find crowded.fits -o shared.csv --share talk --rank 0/2 "${cpu[@]}"
wait $!
expect_status 0
expect_same <(grep -v '^#' shared.csv) <(grep -v '^#' crowded.csv)
run complete crowded.fits --number 5 --bins 3 --json complete.json -o complete.vot "${cpu[@]}"
expect_status 0
expect_json complete.json "d['threshold'] == 4.5"
expect_in complete.vot "threshold 4.5 sigma"

# Planes of a cube, each by itself: the crowded sky and the ordinary one.
python3 - <<'PY'
raw = open("crowded.fits", "rb").read()
at = next(i for i in range(0, len(raw), 80) if raw[i:i + 80].strip() == b"END")
begin = (at // 2880 + 1) * 2880
header = raw[:begin].replace(b"NAXIS   =                    2", b"NAXIS   =                    3")
place = header.index(b"NAXIS2  =")
header = header[:place + 80] + b"NAXIS3  =                    2".ljust(80) + header[place + 80:]
header = header[:header.index(b"END".ljust(80)) + 80]
size = 4 * 640 * 640
plane, other = raw[begin:begin + size], open("ordinary.fits", "rb").read()
other = other[len(other) - (len(raw) - begin):][:size]
data = plane + other
open("cube.fits", "wb").write(header.ljust((len(header) + 2879) // 2880 * 2880) + data.ljust((len(data) + 2879) // 2880 * 2880, b"\0"))
PY
run find cube.fits --planes all -o cube.vot --json cube.json "${cpu[@]}"
expect_status 0
expect_in out "threshold 4.5 sigma"
expect_in cube.vot "plane 0: detect: threshold lowered to 4.5 sigma"
expect_json cube.json "[plane.get('threshold') for plane in d['planes']] == [4.5, None]"

run find ordinary.fits -o ordinary.csv "${cpu[@]}"
expect_status 0
expect_in out "seed 5, flood 3"
expect_not_in out "expected to be false"
run find ordinary.fits -o stated.csv --threshold 5 "${cpu[@]}"
expect_same <(grep -v '^#' ordinary.csv) <(grep -v '^#' stated.csv)

# Each source of the crowded sky with a negative one beside it: what looks like noise forbids it.
what="crowded.fits less itself moved"
python3 - <<'PY'
import array
raw = bytearray(open("crowded.fits", "rb").read())
at = next(i for i in range(0, len(raw), 80) if raw[i:i + 80].strip() == b"END")
begin = (at // 2880 + 1) * 2880
pixels = array.array("f", bytes(raw[begin:begin + 4 * 640 * 640]))
pixels.byteswap()
moved = array.array("f", (pixels[i] - pixels[(i + 640 * 200 + 300) % len(pixels)] for i in range(len(pixels))))
moved.byteswap()
raw[begin:begin + 4 * 640 * 640] = moved.tobytes()
open("both.fits", "wb").write(raw)
PY
run find both.fits "${cpu[@]}"
expect_status 0
expect_in out "seed 5, flood 3"
finish
