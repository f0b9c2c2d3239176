#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The error of a point's total flux as a map: what rows of isolated points state, and what their totals scatter by.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)
needs_numpy

cat >maps.py <<'PY'
import csv, math, re, sys
import numpy as np
def image(name):
    """Header and pixels of the first plane."""
    data = open(name, "rb").read()
    text = data[:data.index(b"END" + b" " * 77) + 80].decode()
    head = {text[i:i + 8].strip(): text[i + 10:i + 80].split("/")[0].strip() for i in range(0, len(text), 80)}
    at = -(-len(text) // 2880) * 2880
    nx, ny = int(head["NAXIS1"]), int(head["NAXIS2"])
    return head, np.frombuffer(data, ">f4", nx * ny, at).reshape(ny, nx)
def rows(name):
    with open(name) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
def pixel(row, x="Xposn", y="Yposn"):
    return round(float(row[y])), round(float(row[x]))
def isolated(name):
    """Fitted points alone in their islands, which noise made neither wider nor narrower than the beam."""
    return [r for r in rows(name) if r["S_Code"] == "S" and r["Flag"] == "0" and r["Resolved"] == "0"
            and float(r["SNR"]) >= 10 and abs(float(r["Total_flux"]) / float(r["Peak_flux"]) - 1) < .05]
PY

# CATALOGUE MAP LEAST: the map at isolated points is what their rows state, over at least so many of them.
expect_stated() {
  checks=$((checks + 1))
  python3 - "$@" <<'PY' || report "expected $2 to be E_Total_flux of $1"
import sys
from maps import *
head, errors = image(sys.argv[2])
found = isolated(sys.argv[1])
ratios = np.array([errors[pixel(r)] / float(r["E_Total_flux"]) for r in found])
print(len(ratios), "points, map over row:", np.percentile(ratios, [16, 50, 84]) if len(ratios) else "")
sys.exit(0 if len(ratios) >= int(sys.argv[3]) and abs(np.median(ratios) - 1) < .05 and head["BUNIT"].strip("' ") == "Jy" else 1)
PY
}

run simulate sky.fits --truth truth.csv --size 1536 --sources 2500 --extended 0 --seed 5 --blank-corners "${cpu[@]}"
run find sky.fits -o cat.csv --write-flux-error error.fits --write-rms rms.fits "${cpu[@]}"
expect_status 0
expect_in out "wrote error.fits"
expect_stated cat.csv error.fits 40

# Faint points at known places scatter by it; blank pixels have none; it follows the noise.
checks=$((checks + 1))
python3 - <<'PY' || report "expected points to scatter by the map, and NaN where the image is"
import sys
from maps import *
_, errors = image("error.fits")
_, sky = image("sky.fits")
_, rms = image("rms.fits")
assert np.isnan(sky).any() and np.array_equal(np.isnan(errors), np.isnan(sky))
parts = errors[np.isfinite(sky)] / rms[np.isfinite(sky)]
assert np.ptp(parts) < 1e-5 * parts.mean(), "one beam: one factor"
truth, found = rows("truth.csv"), rows("cat.csv")
true = np.array([[float(r["y"]), float(r["x"])] for r in truth])
at = np.array([[float(r["Yposn"]), float(r["Xposn"])] for r in found])
pulls = []
for row, place in zip(truth, true):
    alone = (np.hypot(*(true - place).T) < 20).sum() == 1
    nearest = np.hypot(*(at - place).T).argmin()
    if alone and 8 <= float(row["snr"]) <= 40 and np.hypot(*(at[nearest] - place)) < 2.5 and found[nearest]["S_Code"] == "S":
        difference = float(found[nearest]["Total_flux"]) - float(row["Total_flux"])
        pulls.append(difference / errors[round(place[0]), round(place[1])])
print(len(pulls), "points, pulls", np.mean(pulls), np.std(pulls))
assert len(pulls) > 80 and abs(np.std(pulls) - 1) < .2
PY

# The same by every way.
run run sky.fits -o folder --products flux-error "${cpu[@]}"
expect_status 0
expect_same_pixels folder/sky_flux_error.fits error.fits
run find sky.fits --fit moments -o moments.csv --write-flux-error moments.fits "${cpu[@]}"
expect_status 0

# Given images: other projections, beams that vary, other units.
if [ ! -d "$data/images" ]; then
  echo "no REBER_TEST_DATA: real images are not tested"
  finish
  exit
fi
for image in images/ska_sdc1/sdc1_560mhz_1000h_left:10 images/sumss/1904-66_SIN:1 images/sumss/1904-66_AIT:1 \
  reported/62_car_wide/car_dec55:3 reported/33_car_high_latitude/car_beam:1 reported/33_car_high_latitude/wide_beam:1; do
  name=$(basename "${image%:*}")
  run find "$data/${image%:*}.fits" -o "$name.csv" --write-flux-error "$name.fits" "${cpu[@]}"
  expect_stated "$name.csv" "$name.fits" "${image#*:}"
done
run find "$data/images/sumss/1904-66_SIN_cube.fits" --planes 0:1 --write-flux-error cube.fits "${cpu[@]}"
expect_status 0
run info cube.fits
expect_in out "192 x 192 x 10"

finish
