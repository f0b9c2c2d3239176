#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber mosaic: five fields against the formulae of linmos and MosaicQueen in NumPy, pixel by pixel; noise; refusals.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu --quiet)
needs_numpy

cat >fields.py <<'E2'
import sys, numpy as np
def card(key, value):
    text = "'%-8s'" % value if isinstance(value, str) else "%20s" % ("T" if value is True else repr(value))
    return ("%-8s= %s" % (key, text)).ljust(80)
def write(name, data, keys):
    data = np.asarray(data, ">f4")
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", 2), card("NAXIS1", data.shape[1]), card("NAXIS2", data.shape[0])]
    text = "".join(cards + [card(k, v) for k, v in keys.items()]) + "END".ljust(80)
    body = data.tobytes()
    open(name, "wb").write((text + " " * (-len(text) % 2880)).encode() + body + b"\0" * (-len(body) % 2880))
def read(name):
    raw = open(name, "rb").read()
    at, shape = 0, {}
    while raw[at:at + 8].strip() != b"END":
        if raw[at:at + 5] == b"NAXIS": shape[raw[at:at + 6].decode()] = int(raw[at + 10:at + 30])
        at += 80
    at = (at // 2880 + 1) * 2880
    ny, nx = shape["NAXIS2"], shape["NAXIS1"]
    return np.frombuffer(raw[at:at + 4 * ny * nx], ">f4").reshape(ny, nx).astype(float)
N, M, PIX, LON, LAT = 160, 400, 5.0, 80.0, 40.0
# One projection for all, so that fields are the grid's own pixels moved by whole ones: no interpolation is in the way.
OFFSETS = [(0, 0), (90, 10), (-85, 20), (15, 95), (-10, -88)]
RMS, FWHM, NU = [1.0, 1.3, .8, 1.1, 2.0], 0.13, 1400.0
def keys(n, x, y, beam=(15.0, 15.0, 0.0)):
    k = {"CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "CRVAL1": LON, "CRVAL2": LAT, "CRPIX1": n / 2 + 1.0 - x, "CRPIX2": n / 2 + 1.0 - y,
         "CDELT1": -PIX / 3600, "CDELT2": PIX / 3600, "BUNIT": "Jy/beam", "RESTFRQ": 1.0e9}
    if beam: k.update(BMAJ=beam[0] / 3600, BMIN=beam[1] / 3600, BPA=beam[2])
    return k
def fields():
    rng = np.random.default_rng(11)
    for i, ((x, y), rms) in enumerate(zip(OFFSETS, RMS)):
        v = rng.normal(0, rms, (N, N)) + 5
        v[:3] = np.nan; v[60 + i, 70:75] = np.nan
        yield i, x, y, rms, v
# Gaussians of ten pixels all along the edges of the second of two fields, half a pixel from the first.
def smooth(n, x, y):
    v, u = np.mgrid[:n, :n] - n / 2
    v, u = v + y, u + x
    return sum(np.exp(-4 * np.log(2) * ((u - a) ** 2 + (v - b) ** 2) / 100) for a, b in [(-39.5, b) for b in range(-60, 70, 25)] + [(a, -69.5) for a in range(-30, 70, 25)])
# The pointing of all is their reference pixel, which is the middle of the grid: p goes with the distance from there.
def beam(i):
    v, u = np.mgrid[:M, :M] - M / 2
    l, m = np.radians(u * PIX / 3600), np.radians(v * PIX / 3600)
    theta = 2 * np.arcsin(np.sqrt((l * l + m * m + (1 - np.sqrt(1 - l * l - m * m)) ** 2)) / 2)
    return np.exp(-4 * np.log(2) * (theta / np.radians(FWHM * NU / 1000)) ** 2)
def expected(cutoff, final, corrected=False, primary=True):
    top, weight = np.zeros((M, M)), np.zeros((M, M))
    for i, x, y, rms, v in fields():
        part = np.s_[M // 2 - N // 2 + y:M // 2 + N // 2 + y, M // 2 - N // 2 + x:M // 2 + N // 2 + x]
        p = beam(i)[part] if primary else np.ones((N, N))
        w = np.where(np.isfinite(v) & (p >= cutoff), p * p / rms ** 2, 0)       # linmos: weight < cutoff^2 max(weight)
        value = np.where(np.isfinite(v), v, 0)
        top[part] += w * value if corrected else np.where(w > 0, p / rms ** 2, 0) * value
        weight[part] += w
    keep = (weight > 0) & (weight >= final ** 2 * weight.max())
    with np.errstate(all="ignore"):
        noise = 1 / np.sqrt(weight)
        queen = noise > noise[weight > 0].min() / final if final > 0 else weight == 0   # MosaicQueen's words
    assert final == 0 or ((~keep) == (queen | (weight == 0))).all()
    with np.errstate(all="ignore"):
        return np.where(keep, top / weight, np.nan), np.where(keep, weight, np.nan)
def compare(name, want, bound):
    got = read(name)
    assert (np.isfinite(got) == np.isfinite(want)).all(), (name, "blanks", (np.isfinite(got) != np.isfinite(want)).sum())
    worst = np.nanmax(abs(got / want - 1))
    assert worst < bound, (name, worst)
what = sys.argv[1]
if what == "make":
    for i, x, y, rms, v in fields():
        write("f%d.fits" % i, v, keys(N, x, y))
        part = np.s_[M // 2 - N // 2 + y:M // 2 + N // 2 + y, M // 2 - N // 2 + x:M // 2 + N // 2 + x]
        write("f%d_pb.fits" % i, beam(i)[part], keys(N, x, y, None))
    write("grid.fits", np.zeros((M, M)), keys(M, 0, 0))
    open("rms.txt", "w").write("# name rms\n" + "".join("f%d %g\n" % p for p in enumerate(RMS)))
    write("wide.fits", np.ones((N, N)), keys(N, 0, 0, (30.0, 20.0, 10.0)))
    write("beamless.fits", np.ones((N, N)), keys(N, 0, 0, None))
    write("zero.fits", np.zeros((N, N)), keys(N, 0, 0))
    far = keys(N, 0, 0); far["CRVAL2"] = -60.0
    write("far.fits", np.ones((N, N)), far)
    rng = np.random.default_rng(5)
    for i in range(2):
        k = keys(256, 0, 0); k["CRVAL1"] += .003 * i; k["CRVAL2"] += .002 * i
        f = np.fft.fft2(rng.normal(0, 1, (256, 256)))
        g = np.fft.fftfreq(256); t = np.exp(-np.pi ** 2 / (8 * np.log(2)) * 9 * (g[:, None] ** 2 + g ** 2) )
        n = np.fft.ifft2(f * t).real
        write("n%d.fits" % i, n / n.std(), k)
    for i, (x, y) in enumerate([(0, 0), (40.5, 10.5)]):
        write("e%d.fits" % i, smooth(N, x, y), keys(N, x, y))
elif what == "edges":
    got, want = read("e.fits"), smooth(M, 0, 0)
    inner = np.s_[M // 2 - N // 2 + 5:M // 2 + N // 2 - 5, M // 2 - N // 2 + 5:M // 2 + N // 2 - 5]
    worst = abs(got[inner] - want[inner]).max()
    assert worst < 3e-4, worst
elif what == "formula":
    image, weight = expected(float(sys.argv[2]), float(sys.argv[3]), "corrected" in sys.argv, "plain" not in sys.argv)
    compare("m.fits", image, 3e-5)
    compare("w.fits", weight, 3e-5)
    compare("s.fits", 1 / np.sqrt(weight), 4e-3)
elif what == "smoothed" and sys.argv[2] == "make":
    # Noise of rms 1 whose power goes like the transfer of beams of 3 and 6 pixels.
    rng, g = np.random.default_rng(6), np.fft.fftfreq(256)
    for i, fwhm in enumerate((3, 6)):
        t = np.exp(-np.pi ** 2 / (8 * np.log(2)) * fwhm ** 2 * (g[:, None] ** 2 + g ** 2))
        n = np.fft.ifft2(np.fft.fft2(rng.normal(0, 1, (256, 256))) * t).real
        write("j%d.fits" % i, n / n.std(), keys(256, 0, 0, (fwhm * PIX, fwhm * PIX, 0.0)))
elif what == "smoothed":
    raw = open(sys.argv[2], "rb").read().decode("latin-1").replace("'", " ")
    cards = "".join(raw[i:i + 80][8:].strip() + " " for i in range(0, raw.index("END" + " " * 77), 80) if raw[i:i + 7] == "HISTORY")
    told = [float(cards.split("mosaic: j%d.fits, rms " % i)[1].split()[0]) for i in (0, 1)]
    assert all(cards.split("mosaic: j%d.fits, rms " % i)[1].split(",")[0].endswith("after smoothing") for i in (0, 1)), cards
    # To 6 pixels: four times the area of the beam, and sqrt(9 / (9 + 2 (36 - 9))) of the rms.
    assert abs(told[0] - 4 / np.sqrt(7)) < .05 and abs(told[1] - 1) < .05, told
    weight, noise = read("jw.fits")[100:150, 100:150], read("js.fits")[100:150, 100:150]
    want = sum(rms ** -2 for rms in told)
    assert abs(weight / want - 1).max() < 1e-4 and abs(noise * np.sqrt(want) - 1).max() < 1e-2, (weight, want)
elif what == "noise":
    got, rms = read("nm.fits"), read("ns.fits")
    part = np.s_[60:200, 60:200]
    ratio = np.nanstd(got[part] / rms[part])
    assert .93 < ratio < 1.07, ratio
E2
check() { what="fields.py $*"; status=0; python3 fields.py "$@" >out 2>err || status=$?; expect_status 0; }
check make
outputs=(-o m.fits --write-weight w.fits --write-rms-map s.fits --overwrite)
run mosaic f?.fits --like grid.fits --weights rms.txt --beam-model gaussian:0.13@1400 "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula .1 .2
run mosaic f?.fits --like grid.fits --weights rms.txt --beam-model gaussian:0.13@1400 --cutoff .3 --final-cutoff .5 --pb-corrected "${outputs[@]}" "${cpu[@]}" --threads 1
expect_status 0
check formula .3 .5 corrected
run mosaic f?.fits --like grid.fits --weights rms.txt --beam-model image:%_pb.fits "${outputs[@]}" "${cpu[@]}"
expect_status 0
check formula .1 .2
run mosaic f?.fits --like grid.fits --weights rms.txt --final-cutoff 0 "${outputs[@]}" "${cpu[@]}" --write-psf-map p.fits --coverage c.fits --json facts.json
expect_status 0
check formula .1 0 plain
expect_in facts.json '"history"' 'c.fits'

# Where a field ends, its poorer pixels give way to those of another one.
run mosaic e0.fits e1.fits --like grid.fits --weights uniform --final-cutoff 0 -o e.fits "${cpu[@]}"
expect_status 0
check edges

# Noise correlated like the beam, two fields half a pixel apart: the map of the noise says what there is.
run mosaic n0.fits n1.fits -o nm.fits --write-rms-map ns.fits "${cpu[@]}"
expect_status 0
check noise

# Fields of other frequencies are told.
expect_not_in facts.json "MHz"
LC_ALL=C sed 's/1000000000.0/1200000000.0/' f1.fits >higher.fits
run mosaic f0.fits higher.fits --like grid.fits --weights uniform -o frequencies.fits --json other.json "${cpu[@]}"
expect_status 0
expect_in other.json "fields of 1000 to 1200 MHz"

# Beams that differ are smoothed first.
run mosaic f0.fits wide.fits --like grid.fits -o no.fits "${cpu[@]}"
expect_status 2
expect_in err "give --common or --to-beam"
run mosaic f0.fits f1.fits wide.fits --like grid.fits -o common.fits --common --weights uniform "${cpu[@]}"
expect_status 0
expect_no_file .reber-*
# They are told of by the names of the user's files, which a pattern of primary beams stands for as well.
expect_in common.fits "mosaic: wide.fits, uniform weight,"
expect_not_in common.fits ".reber-"
run mosaic f0.fits f1.fits --like grid.fits -o common.fits --to-beam 40,40,0 --beam-model image:%_pb.fits --weights uniform --overwrite "${cpu[@]}"
expect_status 0

# The rms of fields that are smoothed first is that of what is added; one of the fields as they are is refused.
check smoothed make
run mosaic j0.fits j1.fits --common -o j.fits --write-weight jw.fits --write-rms-map js.fits "${cpu[@]}"
expect_status 0
check smoothed j.fits
run mosaic j0.fits --to-beam 40,40,0 -o j.fits --overwrite "${cpu[@]}"
expect_status 0
expect_in j.fits "j0.fits, rms" "after smoothing"
run mosaic j0.fits -o j.fits --overwrite "${cpu[@]}"
expect_status 0
expect_not_in j.fits "after smoothing"

# What it refuses, before any work.
refused() { run mosaic "$@" "${cpu[@]}"; [ "$status" -eq 2 ] || expect_status 2; [ ! -e no.fits ] || report "no.fits was written"; }
refused f0.fits far.fits --like grid.fits -o no.fits
expect_in err "no pixel of it lies on the grid"
refused f0.fits f1.fits --like grid.fits --weights uniform -o no.fits --write-rms-map no_rms.fits
expect_in err "--weights uniform knows no rms"
printf 'f0 1\nf1 1.3\n' >two.txt
for words in --common "--to-beam 40,40,0"; do
  # shellcheck disable=SC2086
  refused f0.fits f1.fits --like grid.fits --weights two.txt $words -o no.fits
  expect_in err "1 is the rms of f0.fits as it is" "smooth the fields"
done
refused f0.fits beamless.fits --like grid.fits -o no.fits
expect_in err "has no beam"
refused f0.fits zero.fits --like grid.fits -o no.fits
expect_in err "noise cannot be measured"
cp f1_pb.fits f9_pb.fits
cp f0.fits f9.fits
refused f9.fits --like grid.fits --beam-model image:%_pb.fits -o no.fits
expect_in err "not on the grid of"
refused f0.fits --like grid.fits --beam-model gaussian:1 -o no.fits
refused f0.fits --like grid.fits --beam-model airy:12,13 -o no.fits
printf 'f7 1 2\n' >shifts.txt
refused f0.fits --like grid.fits --shifts shifts.txt -o no.fits
expect_in err "is none of the images"
printf 'f0 0\n' >scales.txt
refused f0.fits --like grid.fits --scales scales.txt -o no.fits
refused f0.fits --like grid.fits --cutoff 2 -o no.fits
finish
