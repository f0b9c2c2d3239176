#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a search leaves: sets of columns, formats, model and residual maps, and every option in HISTORY.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
image=$sample_data/galactic_plane_150mhz.fits
cpu=(--backend cpu --quiet)
name=galactic_plane_150mhz

cat >fits.py <<'E2'
# Just enough FITS for these tests: the cards and float pixels of one HDU.
import struct, sys
def hdus(path):
    data = open(path, "rb").read()
    at, out = 0, []
    while at < len(data):
        cards = []
        while True:
            card = data[at:at + 80].decode("ascii")
            at += 80
            if card.startswith("END "):
                break
            cards.append(card)
        at = (at + 2879) // 2880 * 2880
        value = {c[:8].strip(): c[10:].split("/")[0].strip() for c in cards if c[8:10] == "= "}
        size = abs(int(value["BITPIX"])) // 8
        for axis in range(int(value["NAXIS"])):
            size *= int(value["NAXIS%d" % (axis + 1)])
        if value["NAXIS"] == "0":
            size = 0
        size += int(value.get("PCOUNT", "0"))
        out.append((cards, value, data[at:at + size]))
        at = (at + size + 2879) // 2880 * 2880
    return out
def history(path, hdu):
    # Cards are full where a line goes on: they are joined without a blank.
    return "".join(c[8:].rstrip("\n") for c in hdus(path)[hdu][0] if c.startswith("HISTORY "))
def floats(path):
    data = hdus(path)[0][2]
    return struct.unpack(">%df" % (len(data) // 4), data)
E2

run find "$image" "${cpu[@]}" -o a.csv a.fits a.vot a.sqlite a.reg a.crtf a.ann --columns aegean
expect_status 0
expect_file a.csv a.fits a.vot a.sqlite a.reg a.crtf a.ann
checks=$((checks + 1))
head -n 1 a.csv | grep -q '^island,source,background,local_rms,ra_str,dec_str,ra,err_ra,dec,err_dec,peak_flux,' ||
  report "expected Aegean's columns in their order"
expect_in a.vot 'name="a" datatype="double" unit="arcsec"'
expect_in a.reg "ellipse("
expect_in a.crtf "ellipse [["
expect_in a.ann "ELLIPSE W"
run find "$image" "${cpu[@]}" -o b.csv --columns casda
expect_status 0
run find "$image" "${cpu[@]}" -o c.csv
expect_status 0
run find "$image" "${cpu[@]}" -o CAPITALS.CSV
expect_status 0
checks=$((checks + 1))
cmp -s c.csv CAPITALS.CSV || report "expected the same table under a name in capitals"
what="units of the sets"
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected the same sources in each set's units"
import csv
own, aegean, casda = [list(csv.DictReader(open(n + ".csv"))) for n in "cab"]
assert len(own) == len(aegean) == len(casda) > 100
for o, a, c in zip(own, aegean, casda):
    for theirs, ours, factor in [("a", "Maj", 3600), ("err_b", "E_Min", 3600), ("int_flux", "Total_flux", 1), ("ra", "RA", 1)]:
        assert abs(float(a[theirs]) - factor * float(o[ours])) <= 1e-9 * abs(float(a[theirs])), (theirs, a, o)
    for theirs, ours, factor in [("maj_axis", "Maj", 3600), ("flux_int", "Total_flux", 1e3), ("flux_peak_err", "E_Peak_flux", 1e3),
                                 ("ra_err", "E_RA", 3600), ("dec_deg_cont", "DEC", 1)]:
        assert abs(float(c[theirs]) - factor * float(o[ours])) <= 1e-9 * abs(float(c[theirs])), (theirs, c, o)
    d, m, s = c["dec_dms_cont"].lstrip("+-").split(":")
    assert abs(int(d) + int(m) / 60 + float(s) / 3600 - abs(float(c["dec_deg_cont"]))) < 0.51 / 3600
E2
run find "$image" "${cpu[@]}" -o d.csv --columns sextractor
expect_status 2
expect_in err "--columns"

# One pass of the background follows the ridge, which is no sum of Gaussians.
run find "$image" "${cpu[@]}" --passes 1 --filter 3 --fit gaussian --write-model model.fits --write-residual residual.fits --write-snr snr.fits \
  --write-labels islands.fits --write-mean mean.fits --write-rms rms.fits
expect_status 0
expect_file model.fits residual.fits snr.fits islands.fits mean.fits rms.fits
checks=$((checks + 1))
python3 - "$image" 2>err <<'E2' || report "expected residual = image - model, and less left than there was"
import math, sys
sys.path.insert(0, ".")
from fits import *
image, model, residual = floats(sys.argv[1]), floats("model.fits"), floats("residual.fits")
seen = [(i, m, r) for i, m, r in zip(image, model, residual) if not math.isnan(i)]
assert all(abs(i - m - r) <= 1e-6 * max(abs(i), abs(m)) for i, m, r in seen)
assert sum(r * r for _, _, r in seen) < 0.5 * sum(i * i for i, _, _ in seen)
assert all(math.isnan(r) == math.isnan(i) for i, r in zip(image, residual))
E2

run run "$image" -o all "${cpu[@]}" --threshold 7.5 --flood 3.5 --min-area 4 --connectivity 4 --contrast 0.01 \
  --prominence 3 --box 80 --kappa 2.5 --filter 5 --min-valid 0.4 --kernel beam:100,90,20 --boundary reflect --nan fill \
  --min-weight 0.6 --fit gaussian --negative --columns casda \
  --products fits,sqlite,crtf,ann,model,residual,rms,labels,convolved
expect_status 0
expect_file all/${name}_cat.fits all/$name.sqlite all/$name.crtf all/$name.ann all/${name}_model.fits \
  all/${name}_residual.fits
expect_no_file all/$name.csv
what="HISTORY of every product"
checks=$((checks + 1))
python3 - all/$name 2>err <<'E2' || report "expected every option in HISTORY"
import sqlite3, sys
sys.path.insert(0, ".")
from fits import *
stem = sys.argv[1]
options = [line.strip() for line in open(stem + ".toml") if "=" in line and not line.startswith(("#", "files"))]
assert len(options) > 25 and "threshold = 7.5" in options and "kappa = 2.5" in options, options
for path, hdu in [("_cat.fits", 1), ("_model.fits", 0), ("_residual.fits", 0), ("_rms.fits", 0), ("_labels.fits.fz", 1), ("_convolved.fits", 0)]:
    text = history(stem + path, hdu).replace(" ", "")
    for option in options:
        assert ("option: " + option).replace(" ", "") in text, (path, option)
    assert "columns:casda" in text or path != "_cat.fits"
lines = [line for (line,) in sqlite3.connect(stem + ".sqlite").execute("SELECT line FROM history")]
assert all("option: " + option in lines for option in options)
E2
finish
