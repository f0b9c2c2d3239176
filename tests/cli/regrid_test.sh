#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber regrid: amplitudes, totals and places against NumPy; units, beams, blanks, cubes, frames; and what it refuses.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu --quiet)
needs_numpy

cat >sky.py <<'E2'
import numpy as np
def card(key, value):
    text = "%20s" % ("T" if value else "F") if isinstance(value, bool) else "'%-8s'" % value if isinstance(value, str) else "%20s" % repr(value)
    return ("%-8s= %s" % (key, text)).ljust(80)
def write(name, data, keys):
    data = np.asarray(data, ">f4")
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", data.ndim)]
    cards += [card("NAXIS%d" % (i + 1), n) for i, n in enumerate(data.shape[::-1])]
    text = "".join(cards + [card(k, v) for k, v in keys.items()]) + "END".ljust(80)
    body = data.tobytes()
    open(name, "wb").write((text + " " * (-len(text) % 2880)).encode() + body + b"\0" * (-len(body) % 2880))
def read(name):
    raw = open(name, "rb").read()
    keys, at = {}, 0
    while raw[at:at + 8].strip() != b"END":
        line = raw[at:at + 80].decode()
        if line[8:10] == "= ":
            value = line[10:].split("/")[0].strip() if "'" not in line else line[11:].split("'")[0].strip()
            try: keys[line[:8].strip()] = float(value)
            except ValueError: keys[line[:8].strip()] = value
        at += 80
    at = (at // 2880 + 1) * 2880
    shape = [int(keys["NAXIS%d" % i]) for i in range(int(keys["NAXIS"]), 0, -1)]
    return np.frombuffer(raw[at:at + 4 * int(np.prod(shape))], ">f4").reshape(shape).astype(float), keys
def sin_keys(n, lon, lat, pixel, turn=0.0, unit="Jy/beam", beam=None, names=("RA", "DEC")):
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    keys = {"CTYPE1": "%s%sSIN" % (names[0], "-" * (5 - len(names[0]))), "CTYPE2": "%s%sSIN" % (names[1], "-" * (5 - len(names[1]))),
            "CRVAL1": lon, "CRVAL2": lat, "CRPIX1": n / 2 + 1, "CRPIX2": n / 2 + 1, "CDELT1": -pixel / 3600, "CDELT2": pixel / 3600,
            "PC1_1": float(c), "PC1_2": float(s), "PC2_1": float(-s), "PC2_2": float(c), "BUNIT": unit}
    if beam: keys.update(BMAJ=beam[0] / 3600, BMIN=beam[1] / 3600, BPA=beam[2])
    return keys
# SIN by its own formulae: pixels from 0 <-> unit vectors.
def frame(k):
    a, d = np.radians(k["CRVAL1"]), np.radians(k["CRVAL2"])
    east = np.array([-np.sin(a), np.cos(a), 0]); north = np.array([-np.sin(d) * np.cos(a), -np.sin(d) * np.sin(a), np.cos(d)])
    return east, north, np.array([np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)])
def matrix(k): return np.array([[k["PC1_1"], k["PC1_2"]], [k["PC2_1"], k["PC2_2"]]]) * np.array([[k["CDELT1"]], [k["CDELT2"]]]) * np.pi / 180
def to_sky(k, x, y):
    l, m = np.einsum("ij,j...->i...", matrix(k), np.array([x + 1 - k["CRPIX1"], y + 1 - k["CRPIX2"]]))
    e, n, r = frame(k)
    return np.multiply.outer(e, l) + np.multiply.outer(n, m) + np.multiply.outer(r, np.sqrt(1 - l * l - m * m))
def to_pixel(k, v):
    e, n, _ = frame(k)
    return np.einsum("ij,j...->i...", np.linalg.inv(matrix(k)), np.array([np.tensordot(e, v, 1), np.tensordot(n, v, 1)])) + np.array([k["CRPIX1"] - 1, k["CRPIX2"] - 1]).reshape(2, *([1] * (v.ndim - 1)))
def gauss(dx, dy, fwhm): return np.exp(-4 * np.log(2) * (dx * dx + dy * dy) / fwhm ** 2)
E2

# 36 points at sub-pixel places, onto a grid that is moved and turned: amplitudes at the true places.
cat >points.py <<'E2'
import sys; from sky import *
fwhm, step = float(sys.argv[2]), 40
rng = np.random.default_rng(3)
n = 300
x, y = [(np.stack(np.meshgrid(np.arange(6), np.arange(6))[i]).ravel() * step + 50 + rng.uniform(-.5, .5, 36)) for i in (0, 1)]
inp, ref = sin_keys(n, 150.0, -30.0, 2.0, 0.0, beam=(2 * fwhm, 2 * fwhm, 0.0)), sin_keys(340, 150.003, -29.995, 2.0, 7.0)
if sys.argv[1] == "make":
    v, u = np.mgrid[:n, :n]
    write("points.fits", sum(gauss(u - a, v - b, fwhm) for a, b in zip(x, y)), inp)
    write("turned.fits", np.zeros((340, 340)), ref)
else:
    image, keys = read(sys.argv[3])
    mean, scatter, centre = [], [], 0
    to = to_pixel(ref, to_sky(inp, x, y))
    for a, b, p, q in zip(x, y, *to):
        v, u = np.mgrid[int(q) - 14:int(q) + 16, int(p) - 14:int(p) + 16]
        back = to_pixel(inp, to_sky(ref, u, v))
        t, o = gauss(back[0] - a, back[1] - b, fwhm), image[v[0, 0]:v[-1, 0] + 1, u[0, 0]:u[0, -1] + 1]
        mean.append((o * t).sum() / (t * t).sum())
        assert abs(o.sum() / t.sum() - 1) < 1e-4, "total"
        centre = max(centre, abs((o * u).sum() / o.sum() - (t * u).sum() / t.sum()))
    bound = float(sys.argv[4])
    print("amplitude", np.mean(mean) - 1, "+-", np.std(mean), "centre", centre)
    assert abs(np.mean(mean) - 1) <= bound and np.std(mean) <= bound / 3 and centre < 1e-3, "amplitudes"
E2
for case in "5 1e-4" "4 2e-4" "3 3e-4" "2.5 2e-3"; do
  read -r fwhm bound <<<"$case"
  python3 points.py make "$fwhm"
  run regrid points.fits --like turned.fits -o out.fits --overwrite "${cpu[@]}"
  expect_status 0
  what="amplitudes at FWHM $fwhm"
  status=0
  python3 points.py check "$fwhm" out.fits "$bound" >out 2>err || status=$?
  expect_status 0
done

# Bits depend on nothing: threads, and the plain backend near.
run regrid points.fits --like turned.fits -o one.fits "${cpu[@]}" --threads 1
expect_status 0
run regrid points.fits --like turned.fits -o three.fits "${cpu[@]}" --threads 3
expect_status 0
what="one and three threads"
status=0
python3 -c 'from sky import *; import sys; sys.exit(not np.array_equal(read("one.fits")[0], read("three.fits")[0], equal_nan=True))' || status=$?
expect_status 0

# Units, a blank corner and an infinite pixel, a beam that turns with north, Galactic north: every rule in one sky.
cat >rules.py <<'E2'
import sys; from sky import *
if sys.argv[1] == "make":
    flat = np.ones((200, 200)); flat[:40, :60] = np.nan; flat[100, 150] = np.inf
    for unit, name in (("Jy/beam", "beam"), ("Jy/pixel", "pixel"), ("photon/pix", "photons"), ("K", "kelvin")):
        write(name + ".fits", flat, sin_keys(200, 200.0, 70.0, 2.0, unit=unit, beam=(8.0, 5.0, 20.0)))
    write("nobeam.fits", flat, sin_keys(200, 200.0, 70.0, 2.0))
    write("counts.fits", flat, sin_keys(200, 200.0, 70.0, 2.0, unit="counts"))
    write("coarse.fits", np.zeros((90, 90)), sin_keys(90, 200.0, 70.0, 5.0))
    write("cube.fits", np.stack([flat, 2 * flat, np.nan * flat]), dict(sin_keys(200, 200.0, 70.0, 2.0, beam=(8.0, 5.0, 20.0)), CTYPE3="FREQ", CRVAL3=1e9, CRPIX3=1.0, CDELT3=1e6))
    write("far.fits", np.zeros((90, 90)), sin_keys(90, 20.0, -70.0, 5.0))
    write("bare.fits", flat, {"BUNIT": "Jy/beam"})
    write("rms.fits", np.full((200, 200), 3.0), sin_keys(200, 200.0, 70.0, 2.0))
elif sys.argv[1] == "units":
    for name, factor in (("beam", 1), ("pixel", 6.25), ("photons", 6.25), ("kelvin", 1)):
        image, keys = read(name + "_c.fits")
        seen = image[np.isfinite(image)]
        assert seen.size > 3000 and abs(seen / factor - 1).max() < 2e-5, (name, seen.min(), seen.max())
elif sys.argv[1] == "blanks":
    image, _ = read("beam_c.fits")
    v, u = np.mgrid[:90, :90]
    x, y = to_pixel(sin_keys(200, 200.0, 70.0, 2.0), to_sky(sin_keys(90, 200.0, 70.0, 5.0), u, v))
    flat, _ = read("beam.fits")
    def good(j, i):
        inside = (i >= 0) & (j >= 0) & (i < 200) & (j < 200)
        return inside & np.isfinite(flat[np.clip(j, 0, 199), np.clip(i, 0, 199)])
    x, y = np.where(abs(x - x.round()) < 1e-5, x.round(), x), np.where(abs(y - y.round()) < 1e-5, y.round(), y)
    edge = (x >= -.5) & (y >= -.5) & (x <= 199.5) & (y <= 199.5)
    x, y = np.clip(x, 0, 199), np.clip(y, 0, 199)
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    k, l = np.ceil(x).astype(int), np.ceil(y).astype(int)
    want = edge & good(j, i) & good(j, k) & good(l, i) & good(l, k)
    assert (np.isfinite(image) == want).all(), (np.isfinite(image) != want).sum()
elif sys.argv[1] == "galactic":
    # From the vectors: the major axis drawn on the sky, its angle from Galactic north.
    _, keys = read("gal.fits")
    pole = np.array([-0.8676661490190047, -0.1980763734312015, 0.4559837761750669])
    e, n, r = frame(sin_keys(200, 200.0, 70.0, 2.0))
    axis = np.sin(np.radians(20)) * e + np.cos(np.radians(20)) * n
    north = pole - r * (pole @ r); north /= np.linalg.norm(north)
    want = np.degrees(np.arctan2(axis @ np.cross(north, r), axis @ north)) % 180
    assert abs((keys["BPA"] - want + 90) % 180 - 90) < 0.02, (keys["BPA"], want)
    assert abs(keys["BMAJ"] * 3600 - 8) < 1e-3 and keys["CTYPE1"] == "GLON-AIT"
elif sys.argv[1] == "cube":
    cube, keys = read("cube_c.fits")
    one, _ = read("beam_c.fits")
    assert np.array_equal(cube[0], one, equal_nan=True) and np.array_equal(cube[1], 2 * one, equal_nan=True) and np.isnan(cube[2]).all()
    assert keys["CDELT3"] == 1e6 and keys["CTYPE3"] == "FREQ"
    rms, _ = read("rms_c.fits")
    gain = np.nanmean(rms) / 3
    assert .99 < gain < 1.001 and np.nanstd(rms) < 1e-6, gain
E2
check() { what="rules.py $*"; status=0; python3 rules.py "$@" >out 2>err || status=$?; expect_status 0; }
check make
for name in beam pixel photons kelvin cube; do
  run regrid "$name.fits" --like coarse.fits -o "${name}_c.fits" "${cpu[@]}"
  expect_status 0
done
check units
check blanks

# What is lost on a coarser grid, and what a unit leaves open, is said.
warned() {  # FILE PIXEL WORDS...
  run regrid "$1" --pixel "$2" -o "w$2.fits" --overwrite --backend cpu
  expect_status 0
  expect_in err "${@:3}"
}
warned beam.fits 5 "1 pixels of the grid wide, and 2 are needed"
warned nobeam.fits 4 "no beam is known" "4 times the area"
warned counts.fits 4 "its unit 'counts' is not known" "4 times as large"
run regrid beam.fits --pixel 2.4 -o w2.fits --backend cpu
expect_status 0
expect_not_in err "warning"
run regrid beam.fits --projection AIT --frame galactic --pixel 2 -o gal.fits "${cpu[@]}"
expect_status 0
check galactic
run regrid beam.fits --like coarse.fits -o b.fits "${cpu[@]}" --use-rms-map rms.fits --write-rms-map rms_c.fits --write-psf-map psf.fits --json facts.json
expect_status 0
expect_in facts.json '"noise_gain"' '"interpolation": "fitted"' 'psf.fits'
check cube
run info psf.fits
expect_status 0
expect_in out "3"

# Planes with beams of their own, one without: the map has a beam for each, with which find gets their totals right.
cat >beams.py <<'E2'
import struct, sys; from sky import *
FWHM = [4.0, 5.0, 0.0, 6.0]  # pixels; 0: none
if sys.argv[1] == "make":
    rng = np.random.default_rng(8)
    v, u = np.mgrid[:200, :200]
    sky = np.array([sum(gauss(u - x, v - y, f or 5) for x, y in ((60.3, 60.2), (130.1, 70.4), (80.4, 140.3))) for f in FWHM])
    keys = dict(sin_keys(200, 200.0, 70.0, 2.0), CTYPE3="FREQ", CRVAL3=1e9, CRPIX3=1.0, CDELT3=1e6, CASAMBM=True, EXTEND=True)
    for name, widths in (("own", FWHM), ("late", [0.0] + FWHM[1:]), ("alike", [5.0] * 4), ("none", [0.0] * 4)):
        write(name + ".fits", sky + rng.normal(0, .005, sky.shape), keys)
        columns = zip(("BMAJ", "BMIN", "BPA", "CHAN", "POL"), "EEEJJ", ("arcsec", "arcsec", "deg", "", ""))
        cards = [card(k, w) for i, (n, f, t) in enumerate(columns, 1) for k, w in (("TTYPE%d" % i, n), ("TFORM%d" % i, "1" + f), ("TUNIT%d" % i, t))]
        text = "XTENSION= 'BINTABLE'".ljust(80) + "".join([card(k, w) for k, w in dict(BITPIX=8, NAXIS=2, NAXIS1=20, NAXIS2=4, PCOUNT=0, GCOUNT=1, TFIELDS=5).items()] + cards
                       + [card("EXTNAME", "BEAMS"), card("NCHAN", 4), card("NPOL", 1)]) + "END".ljust(80)
        rows = b"".join(struct.pack(">fffii", 2 * f, 2 * f, 0, k, 0) for k, f in enumerate(widths))
        open(name + ".fits", "ab").write((text + " " * (-len(text) % 2880)).encode() + rows + b"\0" * (-len(rows) % 2880))
elif sys.argv[1] == "map":
    widths = [float(f) for f in sys.argv[3:]]
    got, _ = read(sys.argv[2])
    assert got.shape[:-2] == ((4, 3) if len(widths) > 1 else (3,)), got.shape
    got = got.reshape(len(widths), 3, *got.shape[-2:])
    for k, f in enumerate(widths):
        if not f: assert np.isnan(got[k]).all(), k
        else: assert np.isfinite(got[k]).any() and np.nanmax(abs(got[k, :2] * 1800 / f - 1)) < 1e-3, (k, got[k])
elif sys.argv[1] == "totals":
    lines = [line.rstrip().split(",") for line in open(sys.argv[2]) if not line.startswith("#")]
    at = {name: i for i, name in enumerate(lines[0])}
    rows = [(int(line[at["Plane"]]), float(line[at["Total_flux"]])) for line in lines[1:]]
    assert sorted(k for k, _ in rows) == [0] * 3 + [1] * 3 + [3] * 3, rows
    assert all(abs(total - 1) < .03 for _, total in rows), rows
E2
beams() { what="beams.py $*"; status=0; python3 beams.py "$@" >out 2>err || status=$?; expect_status 0; }
beams make
for name in own late alike; do
  run regrid "$name.fits" --like own.fits --beam-is sky -o "${name}_b.fits" --write-psf-map "${name}_psf.fits" "${cpu[@]}"
  expect_status 0
done
beams map own_psf.fits 4 5 0 6
beams map late_psf.fits 0 5 0 6
beams map alike_psf.fits 5
expect_in own_b.fits "regrid: beam of plane 0 8 x 8 arcsec"
expect_in alike_b.fits "regrid: beam 10 x 10 arcsec"
run regrid own.fits --like own.fits --beam-is sky --plane 3 -o one_b.fits --write-psf-map one_psf.fits "${cpu[@]}"
expect_status 0
beams map one_psf.fits 6
run find own_b.fits --planes all --psf-map own_psf.fits -o own.csv --backend cpu
expect_status 0
expect_in err "plane 2" "it has no beam"
beams totals own.csv
run regrid none.fits --like own.fits -o no.fits --write-psf-map no_psf.fits "${cpu[@]}"
expect_status 2
expect_in err "none.fits has no beam"
for file in no.fits no_psf.fits; do expect_no_file "$file"; done

# A grid of its own kind for every projection, and on to itself the same pixels.
for projection in SIN TAN ZEA ARC STG CAR AIT MOL HPX; do
  run regrid beam.fits --projection "$projection" --pixel 3 --rotate 10 -o p.fits --overwrite "${cpu[@]}"
  expect_status 0
done
run regrid beam.fits --like beam.fits -o same.fits "${cpu[@]}"
expect_status 0
what="a grid onto itself"
status=0
python3 -c 'from sky import *; import sys; a, b = read("same.fits")[0], read("beam.fits")[0]; b[np.isinf(b)] = np.nan; sys.exit(not np.array_equal(a, b, equal_nan=True))' || status=$?
expect_status 0

# What it refuses, before any work.
refused() { run regrid "$@" "${cpu[@]}"; expect_status 2; [ ! -e no.fits ] || report "no.fits was written"; }
refused beam.fits -o no.fits
expect_in err "say which grid"
refused beam.fits --like far.fits -o no.fits
expect_in err "no pixel of it lies on the grid"
refused bare.fits --like coarse.fits -o no.fits
expect_in err "no sky coordinates"
refused beam.fits --like bare.fits -o no.fits
expect_in err "no sky coordinates"
refused beam.fits --like coarse.fits --pixel 3 -o no.fits
expect_in err "--like takes the whole grid"
refused beam.fits --projection SIN --size 0 -o no.fits
refused beam.fits --projection SIN --centre here -o no.fits
refused beam.fits --like coarse.fits -o no.fits --write-rms-map r.fits
expect_in err "belong together"
refused beam.fits --like coarse.fits -o beam_c.fits
expect_in err "exists"
run regrid beam.fits --like coarse.fits -o no.fits "${cpu[@]}" --dry-run
expect_status 0
[ ! -e no.fits ] || report "--dry-run wrote a file"
finish
