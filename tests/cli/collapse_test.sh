#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber collapse against NumPy on a simulated cube; its header, its masks, its refusals.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)
needs_numpy

export PYTHONPATH=$source_folder/tests/support
cat >cube.py <<'E2'
import numpy as np
NX, NY, NF = 60, 50, 9
import fits_cubes
from fits_cubes import write
def read(name):
    cards, data = fits_cubes.read(name)
    return cards, data.reshape(data.shape[-2:])
FREQ = ("FREQ", 1.42e9, 2.0, -2.5e5, "Hz")
def sky():
    rng = np.random.default_rng(11)
    data = rng.normal(0, 0.01, (NF, NY, NX)) * (1 + 0.3 * np.arange(NF))[:, None, None]
    y, x = np.mgrid[:NY, :NX]
    for f in range(NF):
        data[f] += 0.9 * np.exp(-((x - 20) ** 2 + (y - 30) ** 2) / 30) * np.exp(-((f - 3.5) ** 2) / 4)
        data[f] += 0.5 * np.exp(-((x - 45) ** 2 + (y - 12) ** 2) / 20) * np.exp(-((f - 5) ** 2) / 2)
    data = data.astype(np.float32)
    data[:, 0:3, :] = np.nan
    data[2:5, 40, 7] = np.nan
    data[6] = np.nan
    return data
E2
cat >make.py <<'E2'
from cube import *
write("cube.fits", sky(), "xyf", FREQ, ["RESTFRQ =   1.420405752E9"])
write("first.fits", sky(), "fxy", FREQ, ["RESTFRQ =   1.420405752E9"])
write("hertz.fits", sky(), "xyf", FREQ)
write("vopt.fits", sky(), "xyf", ("VOPT", 5.0e5, 1.0, 2.0e3, "m/s"))
E2
python3 make.py || exit 1

for how in mean weighted max moment0 moment1 moment2; do
  run collapse cube.fits -o $how.fits --how $how "${cpu[@]}" --threads 2
  expect_status 0
  expect_in err "plane 6 is left out: all its pixels are blank"
  run collapse cube.fits -o one.fits --how $how "${cpu[@]}" --threads 1 --overwrite
  tail -c +5761 one.fits >a && tail -c +5761 $how.fits >b
  expect_same a b
  run collapse first.fits -o first_$how.fits --how $how "${cpu[@]}"
  expect_status 0
done
run collapse cube.fits -o masked.fits --how moment1 --snr 6 --planes 1:7 "${cpu[@]}" --json masked.json
expect_status 0
expect_in masked.json '"unit": "km/s"' '1,' 'radio velocity'
run collapse hertz.fits -o hertz.fits.out.fits --how moment1 "${cpu[@]}"
expect_status 0
run collapse vopt.fits -o vopt0.fits --how moment0 "${cpu[@]}"
expect_in out "optical convention" "Jy/beam km/s"

cat >compare.py <<'E2'
import json, warnings
from cube import *
warnings.simplefilter("ignore")
C = 299792.458
data = sky().astype(float)
frequency = 1.42e9 - 2.5e5 * (np.arange(NF) - 1)
velocity = C * (1 - frequency / 1.420405752e9)
width = C * 2.5e5 / 1.420405752e9
def clipped(plane):
    v = plane[np.isfinite(plane)]
    while True:
        m, s = np.median(v), v.std()
        kept = v[(v > m - 3 * s) & (v < m + 3 * s)]
        if kept.size == v.size: return s / 0.984850
        v = kept
def close(name, got, want, bound):
    assert (np.isnan(got) == np.isnan(want)).all(), name + ": blanks differ"
    worst = np.nanmax(np.abs(got - want) / bound)
    assert worst <= 1, "%s: %g of the bound" % (name, worst)
used = [p for p in range(NF) if p != 6]
rms = np.array([clipped(data[p]) for p in used])
d, x = data[used], velocity[used][:, None, None]
some = np.isfinite(d).any(0)
nan = np.where(some, 0, np.nan)
EPS = 2.0 ** -24
absolute = np.nansum(np.abs(d), 0) + 1e-30
def moments(d, x):
    m0 = np.nansum(d, 0)
    m0 = np.where(np.isfinite(d).any(0), m0, np.nan)
    m1 = np.where(m0 > 0, np.nansum(d * x, 0) / m0, np.nan)
    variance = np.where(m0 > 0, np.nansum(d * (x - m1) ** 2, 0) / m0, np.nan)
    return m0, m1, variance
w = (1 / rms ** 2)[:, None, None] * np.isfinite(d)
m0, m1, variance = moments(d, x)
want = {"mean": np.nanmean(d, 0), "max": np.nanmax(d, 0), "moment0": m0 * width, "moment1": m1}
want["weighted"] = np.nansum(w * d, 0) / np.where(w.sum(0) > 0, w.sum(0), np.nan)
unit = {"moment0": "Jy/beam km/s", "moment1": "km/s", "moment2": "km/s"}
for prefix in ("", "first_"):
    for how, image in want.items():
        cards, got = read(prefix + how + ".fits")
        scale = np.abs(image) + (1e-5 * np.nanmax(np.abs(image)) if how == "weighted" else 0)
        extra = 1e-9 * absolute * (np.abs(x).max() if how == "moment1" else 1) / np.where(m0 > 0, m0, 1)
        close(prefix + how, got, image, 2 * EPS * scale + 1e-12 + extra)
        assert cards["BUNIT"] == unit.get(how, "Jy/beam"), cards["BUNIT"]
        assert float(cards["BMAJ"]) == 0.004, cards
        # The image lies at the mean of its planes, by their weights; axes in another order are dropped.
        right = np.average(frequency[used], weights=1 / rms ** 2 if how == "weighted" else None)
        if prefix:
            assert cards["NAXIS"] == "2", cards
            stated = float(cards["FREQ"])
        else:
            assert cards["NAXIS"] == "3" and cards["NAXIS3"] == "1" and cards["CTYPE3"] == "FREQ", cards
            stated = float(cards["CRVAL3"]) + (1 - float(cards["CRPIX3"])) * float(cards["CDELT3"])
        assert abs(stated - right) < 100, (prefix + how, stated, right)
    cards, got = read(prefix + "moment2.fits")
    good = variance > 1e-6
    assert np.isnan(got[variance < -1e-6]).all() and np.isnan(got[np.isnan(variance)]).all()
    assert np.abs(got[good] / np.sqrt(variance[good]) - 1).max() < 1e-6
# Masks: what is not above 6 times its plane's rms takes no part.
some = [p for p in range(1, 8) if p != 6]
d = data[some]
limit = 6 * np.array([clipped(p) for p in d])[:, None, None]
d = np.where(d > limit, d, np.nan)
near = (np.abs(data[some] / limit - 1) < 1e-4).any(0)
m0, m1, variance = moments(d, velocity[some][:, None, None])
cards, got = read("masked.fits")
got[near] = m1[near] = np.nan
close("masked", got, m1, 2 * EPS * np.abs(m1) + 1e-9)
assert np.isfinite(got).sum() > 100
assert abs(got[30, 20] - velocity[3]) < 60 and cards["BUNIT"] == "km/s"
cards, got = read("hertz.fits.out.fits")
assert cards["BUNIT"] == "Hz" and abs(got[30, 20] - frequency[3]) < 3e5
cards, got = read("vopt0.fits")
close("vopt0", got, want["moment0"] / width * 2, 1e-6 * np.abs(want["moment0"]) + 1e-9)
E2
status=0 what="collapse against NumPy"
python3 compare.py >out 2>err || status=$?
expect_status 0

run collapse cube.fits -o mean.fits --how mean "${cpu[@]}"
expect_status 2
run collapse cube.fits -o blank.fits --planes 6 "${cpu[@]}"
expect_status 3
expect_in err "none of the planes has pixels"
expect_no_file blank.fits ./*.tmp*
run collapse mean.fits -o again.fits --how moment0 "${cpu[@]}"
expect_status 2
expect_in err "need a spectral axis"
run find weighted.fits "${cpu[@]}"
expect_status 0
finish
