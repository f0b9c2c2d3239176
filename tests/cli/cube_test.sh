#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber cube against NumPy: spectral steps, continuum, strict masks voxel for voxel, moments and their errors.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy

export PYTHONPATH=$source_folder/tests/support
cat >cube.py <<'E2'
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
from fits_cubes import SPECTRAL, read, write
def close(name, got, want, bound):
    assert got.shape == want.shape, (name, got.shape, want.shape)
    assert (np.isnan(got) == np.isnan(want)).all(), name + ": blanks differ"
    worst = np.nanmax(np.abs(got - want))
    assert worst <= bound, "%s: %g above %g" % (name, worst, bound)
def sky(nf=40, ny=50, nx=300):
    """Noise of 0.01, a continuum, three lines; blank voxels, spectra and a plane."""
    rng = np.random.default_rng(5)
    data = rng.normal(0, 0.01, (nf, ny, nx))
    f, (y, x) = np.arange(nf)[:, None, None], np.mgrid[:ny, :nx]
    for x0, y0, f0, width, peak in (20, 30, 15.5, 2, 0.2), (120, 12, 22, 1.2, 0.1), (256, 25, 30, 3, 0.3):
        data += peak * np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 30 - (f - f0) ** 2 / (2 * width ** 2))
    data[:, 0:3, :] = np.nan
    data[2:5, 40, 7] = np.nan
    data[35] = np.nan
    return data.astype(np.float32)
E2
cat >make.py <<'E2'
from cube import *
write("cube.fits", sky())
write("fxy.fits", sky(), "fxy")
f = np.arange(40)[:, None, None]
write("cont.fits", (sky() + 0.5 - 0.01 * f + 2e-4 * f ** 2).astype(np.float32))
E2
python3 make.py || exit 1
cube() { run cube "$@"; expect_status 0; }

cube cube.fits -o gauss.fits spectral:gauss:3.5ch
cube cube.fits -o box.fits spectral:boxcar:3 --planes 4:30
cube cube.fits -o hanning.fits spectral:hanning
cube cube.fits -o rebin.fits spectral:rebin:3
cube cube.fits -o velocity.fits spectral:gauss:7km/s
cube cont.fits -o flat.fits contsub:poly2,channels=0:8,33:39
cube fxy.fits -o fxy_out.fits spectral:gauss:3.5ch
expect_same_pixels gauss.fits fxy_out.fits
expect_same_pixels gauss.fits velocity.fits
cube cube.fits -o one.fits spectral:gauss:3.5ch --threads 1 --host-memory 1M
expect_same_pixels gauss.fits one.fits
cube cube.fits -o masked.fits noise:0.01 mask:strict=4,2,2,2
cube cube.fits -o m332.fits noise:0.01 mask:strict=3.5,3,1.5,2 --threads 3 --host-memory 1M
cube cube.fits -o all.fits noise:0.01 mask:strict moments:0,1,2,ew,peak --json all.json
expect_file all.fits all_mom0.fits all_mom0_error.fits all_ew.fits all_peak_error.fits
expect_in all.json '"outputs"' 'all_mom2_error.fits'
cube cube.fits -o measured.fits mask:strict moments:0
expect_in out "noise: 0.00"
cat >compare.py <<'E2'
from cube import *
data = sky().astype(float)
NF = len(data)
def smoothed(data, h):
    r = len(h) // 2
    top, bottom = np.zeros_like(data), np.zeros_like(data)
    for j in range(-r, r + 1):
        for k in range(len(data)):
            if 0 <= k + j < len(data):
                ok = np.isfinite(data[k + j])
                top[k] += h[j + r] * np.where(ok, data[k + j], 0)
                bottom[k] += h[j + r] * ok
    return np.where(np.isfinite(data), top / bottom, np.nan)
sigma = 3.5 / np.sqrt(8 * np.log(2))
r = int(np.ceil(np.ceil(8 * sigma) / 2 - 0.5))
gauss = np.exp(-0.5 * np.arange(-r, r + 1) ** 2 / sigma ** 2)
cards, got = read("gauss.fits")
close("gauss", got, smoothed(data, gauss / gauss.sum()), 2e-7)
assert cards["CTYPE3"] == "VRAD" and float(cards["CRPIX3"]) == 3 and cards["BUNIT"] == "Jy/beam"
cards, got = read("box.fits")
close("boxcar", got, smoothed(data[4:31], np.ones(3) / 3), 1e-7)
assert float(cards["CRPIX3"]) == 3 - 4 and cards["NAXIS3"] == "27"
close("hanning", read("hanning.fits")[1], smoothed(data, np.array([0.25, 0.5, 0.25])), 1e-7)
cards, got = read("rebin.fits")
close("rebin", got, np.array([np.nanmean(data[k:k + 3], 0) for k in range(0, 39, 3)]), 1e-7)
assert float(cards["CDELT3"]) == 6e3
assert abs(1e5 + (1 - float(cards["CRPIX3"])) * 6e3 - (1e5 - 2 * 2e3 + 2e3)) < 1e-6, cards["CRPIX3"]
cards, order = read("fxy_out.fits")
assert cards["CTYPE1"] == "RA---SIN" and cards["CTYPE3"] == "VRAD" and float(cards["CDELT3"]) == 2e3 and float(cards["CRPIX1"]) == 30

f = np.arange(NF)
raw = (sky() + 0.5 - 0.01 * f[:, None, None] + 2e-4 * f[:, None, None] ** 2).astype(np.float32).astype(float)
channels = np.r_[0:9, 33:40]
want = np.full_like(raw, np.nan)
for y in range(raw.shape[1]):
    for x in range(raw.shape[2]):
        ok = channels[np.isfinite(raw[channels, y, x])]
        if len(ok) >= 3:
            u = f / 20 - 1
            want[:, y, x] = raw[:, y, x] - np.polyval(np.polyfit(u[ok], raw[ok, y, x], 2), u)
close("contsub", read("flat.fits")[1], want, 1e-7)

def runs(over, n):
    """Voxels in runs of n channels and more."""
    core = np.ones((len(over) - n + 1,) + over.shape[1:], bool)
    for j in range(n): core &= over[j:len(over) - n + 1 + j]
    out = np.zeros_like(over)
    for j in range(n): out[j:len(over) - n + 1 + j] |= core
    return out
def grow(seed, inside):
    while True:
        more = seed.copy()
        for axis in range(3):
            a, b = [slice(None)] * 3, [slice(None)] * 3
            a[axis], b[axis] = slice(1, None), slice(None, -1)
            more[tuple(a)] |= seed[tuple(b)]
            more[tuple(b)] |= seed[tuple(a)]
        more &= inside
        if (more == seed).all(): return seed
        seed = more
def strict(data, noise, hi, nhi, lo, nlo):
    low = runs(data > lo * noise, nlo)
    return grow(runs(data > hi * noise, nhi) & low, low)
for name, rule in (("masked.fits", (4, 2, 2, 2)), ("m332.fits", (3.5, 3, 1.5, 2))):
    mask = strict(data, 0.01, *rule)
    assert mask.sum() > 1000
    close(name, read(name)[1], np.where(mask, data, np.nan), 0)

mask = strict(data, 0.01, 4, 2, 2, 2)
d = np.where(mask, data, np.nan)
x, dx = (98 + 2 * (np.arange(NF) - 1) - 0.0)[:, None, None], 2.0
x = (100 + 2 * (np.arange(NF) - 2))[:, None, None].astype(float)
some = np.isfinite(d).any(0)
def total(v): return np.where(some, np.nansum(v, 0), np.nan)
m0 = total(d) * dx
m1 = total(d * x) * dx / m0
m2 = np.sqrt(total(d * (x - m1) ** 2) * dx / m0)
peak = np.where(some, np.nanmax(np.where(np.isfinite(d), d, -1), 0), np.nan)
ew = m0 / np.sqrt(2 * np.pi) / peak
def rms(b): return np.sqrt(np.where(some, np.nansum(np.where(np.isfinite(d), b, np.nan) ** 2, 0), np.nan)) * 0.01
at_peak = d == peak
errors = {"mom0": rms(dx + 0 * d), "mom1": rms(dx * (x - m1) / m0), "mom2": rms(dx * ((x - m1) ** 2 - m2 ** 2) / (2 * m0 * m2)),
          "ew": rms((dx - at_peak * m0 / peak) / np.sqrt(2 * np.pi) / peak), "peak": np.where(some, 0.01, np.nan)}
units = {"mom0": "Jy/beam km/s", "mom1": "km/s", "mom2": "km/s", "ew": "km/s", "peak": "Jy/beam"}
for name, image in {"mom0": m0, "mom1": m1, "mom2": m2, "ew": ew, "peak": peak}.items():
    cards, got = read("all_%s.fits" % name)
    close(name, got[0], image, 2e-7 * np.nanmax(np.abs(image)))
    assert cards["BUNIT"] == units[name] and cards["NAXIS3"] == "1", cards
    close(name + "_error", read("all_%s_error.fits" % name)[1][0], errors[name], 1e-6 * np.nanmax(errors[name]))
assert abs(m1[25, 256] - (100 + 2 * 28)) < 1
E2
status=0 what="cube against NumPy"
python3 compare.py >out 2>err || status=$?
expect_status 0

# Errors are right: 200 lines with known moments in noise that differs by plane and place, smoothed to neighbours.
cat >lines.py <<'E2'
from cube import *
rng = np.random.default_rng(3)
NF, SIDE, STEP = 60, 160, 11
y, x = np.mgrid[:SIDE, :SIDE]
s = 0.01 * (1 + 0.3 * np.sin(np.arange(NF) / 9))[:, None, None] * (1 + 0.4 * (y + x) / (2 * SIDE))
noise = rng.normal(0, 1, (NF + 2, SIDE, SIDE))
noise = s * (0.3 * noise[:-2] + noise[1:-1] + 0.3 * noise[2:]) / np.sqrt(1.18)
f = np.arange(NF)[:, None]
truth, clean = [], np.zeros_like(noise)
for i in range(210):
    px, py = 3 + STEP * (i % 14), 3 + STEP * (i // 14)
    line = rng.uniform(0.35, 0.5) * np.exp(-(np.arange(NF) - rng.uniform(28, 32)) ** 2 / (2 * rng.uniform(3, 4.5) ** 2))
    line[np.abs(np.arange(NF) - 30) > 16] = 0
    clean[:, py, px] = line
    truth.append((px, py, line))
window = (np.abs(np.arange(NF) - 30) <= 16)[:, None, None]
if sys.argv[1] == "make":
    write("lines.fits", (clean + noise).astype(np.float32))
else:
    v = 100 + 2 * (np.arange(NF) - 2.0)[13:48]
    got = {n: read("lines_%s.fits" % n)[1][0] for m in ("mom0", "mom1", "mom2") for n in (m, m + "_error")}
    pulls = {"mom0": [], "mom1": [], "mom2": []}
    for px, py, line in truth:
        line = np.convolve(line, [0.25, 0.5, 0.25], "same")[13:48]
        m0 = line.sum() * 2
        m1 = (line * v).sum() * 2 / m0
        m2 = np.sqrt((line * (v - m1) ** 2).sum() * 2 / m0)
        for name, value in ("mom0", m0), ("mom1", m1), ("mom2", m2):
            pulls[name].append((got[name][py, px] - value) / got[name + "_error"][py, px])
    for name, p in pulls.items():
        print(name, np.mean(p), np.std(p))
    # 210 pulls: their scatter is known to 0.049.
    for name, p in pulls.items():
        assert 0.88 < np.std(p) < 1.12 and abs(np.mean(p)) < 0.25, (name, np.mean(p), np.std(p))
E2
python3 lines.py make
cube lines.fits -o smooth.fits spectral:hanning
cube smooth.fits -o lines.fits --planes 13:47 moments:0,1,2 --overwrite
expect_in out "correlation of neighbouring channels"
status=0 what="errors of moments"
python3 lines.py check >out 2>err || status=$?
expect_status 0

# Steps on planes: what reber smooth makes, masks at two resolutions, cuts, a feathered sky.
cat >disc.py <<'E2'
from cube import *
CELL = ("RA---SIN", 10.0, 33.0, -0.0005, "deg"), ("DEC--SIN", -20.0, 33.0, 0.0005, "deg")
def disc():
    """A turning disc in noise that is as smooth as the beam of 4 x 4 pixels, on a continuum."""
    rng = np.random.default_rng(9)
    y, x = np.mgrid[:64, :64] - 32.0
    r = np.hypot(x, y)
    g = np.exp(-4 * np.log(2) * (np.minimum(np.arange(64), 64 - np.arange(64)) / 4.0) ** 2)
    kernel = np.fft.fft2(np.outer(g, g))
    noise = np.fft.ifft2(np.fft.fft2(rng.normal(0, 1, (60, 64, 64))) * kernel).real
    noise *= 0.01 / noise.std()
    f = np.arange(60)[:, None, None]
    line = 0.25 * np.exp(-(r / 14) ** 2) * np.exp(-(f - 30 - 0.5 * x) ** 2 / 8)
    return (line + noise + 0.3 * np.exp(-(r / 5) ** 2) * (1 - 0.002 * f)).astype(np.float32)
def beam(pixels): return ["BMAJ    = %r" % (pixels * 0.0005), "BMIN    = %r" % (pixels * 0.0005), "BPA     = 0.0"]
def put(name, data, pixels):
    write(name, data)
    text = open(name, "rb").read()
    head, body = text[:2880].decode(), text[2880:]
    cards = [head[i:i + 80] for i in range(0, 2880, 80)]
    cards = [c for c in cards if c[:8].strip() not in ("BMAJ", "BMIN", "BPA", "END", "CRPIX1", "CRPIX2", "CDELT1", "CDELT2", "")]
    cards += beam(pixels) + ["CRPIX1  = 33.0", "CRPIX2  = 33.0", "CDELT1  = -0.0005", "CDELT2  = 0.0005", "END"]
    open(name, "wb").write("".join(c.ljust(80) for c in cards).ljust(2880).encode() + body)
def gaussian(pixels):
    u = np.fft.fftfreq(64)
    c = np.pi ** 2 / (4 * np.log(2)) * pixels ** 2
    return np.exp(-c * (u[:, None] ** 2 + u[None, :] ** 2))
def smooth(image, pixels): return np.fft.ifft2(np.fft.fft2(image) * gaussian(pixels)).real
def dish():
    """One sky as an interferometer of beam 4 px sees it, without short spacings, and as a dish of beam 16 px does."""
    rng = np.random.default_rng(2)
    sky = smooth(rng.normal(0, 1, (64, 64)), 3) + 0.4
    area = lambda p: np.pi * p ** 2 / (4 * np.log(2))
    high, low = smooth(sky, 4) * area(4), smooth(sky, 16) * area(16)
    return high, low, high - smooth(smooth(sky, 4) * area(4), 16)
if __name__ == "__main__":
    data = disc()
    for name in "in.fits", "galaxy.fits": put(name, data, 4)
    high, low, lacking = dish()
    put("lacking.fits", np.stack([lacking, 2 * lacking]).astype(np.float32), 4)
    put("dish.fits", np.stack([low, 2 * low]).astype(np.float32), 16)
E2
python3 disc.py || exit 1
cube in.fits -o smoothed.fits smooth:12,12,0 --backend cpu
run smooth in.fits --to-beam 12,12,0 -o by_smooth --backend cpu
expect_status 0
expect_same_pixels smoothed.fits by_smooth/in_smoothed.fits
cube in.fits -o both.fits smooth:12,12,0 contsub:poly1,channels=0:9,50:59 --backend cpu
cube by_smooth/in_smoothed.fits -o later.fits contsub:poly1,channels=0:9,50:59
expect_same_pixels both.fits later.fits
# The step regrid gives the pixels of the command.
run regrid in.fits --projection TAN --pixel 2.2 --size 40,36 -o on_tan.fits --backend cpu
expect_status 0
cube in.fits -o gridded.fits regrid:on_tan.fits --backend cpu
expect_same_pixels gridded.fits on_tan.fits
cube in.fits -o gridded_later.fits regrid:on_tan.fits spectral:hanning --backend cpu
cube on_tan.fits -o later_on.fits spectral:hanning
expect_same_pixels gridded_later.fits later_on.fits
# All files or none: a cube without negative values is smoothed before its noise is asked for.
python3 - <<'E3' || exit 1
from disc import *
put("positive.fits", 1 + np.abs(disc()), 4)
E3
run cube positive.fits -o half.fits smooth:12,12,0 moments:0 --backend cpu
expect_status 3
expect_in err "positive.fits after smooth:12,12,0: " "the noise cannot be measured"
expect_no_file half.fits half_mom0.fits .reber-*
# What is said of a cube between two steps names the step and the user's file; so does its history.
names_them() {  # TEXT STEP...
  local text=$1
  shift
  run cube in.fits -o no.fits "$@" --backend cpu
  expect_status 2
  expect_in err "$text"
  expect_not_in err ".reber-"
  expect_no_file no.fits .reber-*
}
LC_ALL=C sed 's/CRVAL1  =   10.0/CRVAL1  =   90.0/' on_tan.fits >far.fits
names_them "step 'regrid:far.fits': in.fits after smooth:12,12,0: no pixel of it lies on the grid" smooth:12,12,0 regrid:far.fits
names_them "step 'smooth:3,3,0': in.fits after regrid:on_tan.fits, plane 0: cannot reach" regrid:on_tan.fits smooth:3,3,0
names_them "does not lie on the pixels of in.fits after regrid:on_tan.fits smooth:12,12,0: " regrid:on_tan.fits smooth:12,12,0 feather:dish.fits
names_them "step 'smooth:3,3,0': in.fits, plane 0: cannot reach" smooth:3,3,0
cube in.fits -o three.fits regrid:on_tan.fits smooth:12,12,0 spectral:hanning --backend cpu
expect_in three.fits "input in.fits after regrid:on_tan.fits"
expect_not_in three.fits ".reber-"
cube lacking.fits -o feathered.fits feather:dish.fits --backend cpu
cube lacking.fits -o louder.fits feather:dish.fits,scale=1.5,sdfwhm=28.8,lowpass --backend cpu

# The commands of the document run.
sed -n '/^```sh$/,/^```$/p' "$source_folder/docs/cubes.md" | grep -v '^```' | sed 's/$/ --backend cpu/; s/^\(reber info.*\) --backend cpu/\1/' >commands
expect_in commands "reber cube galaxy.fits"
while read -r _ line; do
  # shellcheck disable=SC2086
  run $line
  expect_status 0
done <commands
expect_file disc.fits disc_mom1_error.fits wide_mom0.fits cut_pv.fits
expect_no_file cut.fits .reber-*

cat >planes.py <<'E2'
from disc import *
high, low, lacking = dish()
area = lambda p: np.pi * p ** 2 / (4 * np.log(2))
cards, got = read("feathered.fits")
ft, inverse = np.fft.fft2, lambda f: np.fft.ifft2(f).real
for k in 0, 1:
    want = (k + 1) * (inverse(ft(lacking) * (1 - gaussian(16))) + low * (4 / 16) ** 2)
    assert np.abs(got[k] - want).max() < 1e-5 * np.abs(want).max(), np.abs(got[k] - want).max()
    assert abs(got[k].sum() / ((k + 1) * high.sum()) - 1) < 1e-3
got = read("louder.fits")[1][0]
want = inverse(ft(lacking) * (1 - gaussian(16)) + 1.5 * (4 / 16) ** 2 * ft(low) * gaussian(16))
assert np.abs(got - want).max() < 1e-5 * np.abs(want).max()
# A cut along a row of pixels is that row, averaged over its width of two pixels.
line = read("line.fits")[1]
cards, got = read("cut_pv.fits")
assert cards["CTYPE1"] == "OFFSET" and cards["CTYPE2"] == "VRAD" and float(cards["CDELT2"]) == 2e3, cards
assert got.shape[0] == 60 and abs(float(cards["CDELT1"]) - 1.8) < 1e-3
x0 = 32 - 0.008 * np.cos(np.radians(20)) / 0.0005
x = x0 + np.arange(got.shape[1])
i, f = np.floor(x).astype(int), x - np.floor(x)
d = 4 / 1.8 / 4
rows = 0.5 * ((1 - d) * line[:, 32] + d * line[:, 33] + (1 - d) * line[:, 32] + d * line[:, 31])
want = rows[:, i] * (1 - f) + rows[:, np.minimum(i + 1, 63)] * f
assert np.abs(got - want).max() < 3e-4, np.abs(got - want).max()
# The broad mask holds the strict one and more.
strict, broad = np.isfinite(read("disc.fits")[1]), np.isfinite(read("wide.fits")[1])
assert broad.sum() > strict.sum() > 1000
m1 = read("disc_mom1.fits")[1][0]
assert abs(m1[32, 32] - (100 + 2 * 28)) < 1 and abs(m1[32, 40] - m1[32, 24] - 2 * 8) < 1.5, m1[32, 20:44]
E2
status=0 what="steps on planes against NumPy"
python3 planes.py >out 2>err || status=$?
expect_status 0

# Refusals come before the work.
refuse() {  # TEXT ARGUMENT...
  local text=$1
  shift
  run cube "$@" -o no.fits
  expect_status 2
  expect_in err "$text"
  expect_no_file no.fits no_mom0.fits
}
refuse "there is no step 'blur'" cube.fits blur:3
refuse "expected gauss:5ch" cube.fits spectral:gauss:-1
refuse "half a channel" cube.fits spectral:boxcar:4
refuse "comes after" cube.fits moments:0 spectral:hanning
refuse "given twice" cube.fits moments:0 moments:1
refuse "cannot fix" cube.fits contsub:poly2,channels=3,4
refuse "there is no plane 90" cube.fits contsub:poly1,channels=0:90
refuse "none of 0, 1, 2, ew, peak" cube.fits moments:3
refuse "HIGH,CHANNELS,LOW,CHANNELS" cube.fits mask:strict=4,2
refuse "not neighbours" cube.fits spectral:hanning --planes 1:3,7
refuse "give the FWHM in ch or km/s" cube.fits spectral:gauss:3Hz
refuse "broad=4,2,2,2@15,30" cube.fits mask:broad=4,2,2,2
refuse "does not lie on the pixels" in.fits feather:cube.fits
refuse "off the image" in.fits pv:10,-20,11,-20
refuse "lie in one pixel" in.fits pv:10,-20,10,-20
refuse "there is no plane 90" in.fits smooth:12,12,0 contsub:poly1,channels=0:90
refuse "cannot reach beam" in.fits smooth:2,2,0 --backend cpu
run cube cube.fits -o all.fits moments:0
expect_status 2
expect_in err "all_mom0.fits"
finish
