#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber mosaic: cubes plane by plane, and maps of the rms as weights, against the formulae in NumPy pixel by pixel.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu --quiet)
python3 -c 'import numpy' 2>/dev/null || { echo "python3-numpy is needed"; exit 77; }

cat >cubes.py <<'E2'
import struct, sys, numpy as np
def card(key, value):
    text = "'%-8s'" % value if isinstance(value, str) else "%20s" % ("T" if value is True else repr(value))
    return ("%-8s= %s" % (key, text)).ljust(80)
def padded(body, fill=b"\0"): return body + fill * (-len(body) % 2880)
def head(cards): return padded(("".join(cards) + "END".ljust(80)).encode(), b" ")
def write(name, data, keys, beams=None):
    data = np.asarray(data, ">f4")
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", data.ndim)]
    cards += [card("NAXIS%d" % (i + 1), n) for i, n in enumerate(data.shape[::-1])] + [card(k, v) for k, v in keys.items()]
    out = b""
    if beams is not None:
        cards += [card("CASAMBM", True), card("EXTEND", True)]
        rows = b"".join(struct.pack(">fffii", b[0], b[1], b[2], k, 0) for k, b in enumerate(beams))
        names = zip(("BMAJ", "BMIN", "BPA", "CHAN", "POL"), "EEEJJ", ("arcsec", "arcsec", "deg", "", ""))
        columns = [card(k, v) for i, (n, f, u) in enumerate(names, 1) for k, v in (("TTYPE%d" % i, n), ("TFORM%d" % i, "1" + f), ("TUNIT%d" % i, u))]
        out = head(["XTENSION= 'BINTABLE'".ljust(80), card("BITPIX", 8), card("NAXIS", 2), card("NAXIS1", 20), card("NAXIS2", len(beams)), card("PCOUNT", 0),
                    card("GCOUNT", 1), card("TFIELDS", 5)] + columns + [card("EXTNAME", "BEAMS"), card("NCHAN", len(beams)), card("NPOL", 1)]) + padded(rows)
    open(name, "wb").write(head(cards) + padded(data.tobytes()) + out)
def read(name):
    raw = open(name, "rb").read()
    at, keys = 0, {}
    while raw[at:at + 8].strip() != b"END":
        keys[raw[at:at + 8].strip().decode()] = raw[at + 10:at + 30].strip().decode()
        at += 80
    at = (at // 2880 + 1) * 2880
    shape = [int(keys["NAXIS%d" % i]) for i in range(int(keys["NAXIS"]), 0, -1)]
    n = int(np.prod(shape))
    return np.frombuffer(raw[at:at + 4 * n], ">f4").reshape(shape).astype(float)
def table(name):
    """Major axes of the table of beams in arcsec."""
    raw = open(name, "rb").read()
    at = raw.index(b"XTENSION")
    at = (raw.index(b"END" + b" " * 77, at) // 2880 + 1) * 2880
    got = np.array([struct.unpack(">f", raw[at + 20 * k:at + 20 * k + 4])[0] for k in range(CHANNELS)])
    return got * (3600 if got[0] < 1 else 1)
# One projection and pixels a whole number apart: no interpolation is in the way.
N, M, PIX, LON, LAT, CHANNELS = 96, 200, 5.0, 80.0, 40.0, 5
OFFSETS = [(0, 0), (50, 10), (-45, 20), (5, -52)]
FWHM, NU0, STEP = 0.1, 1.0e9, 5.0e7
FLAGGED = {(1, 2), (0, 4), (1, 4), (2, 4), (3, 4)}       # field, channel: blank
def beams(shift=0.0): return [(15.0 + k + shift, 14.0 + k, 0.0) for k in range(CHANNELS)]
def keys(n, x, y, beam=True, channels=True, first=NU0):
    k = {"CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "CRVAL1": LON, "CRVAL2": LAT, "CRPIX1": n / 2 + 1.0 - x, "CRPIX2": n / 2 + 1.0 - y,
         "CDELT1": -PIX / 3600, "CDELT2": PIX / 3600, "BUNIT": "Jy/beam", "RESTFRQ": 1.42e9}
    if channels: k.update(CTYPE3="FREQ", CRVAL3=first, CDELT3=STEP, CRPIX3=1.0, CUNIT3="Hz", SPECSYS="BARYCENT")
    if beam: k.update(BMAJ=15.0 / 3600, BMIN=14.0 / 3600, BPA=0.0)
    return k
def rms_of(i, k): return (1 + .3 * i) * (1 + .1 * k)
def fields():
    rng = np.random.default_rng(12)
    for i, (x, y) in enumerate(OFFSETS):
        v = np.array([rng.normal(0, rms_of(i, k), (N, N)) + 5 + k for k in range(CHANNELS)])
        v[:, :2] = np.nan; v[1, 30 + i, 40:44] = np.nan
        for k in range(CHANNELS):
            if (i, k) in FLAGGED: v[k] = np.nan
        yy, xx = np.mgrid[:N, :N]
        s = np.array([rms_of(i, k) * (1 + .5 * np.sin(xx / 9 + i) * np.cos(yy / 11 + k)) for k in range(CHANNELS)])
        s[:, 50:52, 60:64] = np.nan; s[:, 20, 20:24] = 0; s[:, 21, 20:24] = -1
        yield i, x, y, v.astype("f4").astype(float), s.astype("f4").astype(float)
def part(x, y): return np.s_[M // 2 - N // 2 + y:M // 2 + N // 2 + y, M // 2 - N // 2 + x:M // 2 + N // 2 + x]
def beam(k, x, y):
    v, u = np.mgrid[:M, :M] - M / 2
    l, m = np.radians(u * PIX / 3600), np.radians(v * PIX / 3600)
    theta = 2 * np.arcsin(np.sqrt((l * l + m * m + (1 - np.sqrt(1 - l * l - m * m)) ** 2)) / 2)
    return np.exp(-4 * np.log(2) * (theta / np.radians(FWHM * 1e9 / (NU0 + k * STEP))) ** 2)[part(x, y)]
def expected(noise, cutoff=.1, final=.2, corrected=False, primary=True, channels=range(CHANNELS)):
    """noise: table, plane (of each channel), first (channel 0 of the maps for all), or the number of a plane alone."""
    images, weights = [], []
    for k in channels:
        top, weight = np.zeros((M, M)), np.zeros((M, M))
        for i, x, y, v, s in fields():
            p = beam(k, x, y) if primary else np.ones((N, N))
            rms = np.full((N, N), rms_of(i, k)) if noise == "table" else s[0] if noise == "first" else s[k]
            # The map of an image that was divided by its beam is divided as well: weight 1 / map^2.
            with np.errstate(all="ignore"):
                w = np.where(np.isfinite(v[k]) & (p >= cutoff) & (rms > 0), p * p / rms ** 2, 0)
                sky = v[k] / p if corrected else v[k]
            value = np.where(w > 0, sky, 0)
            top[part(x, y)] += w * value if corrected else np.where(w > 0, w / p, 0) * value
            weight[part(x, y)] += w
        keep = (weight > 0) & (weight >= final ** 2 * weight.max())
        with np.errstate(all="ignore"):
            images.append(np.where(keep, top / weight, np.nan)); weights.append(np.where(keep, weight, np.nan))
    return np.squeeze(np.array(images)), np.squeeze(np.array(weights))
def compare(name, want, bound):
    got = read(name)
    assert got.shape == want.shape, (name, got.shape, want.shape)
    assert np.isfinite(want).any(), name
    assert (np.isfinite(got) == np.isfinite(want)).all(), (name, "blanks", (np.isfinite(got) != np.isfinite(want)).sum())
    worst = np.nanmax(abs(got / want - 1))
    assert worst < bound, (name, worst)
what = sys.argv[1]
if what == "make":
    for i, x, y, v, s in fields():
        p = np.array([beam(k, x, y) for k in range(CHANNELS)])
        write("f%d.fits" % i, v, keys(N, x, y, False), beams())
        write("f%d_rms.fits" % i, s, keys(N, x, y, False))
        write("f%d_rms0.fits" % i, s[0], keys(N, x, y, False, False))
        write("f%d_pb.fits" % i, p, keys(N, x, y, False))
        write("g%d.fits" % i, v / p, keys(N, x, y, False), beams())
        write("g%d_rms.fits" % i, s / p, keys(N, x, y, False))
        write("h%d.fits" % i, v[0], keys(N, x, y, channels=False) | {"CTYPE3": "FREQ", "CRVAL3": NU0, "CRPIX3": 1.0, "CDELT3": STEP})
        write("h%d_rms.fits" % i, s[0] * 1e3, keys(N, x, y, False, False) | {"BUNIT": "mJy/beam"})
    write("grid.fits", np.zeros((M, M)), keys(M, 0, 0, channels=False))
    open("rms.txt", "w").write("".join("f%d %s\n" % (i, " ".join("%.9g" % rms_of(i, k) for k in range(CHANNELS))) for i in range(4)))
    open("maps.txt", "w").write("# name, map\n" + "".join("h%d.fits h%d_rms.fits\n" % (i, i) for i in range(4)))
    *_, (i, x, y, v, s) = fields()
    write("later.fits", v, keys(N, x, y, False, first=NU0 + .02 * STEP), beams())
    write("close.fits", v, keys(N, x, y, False, first=NU0 + .005 * STEP), beams())
    write("short.fits", v[:4], keys(N, x, y, False), beams()[:4])
    write("stokes.fits", v, keys(N, x, y, False, False) | {"CTYPE3": "STOKES", "CRVAL3": 1.0, "CRPIX3": 1.0, "CDELT3": 1.0}, beams())
    write("frame.fits", v, keys(N, x, y, False) | {"SPECSYS": "TOPOCENT"}, beams())
    write("wide.fits", v, keys(N, x, y, False), beams(1.0))
    write("moved_rms.fits", s[0], keys(N, x + 1, y, False, False))
    write("small_rms.fits", s[0, :90], keys(N, x, y, False, False))
    write("four_rms.fits", s[:4], keys(N, x, y, False))
    write("kelvin_rms.fits", s[0], keys(N, x, y, False, False) | {"BUNIT": "K"})
    write("none_rms.fits", -abs(s[0]), keys(N, x, y, False, False))
elif what == "formula":
    words = sys.argv[3:]
    plane = [int(w[5:]) for w in words if w.startswith("plane")]
    final = .2 if "final0" not in words else 0
    image, weight = expected(sys.argv[2], final=final, corrected="corrected" in words, primary="plain" not in words, channels=plane or range(CHANNELS))
    compare("m.fits", image, 3e-5)
    compare("w.fits", weight, 3e-5)
    compare("s.fits", 1 / np.sqrt(weight), 4e-3)
elif what == "beams":
    got, right = table("m.fits"), np.array([b[0] for b in beams()])
    assert np.all(abs(got / right - 1) < 1e-4), (got, right)
elif what == "common":
    assert len(set(np.round(table(sys.argv[2])[:4], 3))) == int(sys.argv[3]), table(sys.argv[2])
elif what == "psf":
    got = read("p.fits")
    assert got.shape[:2] == (CHANNELS, 3), got.shape
    for k in range(CHANNELS - 1):
        worst = np.nanmax(abs(got[k, 0] * 3600 / beams()[k][0] - 1))
        assert worst < 2e-3, (k, worst)
    assert np.isnan(got[CHANNELS - 1]).all()
elif what == "same":
    a, b = read(sys.argv[2]), read(sys.argv[3])
    assert np.isfinite(b).any() and a.tobytes() == b.tobytes(), sys.argv
E2
check() { what="cubes.py $*"; status=0; python3 cubes.py "$@" >out 2>err || status=$?; expect_status 0; }
check make
outputs=(-o m.fits --write-weight w.fits --write-rms-map s.fits --overwrite)
model=(--beam-model gaussian:0.1@1000)

# Numbers for each channel; a channel without any field is blank, and a field that is blank in a channel is told of.
run mosaic f?.fits --like grid.fits --weights rms.txt "${model[@]}" "${outputs[@]}" --write-psf-map p.fits --coverage c.fits --json facts.json --backend cpu
expect_status 0
expect_in err "f1.fits: planes 2,4 do not count"
check formula table
check beams
check psf
expect_in facts.json "f1.fits, rms 1.30000e+00 to 1.69000e+00 in 3 of 5 planes" "in 4 of 5 planes"
expect_in m.fits "f1.fits, rms 1.30000e+00 to 1.69000e+00 in 3 of 5 planes" "SPECSYS"

# Maps of the rms: for each channel, one for all, of images that were divided by their beams, and beams as cubes.
run mosaic f?.fits --like grid.fits --weights map:%_rms.fits "${model[@]}" "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula plane
cp m.fits first.fits
run mosaic f?.fits --like grid.fits --weights map:%_rms.fits "${model[@]}" "${outputs[@]}" "${cpu[@]}" --threads 1
expect_status 0
check same m.fits first.fits
run mosaic f?.fits --like grid.fits --weights map:%_rms0.fits "${model[@]}" --final-cutoff 0 "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula first final0
run mosaic g?.fits --like grid.fits --weights map:%_rms.fits "${model[@]}" --pb-corrected "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula plane corrected
run mosaic f?.fits --like grid.fits --weights map:%_rms.fits --beam-model image:%_pb.fits "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula plane
# The plane of a cube as an image, with the plane of the map or the number of that channel.
run mosaic f?.fits --like grid.fits --plane 3 --weights map:%_rms.fits "${model[@]}" "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula plane plane3
run mosaic f?.fits --like grid.fits --plane 3 --weights rms.txt "${model[@]}" "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula table plane3
# Of images: names of maps in a table, in another unit.
run mosaic h?.fits --like grid.fits --weights maps.txt "${model[@]}" "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula plane plane0
expect_in m.fits "rms map h1_rms.fits"
run mosaic h?.fits --like grid.fits --weights maps.txt "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula plane plane0 plain

# Measured noise: what a plane alone has is what it has in the cube.
run mosaic f?.fits --like grid.fits "${model[@]}" "${outputs[@]}" "${cpu[@]}"
expect_status 0
run mosaic f?.fits --like grid.fits --plane 1 "${model[@]}" -o one.fits "${cpu[@]}"
expect_status 0
python3 -c 'exec(open("cubes.py").read().split("what =")[0]); write("cut.fits", read("m.fits")[1], {}); write("alone.fits", read("one.fits"), {})'
check same cut.fits alone.fits

# Beams that differ are smoothed first, to one beam, or to one for each plane.
run mosaic f0.fits f2.fits wide.fits --like grid.fits -o no.fits "${cpu[@]}"
expect_status 2
expect_in err "in plane 0" "give --common or --to-beam"
run mosaic f0.fits f2.fits wide.fits --like grid.fits -o common.fits --common --weights uniform "${cpu[@]}"
expect_status 0
check common common.fits 1
run mosaic f0.fits f2.fits wide.fits --like grid.fits -o each.fits --common --per-plane --weights uniform "${cpu[@]}"
expect_status 0
check common each.fits 4
expect_in each.fits "wide.fits smoothed to the common beam first"
run mosaic f0.fits f2.fits wide.fits --like grid.fits -o noise.fits --common --json noise.json "${cpu[@]}"
expect_status 0
expect_in noise.json "after smoothing in 4 of 5 planes"
expect_no_file .reber-*

# What it refuses, before any work.
refused() { run mosaic "$@" "${cpu[@]}"; [ "$status" -eq 2 ] || expect_status 2; [ ! -e no.fits ] || report "no.fits was written"; }
run mosaic f0.fits close.fits --like grid.fits -o near.fits "${cpu[@]}"
expect_status 0
for other in "later.fits:its plane 0 is of 1001 MHz and that of the other of 1000 MHz" "short.fits:it has 4 planes and the other has 5" \
  "stokes.fits:STOKES" "frame.fits:SPECSYS" "h0.fits:it has 1 planes"; do
  refused f0.fits "${other%%:*}" --like grid.fits -o no.fits
  expect_in err "its channels are not those of f0.fits" "${other#*:}"
done
for map in "moved:is not on the grid of f3.fits" "small:is not on the grid of f3.fits" "four:it has 4 planes and f3.fits has 5" "kelvin:its unit 'K'"; do
  refused f3.fits --like grid.fits --weights "map:${map%%:*}_rms.fits" -o no.fits
  expect_in err "${map#*:}"
done
refused h3.fits --like grid.fits --weights map:none_rms.fits -o no.fits
expect_in err "none_rms.fits: no pixel of it is above 0"
refused f0.fits f1.fits --like grid.fits --weights map:%_rms.fits --common -o no.fits
expect_in err "smooth the fields"
printf 'f0 1 2 3 4 5\nf1 1\n' >two.txt
refused f0.fits f1.fits --like grid.fits --weights two.txt --common --per-plane -o no.fits
expect_in err "1 is the rms of f0.fits as it is"
run mosaic f0.fits --like grid.fits --weights map:nothing.fits -o no.fits "${cpu[@]}"
expect_status 3
printf 'f0 1 2\n' >two.txt
refused f0.fits --like grid.fits --weights two.txt -o no.fits
expect_in err "2 numbers for its rms, and it has 5 channels"
printf 'f0 one.fits two.fits\n' >two.txt
refused f0.fits --like grid.fits --weights two.txt -o no.fits
refused f0.fits --like grid.fits --per-plane -o no.fits
finish
