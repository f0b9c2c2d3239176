#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Simulated skies from the command line, and the sample data that they made.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate grid.fits --scene dirac_grid --size 256 --grid-step 64 --truth grid.csv --backend cpu
expect_status 0
for file in grid.fits "$sample_data/dirac_grid.fits"; do  # the header names the version, and its sums count that
  head -c 2880 "$file" | fold -w 80 | grep -a -v '^CHECKSUM\|^HISTORY' >"$(basename "$file").header"
  tail -c +2881 "$file" >"$(basename "$file").pixels"
done
expect_same grid.fits.header dirac_grid.fits.header
expect_same grid.fits.pixels dirac_grid.fits.pixels
expect_same grid.csv "$sample_data/dirac_grid_truth.csv"

what="sha256 sums of sample_data/README.md"
: >out
status=0
(cd "$sample_data" && grep -E '^[0-9a-f]{64}  ' README.md | sha256sum --check --quiet) >out 2>err || status=$?
expect_status 0

# The other one is smoothed by FFT: nearly the same pixels.
run simulate plane.fits --scene galactic_plane --size 1024 --seed 1 --backend cpu
expect_status 0
what="plane.fits against the sample"
status=0
python3 - plane.fits "$sample_data/galactic_plane_150mhz.fits" >out 2>err <<'PY' || status=$?
import array, sys
def pixels(path):
    data = open(path, "rb").read()
    end = next(at for at in range(0, len(data), 80) if data[at:at + 80].rstrip() == b"END")
    start = (end // 2880 + 1) * 2880
    found = array.array("f", data[start:start + 4 * 1024 * 1024])
    found.byteswap()
    return found
blank, count = 0, 0
for a, b in zip(pixels(sys.argv[1]), pixels(sys.argv[2])):
    assert (a != a) == (b != b), "other blanks"
    if a == a:
        assert abs(a - b) <= 1e-5 * max(abs(b), .007), (a, b)
    blank += a != a
    count += 1
assert count == 1024 * 1024 and blank == 31732, (count, blank)
PY
expect_status 0

run simulate a.fits --size 300 200 --seed 5 --rings 2 --blank-corners --backend cpu
expect_status 0
run simulate b.fits --size 300 200 --seed 5 --rings 2 --blank-corners --backend cpu --threads 1
expect_status 0
expect_same a.fits b.fits
run info a.fits --json - --backend cpu
expect_json out 'd["shape"] == [200, 300] and d["statistics"]["blank"] > 0'
run simulate c.fits --size 300 200 --seed 6 --rings 2 --blank-corners --backend cpu
checks=$((checks + 1))
! cmp -s a.fits c.fits || report "expected another seed to give another sky"

run simulate a.fits --backend cpu
expect_status 2
expect_in err a.fits --overwrite
run simulate d.fits --size 4 --backend cpu
expect_status 2
expect_in err "within 8 and"
run simulate d.fits --beam 5,10,0 --backend cpu
expect_status 2
expect_no_file d.fits
run simulate d.fits --dry-run
expect_status 0
expect_no_file d.fits

# A bright isolated source comes back where it was put.
run simulate field.fits --size 512 --sources 60 --extended 0 --truth truth.csv --backend cpu
run find field.fits -o found.csv --backend cpu
expect_status 0
what="catalogue against truth"
python3 - >out 2>err <<'PY'
import csv, math
def rows(path):
    lines = [line for line in open(path) if not line.startswith("#")]
    return list(csv.DictReader(lines))
truth = [r for r in rows("truth.csv") if float(r["snr"]) > 15]
found = rows("found.csv")
assert len(truth) >= 5, len(truth)
for t in truth:
    near = [f for f in found if math.hypot(float(f["Xposn"]) - float(t["x"]), float(f["Yposn"]) - float(t["y"])) < 1]
    assert near, t
    peak = float(near[0]["Peak_flux"])
    assert abs(peak - float(t["Peak_flux"])) < 5 * float(near[0]["E_Peak_flux"]) + 0.03 * peak, (t, near[0])
PY
status=$?
expect_status 0

finish
