#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber report: its metrics against NumPy, planted faults, bad input, hostile headers, levels from files.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy

cat >images.py <<'END'
import re
import sys
import numpy as np


def read(path):
    blob = open(path, "rb").read()
    cards = [blob[i:i + 80].decode("latin-1") for i in range(0, len(blob), 80)]
    cards = cards[:next(i for i, card in enumerate(cards) if card.startswith("END "))]
    value = {card[:8].strip(): card[10:].split("/")[0].strip() for card in cards if card[8:10] == "= "}
    start = -(-(len(cards) + 1) // 36) * 2880
    ny, nx = int(value["NAXIS2"]), int(value["NAXIS1"])
    return [c for c in cards if not c.startswith(("DATASUM", "CHECKSUM"))], np.frombuffer(blob, ">f4", ny * nx, start).reshape(ny, nx).astype(float)


def write(path, cards, pixels):
    text = "".join(f"{card:<80}"[:80] for card in cards) + f"{'END':<80}"
    data = pixels.astype(">f4").tobytes()
    with open(path, "wb") as file:
        file.write(text.ljust(-(-len(text) // 2880) * 2880).encode("latin-1") + data + b"\0" * (-len(data) % 2880))


def faults():
    cards, image = read("sky.fits")
    ny, nx = image.shape
    y, x = np.mgrid[:ny, :nx]
    without = lambda *words: [c for c in cards if not c.startswith(words)]
    changed = lambda word, text: [f"{word:<8}= {text}" if c.startswith(word) else c for c in cards]
    write("scale.fits", cards, 1.15 * image)
    shifted = float(next(c for c in cards if c.startswith("CRVAL2"))[10:30]) + 3 / 3600
    write("shift.fits", changed("CRVAL2", f"{shifted:20.12f}"), image)
    write("nobeam.fits", without("BMAJ", "BMIN", "BPA"), image)
    write("nosky.fits", without("CTYPE", "CRVAL", "CRPIX", "CDELT", "CUNIT"), image)
    write("blank.fits", cards, np.where(y < ny // 10, np.nan, image))
    write("ripple.fits", cards, image + 20e-6 * np.cos(2 * np.pi * (x / 37.3 + y / 90)))
    more = np.random.default_rng(5).normal(size=image.shape)
    taps = np.exp(-4 * np.log(2) * (np.arange(-12, 13) / 5.0) ** 2)
    for axis in (0, 1):
        more = np.apply_along_axis(np.convolve, axis, more, taps, "same")
    rise = 1 + 0.75 * ((x - (nx - 1) / 2) ** 2 + (y - (ny - 1) / 2) ** 2) / ((nx - 1) / 2) ** 2
    write("noise.fits", cards, image + np.sqrt(3) * 20e-6 * rise * more / more.std())
    # A snapshot of few antennas: noise in few waves, and none in those beside them.
    random, empty = np.random.default_rng(9), np.zeros((ny, nx), complex)
    for one in random.integers(-90, 91, (40, 2)):
        empty[one[1], one[0]] = random.normal() + 1j * random.normal()
    few = np.fft.ifft2(empty).real
    write("snapshot.fits", cards, 20e-6 * few / few.std())
    write("empty.fits", cards, image * np.nan)
    write("zero.fits", cards, image * 0)
    hostile = "'<script>alert(1)</script>\"&'"
    write("hostile.fits", changed("OBJECT", hostile) + ["HISTORY <img src=x onerror=alert(2)>", "HISTORY \x01\xff end"], image)


if __name__ == "__main__":
    faults()
END

cat >by_hand.py <<'END'
import csv
import json
import numpy as np
from images import read
report = json.load(open("sky.json"))
told = {(m["name"], m["of"]): m["value"] for m in report["metrics"]}
image, rms, snr = (read(name)[1] for name in ("sky.fits", "rms.fits", "snr.fits"))
lower = lambda values, part: np.sort(values[np.isfinite(values)], axis=None)[int(np.floor(part * (np.isfinite(values).sum() - 1)))]
rows = list(csv.DictReader(line for line in open("cat.csv") if not line.startswith("#")))
positive = [r for r in rows if int(r["Flag"]) & 8 == 0]
pairs = list(csv.DictReader(line for line in open("pairs.csv") if not line.startswith("#")))
number = lambda name, of: np.array([float(r[name]) for r in of])
scatter = lambda v: 1.4826 * np.median(np.abs(v - np.median(v)))
d_lon, d_lat = number("dRA", pairs), number("dDEC", pairs)
bright = number("SNR_1", pairs) >= 10
ratio = number("Total_ratio", pairs)[bright]
ny, nx = image.shape
quarters = [lower(rms[a, b], 0.5) for a in (slice(0, (ny + 1) // 2), slice((ny + 1) // 2, ny))
            for b in (slice(0, (nx + 1) // 2), slice((nx + 1) // 2, nx))]
hand = {
    ("beam", ""): 1, ("sky", ""): 1, ("noise_known", ""): 1,
    ("blank", ""): np.mean(~np.isfinite(image) | (image == 0)),
    ("beam_sampling", ""): 5, ("beam_ratio", ""): 1,
    ("median_rms", ""): lower(rms, 0.5),
    ("rms_ratio", ""): lower(rms, 0.95) / lower(rms, 0.05),
    ("rms_quadrants", ""): max(quarters) / min(quarters),
    ("background", ""): lower(snr, 0.5),
    ("snr_width", ""): lower(snr, 0.5) - lower(snr, 0.15865525393145707),
    ("sources", ""): len(positive),
    ("negatives", ""): (len(rows) - len(positive)) / len(positive),
    ("dynamic_range", ""): number("Peak_flux", positive).max() / lower(rms, 0.5),
    ("resolved", ""): number("Resolved", positive).mean(),
    ("pairs", "truth"): len(pairs),
    ("offset", "truth"): np.hypot(np.median(d_lon), np.median(d_lat)),
    ("offset_beams", "truth"): np.hypot(np.median(d_lon), np.median(d_lat)) / 10,
    ("offset_scatter", "truth"): np.hypot(scatter(d_lon), scatter(d_lat)),
    ("flux_ratio", "truth"): np.median(ratio),
    ("flux_scatter", "truth"): scatter(ratio),
}
for key, value in hand.items():
    assert abs(told[key] - value) <= 1e-6 * max(1e-3, abs(value)), (key, told[key], value)
print(len(hand), "metrics")
END

cat >flags.py <<'END'
import json
import sys
report = json.load(open(sys.argv[1]))
causes = {m["name"] for m in report["metrics"] if m["status"] in ("uncertain", "fail") and not m["because_of"]}
assert causes == set(sys.argv[2:]), (causes, report["verdict"])
END

flagged() {  # REPORT CAUSE...
  what="flags of $1"
  checks=$((checks + 1))
  python3 flags.py "$@" >out 2>err || report "expected the causes: ${*:2}"
}

run simulate sky.fits --size 512 --sources 120 --extended 4 --seed 3 --truth truth.csv --backend cpu
run find sky.fits --negative -o cat.csv --write-rms rms.fits --write-snr snr.fits --backend cpu
expect_status 0
run find sky.fits -o positive.csv --backend cpu
run match positive.csv truth.csv -o pairs.csv
run report sky.fits --against truth.csv --quick -o sky.html --backend cpu
expect_status 0
expect_in out "Nothing is flagged" "not measured, left out by --quick" "wrote sky.html" "wrote sky.xml"
expect_in sky.html "<!DOCTYPE html>" "SIMULATED FIELD" "Median noise"
expect_not_in sky.html "<script"
what="no address outside of the page"
checks=$((checks + 1))
grep -oE '(src|href)="[^"]{0,20}' sky.html | grep -qvE 'src="data:|href="#' && report "there is one"
what="the page is small"
checks=$((checks + 1))
[ "$(stat -c %s sky.html)" -lt 3000000 ] || report "it has $(stat -c %s sky.html) bytes"
what="metrics by hand"
checks=$((checks + 1))
python3 by_hand.py >out 2>err || report "differs from NumPy"
what="contrast"
checks=$((checks + 1))
python3 "$source_folder/tests/support/check_contrast.py" sky.html >out 2>err || report "is too low"
what="contrast of a pale grey"
checks=$((checks + 1))
sed 's/--soft:#4c5563/--soft:#9aa2ad/' sky.html >pale.html
python3 "$source_folder/tests/support/check_contrast.py" pale.html >out 2>err && report "passes"
what="VOTable"
checks=$((checks + 1))
python3 "$source_folder/tests/support/check_votable.py" sky.xml >out 2>err || report "is not valid"
run report sky.fits --quick -o sky.html --backend cpu
expect_status 2

# Each fault is its own cause.
python3 images.py
printf '{"name": "mine", "median_rms": {"pass": [0, 40e-6]}, "flux_ratio": {"pass": [0.9, 1.1]}, "ripple": {"pass": [null, 2]}}' >mine.json
for fault in "scale flux_ratio" "shift offset" "nobeam beam" "nosky sky" "blank blank" "ripple ripple" "empty blank" "zero blank"; do
  # shellcheck disable=SC2086
  set -- $fault
  run report "$1.fits" --against truth.csv --quick -o "$1.html" --backend cpu
  expect_status 0
  flagged "$1.json" "${@:2}"
done
run report noise.fits --levels mine.json --quick -o noise.html --backend cpu
expect_status 0
flagged noise.json median_rms
run report sky.fits --levels mine.json --quick -o good.html --backend cpu
flagged good.json

run report snapshot.fits --quick -o snapshot.html --backend cpu
expect_status 0
what="no ripple in a snapshot"
checks=$((checks + 1))
python3 -c 'import json
assert [m["status"] for m in json.load(open("snapshot.json"))["metrics"] if m["name"] == "ripple"] == ["pass"]' >out 2>err || report "is flagged"

# run makes the report without completeness, and its catalogue is the same with it and without.
run run sky.fits -o with --products csv,report --backend cpu
expect_status 0
expect_in out "wrote with/sky_quality.html" "wrote with/sky_quality.xml"
run run sky.fits -o without --products csv --backend cpu
expect_same with/sky.csv without/sky.csv
what="numbers of run's report"
checks=$((checks + 1))
python3 -c 'import json
a, b = ([(m["name"], m["value"]) for m in json.load(open(name))["metrics"] if not m["of"]] for name in ("with/sky_quality.json", "sky.json"))
assert a == b, (a, b)' >out 2>err || report "differ"
run run sky.fits -o with --products csv,report --backend cpu
expect_status 2
expect_in err "sky"

# Bad catalogues are told, not fatal.
printf 'a,b\n1,2\n' >nocolumns.csv
printf 'RA,DEC,Total_flux\n10,20,1\n' >far.csv
run report sky.fits --against nocolumns.csv far.csv nothere.csv --quick -o bad.html --backend cpu
expect_status 0
expect_in bad.html "no columns of sky positions are known among a, b" "no source of the image is in it" "cannot open"
flagged bad.json

# Markup of a header is text.
run report hostile.fits --quick -o hostile.html --backend cpu
expect_status 0
expect_not_in hostile.html "<script"
expect_not_in hostile.html "<img src=x"
expect_in hostile.html "&lt;script&gt;alert(1)" "&lt;img src=x onerror"
expect_not_in hostile.xml "<script"
python3 -c 'import xml.etree.ElementTree as x; x.parse("hostile.xml"); x.parse("hostile.html")' >out 2>err
status=$?
what="hostile.html and .xml are well-formed"
expect_status 0

# Levels.
printf 'name = "few"  # of them\n[snr_width]\npass = [2, +inf]\n' >few.toml
run report sky.fits --levels few.toml --quick -o few.html --backend cpu
expect_status 0
flagged few.json snr_width
for wrong in '[nothing]\npass = [0, 1]\n' '[offset]\npass = [1, 0]\n' '[offset]\npass = 3\n' 'word\n' '[offset]\npass = [0, 2]\nuncertain = [1, 3]\n' \
  '[offset]\npass = \047\xff\047\n'; do
  # shellcheck disable=SC2059
  printf "$wrong" >wrong.toml
  run report sky.fits --levels wrong.toml --quick -o wrong.html --backend cpu
  expect_status 2
  expect_in err "wrong.toml"
done
python3 -c 'print("[offset]\npass = " + "[" * 100000 + "]" * 100000)' >deep.toml
run report sky.fits --levels deep.toml --quick -o wrong.html --backend cpu
expect_status 2
expect_in err "deep.toml"
run report sky.fits --levels askap --quick -o askap.html --backend cpu
expect_status 0
expect_in askap.html "levels of the ASKAP continuum validation"

# Completeness is kept: the second report has it without a search, one of other options makes its own.
run report noise.fits -o kept.html --backend cpu
expect_status 0
expect_file kept.completeness.json
expect_in out "Half complete at" "Recovered flux"
cp kept.json first.json
sed -i 's/"injected": [0-9]*/"injected": 4321/' kept.completeness.json
run report noise.fits -o kept.html --overwrite --backend cpu
expect_in kept.html "4321 sources of the beam"
run report noise.fits -o kept.html --overwrite --threshold 6 --backend cpu
expect_not_in kept.html "4321 sources of the beam"
printf 'none' >kept.completeness.json
run report noise.fits -o kept.html --overwrite --backend cpu
expect_status 0

# Corrected counts hold the truth; the raw ones fall short.
cat >counts.py <<'END'
import csv, json
import numpy as np
counts = json.load(open("counts.json"))["counts"]["bins"]
true = np.array([float(r["Total_flux"]) for r in csv.DictReader(l for l in open("many.csv") if not l.startswith("#"))])
low = 0
for bin in counts:
    inside = ((true >= bin["low_jy"]) & (true < bin["high_jy"])).sum()
    if bin["high_jy"] < 5.5 * 20e-6 or inside < 10:
        continue
    low += bin["found"] < 0.7 * inside
    assert abs(bin["number"] - inside) < 2.5 * bin["e_number"], (bin, inside)
assert low > 0, "no bin was in need of it"
END
run simulate many.fits --size 768 --sources 250 --extended 0 --seed 8 --truth many.csv --backend cpu
run report many.fits -o counts.html --backend cpu
expect_status 0
what="counts"
checks=$((checks + 1))
python3 counts.py >out 2>err || report "do not hold the truth"

# Several images: a page each, and an index that names the one that stands out and the one that fails.
mkdir fields
for seed in 1 2 3 4 5; do
  "$reber" simulate "fields/f$seed.fits" --size 384 --sources 50 --seed "$seed" --backend cpu >/dev/null
done
cp noise.fits fields/loud.fits
printf 'x' >fields/broken.fits
run report fields/*.fits --quick -o reports --backend cpu
expect_status 3
expect_in out "wrote reports/index.html"
for name in index f1 f5 loud; do expect_file "reports/$name.html"; done
expect_in reports/index.html 'href="f3.html"' "<strong>loud.fits: </strong>Median noise" "is not a FITS file"
expect_not_in reports/index.html "<strong>f1.fits"
expect_not_in reports/index.html "<script"
what="contrast of the index"
checks=$((checks + 1))
python3 "$source_folder/tests/support/check_contrast.py" reports/index.html >out 2>err || report "is too low"
run report fields/f1.fits fields/f2.fits --quick -o two.html --backend cpu
expect_status 2
run report fields/f1.fits sky.fits fields/../sky.fits --quick -o more --backend cpu
expect_status 2
run report sky.fits --quick -o sky.fits --overwrite --backend cpu
expect_status 2

finish
