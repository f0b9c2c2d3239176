#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# CASA images, made by casacore of FITS: the same rows as the FITS, in every command; damaged folders end in a sentence.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
if [ -z "${REBER_CASA_MAKER:-}" ]; then
  echo "skipped: no casacore (casacore-dev) when the tests were built"
  exit 77
fi
cpu=(--backend cpu)
make() { "$REBER_CASA_MAKER" "$1" "$2" "${3:-float}" >made 2>&1 || { cat made; exit 1; }; }

# Positions to 1e-12 deg, values to 1e-9 of their errors.
expect_same_rows() {  # ONE OTHER
  checks=$((checks + 1))
  python3 - "$1" "$2" <<'END' || report "expected the same rows in $1 and $2"
import csv, sys
def rows(path):
    lines = [line for line in open(path) if not line.startswith("#")]
    return list(csv.DictReader(lines))
one, other = rows(sys.argv[1]), rows(sys.argv[2])
same = len(one) == len(other) > 0
for a, b in zip(one, other):
    for name in a:
        x, y = a[name], b[name]
        if x == y: continue
        apart = abs(float(x) - float(y))
        error = float(a.get("E_" + name) or 0)
        bound = 1e-12 if name in ("RA", "DEC") else max(1e-9 * error, 1e-12 * abs(float(x)))
        if not apart <= bound:
            print(name, x, y)
            same = False
sys.exit(0 if same else 1)
END
}

# --- one plane -------------------------------------------------------------------------------------------------------
run simulate sky.fits --size 300 --blank-corners "${cpu[@]}"
make sky.fits sky.image
make sky.fits double.image double
make sky.fits complex.image complex
run find sky.fits -o fits.csv "${cpu[@]}"
run find sky.image -o casa.csv "${cpu[@]}"
expect_status 0
expect_same_rows fits.csv casa.csv
run find double.image/ -o double.csv "${cpu[@]}"
expect_status 0
expect_same_rows fits.csv double.csv
run info sky.image --json info.json "${cpu[@]}"
expect_status 0
expect_in out "CASA image, 300 x 300, BITPIX -32" "Jy/beam"
run info sky.fits --json fits.json "${cpu[@]}"
checks=$((checks + 1))
python3 - <<'END' || report "expected the facts of info.json to be those of fits.json"
import json
a, b = (json.load(open(name)) for name in ("fits.json", "info.json"))
near = lambda x, y: abs(x - y) <= 1e-12 * max(1, abs(x))
assert all(near(a["beam"][k], b["beam"][k]) for k in a["beam"]) and a["object"] == b["object"]
assert all(near(x, y) for x, y in zip(a["centre_deg"], b["centre_deg"])), (a["centre_deg"], b["centre_deg"])
assert a["statistics"] == b["statistics"] and a["projection"] == b["projection"] and a["frame"] == b["frame"]
END
run info complex.image "${cpu[@]}"
expect_status 3
expect_in err "complex.image" "complex numbers"
run smooth sky.image --to-beam 60,60,0 -o smoothed "${cpu[@]}"
expect_status 0
[ -f smoothed/sky_smoothed.fits ] || report "expected smoothed/sky_smoothed.fits"
run run sky.image -o done "${cpu[@]}"
expect_status 0
expect_same_rows fits.csv done/sky.csv
run info sky.image --hdu 1 "${cpu[@]}"
expect_status 2
expect_in err "no HDU 1" "CASA image"

# --- cubes: a Stokes axis, beams of planes, axes in another order ------------------------------------------------------
cat >make.py <<'END'
import random, struct, math
random.seed(5)
N, CHANNELS, STOKES, PIX = 64, 3, 2, 1.5
def card(key, value):
    text = "%20s" % ("T" if value else "F") if isinstance(value, bool) else "'%-8s'" % value if isinstance(value, str) else "%20s" % repr(value)
    return ("%-8s= %s" % (key, text)).ljust(80)
def blocks(cards):
    text = "".join(cards) + "END".ljust(80)
    return (text + " " * (-len(text) % 2880)).encode()
def padded(data):
    return data + b"\0" * (-len(data) % 2880)
def pixel(x, y, f, s):
    size = (6 + f + 0.5 * s) / PIX / 2.3548
    return random.gauss(0, .001) + .05 * (1 + f + s) * math.exp(-((x - 30.3) ** 2 + (y - 25.6) ** 2) / 2 / size / size)
def write(name, order):
    sizes = {"x": N, "y": N, "f": CHANNELS, "s": STOKES}
    axes = {"x": ("RA---SIN", 150.25, 33.0, -PIX / 3600, "deg"), "y": ("DEC--SIN", 2.2, 33.0, PIX / 3600, "deg"),
            "f": ("FREQ", 1.4e9, 1.0, 1e6, "Hz"), "s": ("STOKES", 1.0, 1.0, 1.0, "")}
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", 4)]
    cards += [card("NAXIS%d" % (i + 1), sizes[a]) for i, a in enumerate(order)]
    for i, a in enumerate(order):
        cards += [card("%s%d" % (k, i + 1), v) for k, v in zip(("CTYPE", "CRVAL", "CRPIX", "CDELT", "CUNIT"), axes[a])]
    cards += [card("BUNIT", "Jy/beam"), card("RESTFRQ", 1.42e9), card("SPECSYS", "LSRK"), card("CASAMBM", True),
              card("OBJECT", "FIELD 7"), card("TELESCOP", "VLA"), card("DATE-OBS", "2020-02-03T04:05:06")]
    values = []
    for i in range(N * N * CHANNELS * STOKES):
        at, rest = {}, i
        for a in order:
            at[a], rest = rest % sizes[a], rest // sizes[a]
        values.append(pixels[at["x"], at["y"], at["f"], at["s"]])
    rows = b"".join(struct.pack(">fffii", 6 + f + .5 * s, 5 + f, 20 + f, f, s) for f in range(CHANNELS) for s in range(STOKES))
    table = [card("XTENSION", "BINTABLE"), card("BITPIX", 8), card("NAXIS", 2), card("NAXIS1", 20),
             card("NAXIS2", CHANNELS * STOKES), card("PCOUNT", 0), card("GCOUNT", 1), card("TFIELDS", 5)]
    for i, (n, f, u) in enumerate([("BMAJ", "1E", "arcsec"), ("BMIN", "1E", "arcsec"), ("BPA", "1E", "deg"), ("CHAN", "1J", ""), ("POL", "1J", "")]):
        table += [card("TTYPE%d" % (i + 1), n), card("TFORM%d" % (i + 1), f)] + ([card("TUNIT%d" % (i + 1), u)] if u else [])
    table += [card("EXTNAME", "BEAMS"), card("NCHAN", CHANNELS), card("NPOL", STOKES)]
    open(name, "wb").write(blocks(cards) + padded(struct.pack(">%df" % len(values), *values)) + blocks(table) + padded(rows))
pixels = {(x, y, f, s): pixel(x, y, f, s) for x in range(N) for y in range(N) for f in range(CHANNELS) for s in range(STOKES)}
for order in ("xysf", "xyfs", "fxys", "yxsf"):
    write(order + ".fits", order)
END
python3 make.py || exit 1
for order in xysf xyfs fxys yxsf; do
  make $order.fits $order.image
  run find $order.fits --planes all -o fits_$order.csv "${cpu[@]}"
  run find $order.image --planes all -o casa_$order.csv "${cpu[@]}"
  expect_status 0
  [ "$(wc -l <casa_$order.csv)" -ge 7 ] || report "expected a source in each of six planes"
  expect_same_rows fits_$order.csv casa_$order.csv
done
run info xysf.image --plane 3 --json plane.json "${cpu[@]}"
expect_in out "FIELD 7" "VLA" "2020-02-03"
expect_json plane.json 'd["frequency_hz"] == 1401000000.0 and abs(d["beam"]["major_deg"] - 7.5 / 3600) < 1e-9'

# --- what is no image, and what is missing ---------------------------------------------------------------------------
mkdir folder && run info folder "${cpu[@]}"
expect_status 3
expect_in err "folder"
cp -r sky.image other && printf 'Type = Measurement Set\nSubType = \n' >other/table.info
run info other "${cpu[@]}"
expect_status 3
expect_in err "Measurement Set" "no image"
mkdir bin && cp "$reber" bin
alone=$reber
reber=$PWD/bin/reber
run info sky.image "${cpu[@]}"
expect_status 2
expect_in err "sky.image" casacore-dev libreber_casacore.so
reber=$alone

# --- damage: a sentence and exit code 3, or pixels; never a crash, nor a wait ------------------------------------------
cat >damage.py <<'END'
import os, random, shutil, subprocess, sys, time
random.seed(11)
reber, image, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = [os.path.relpath(os.path.join(folder, name), image) for folder, _, names in os.walk(image) for name in names]
jobs = [(name, how) for name in sorted(files) for how in ("empty", "half", "less", "gone")]
jobs += [(random.choice(files), "flip") for _ in range(count)]
tables = [name for name in files if name.endswith(("table.dat", "table.f0"))]
jobs += [(random.choice(tables), "flip") for _ in range(count)] + [(random.choice(tables), "word") for _ in range(count)]
bad = refused = 0
for name, how in jobs:
    shutil.rmtree("hurt.image", ignore_errors=True)
    shutil.copytree(image, "hurt.image")
    path = os.path.join("hurt.image", name)
    data = bytearray(open(path, "rb").read())
    if how == "half": data = data[:len(data) // 2]
    if how == "less": data = data[:-1]
    if how == "empty": data = b""
    if how == "flip" and data:
        for _ in range(random.randint(1, 4)): data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    if how == "word" and len(data) > 4:
        at = random.randrange(len(data) - 4)
        data[at:at + 4] = random.choice([b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0"])
    open(path, "wb").write(data)
    if how == "gone": os.remove(path)
    begun = time.time()
    try:
        done = subprocess.run([reber, "info", "hurt.image", "--backend", "cpu", "--plane", "0"], capture_output=True, text=True, errors="replace", timeout=60)
        status = done.returncode
    except subprocess.TimeoutExpired:
        status = "no end"
    refused += status == 3
    if status not in (0, 3) or (status == 3 and "hurt.image" not in done.stderr):
        bad += 1
        print(name, how, status, done.stderr[:300] if status != "no end" else "")
print(len(jobs), "folders,", refused, "refused")
sys.exit(1 if bad or refused < len(files) else 0)
END
for image in sky.image xysf.image; do
  what="damage of $image"
  python3 damage.py "$reber" $image 40 >out 2>err || report "expected pixels, or a sentence and exit code 3"
  cat out
done

finish
