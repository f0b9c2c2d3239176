#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every command of docs/pipelines.md, in its order, on the sample image; then what the files hold.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cp "$sample_data/galactic_plane_150mhz.fits" image.fits
cp image.fits flat.fits
reference=$data/images/lofar_sim

# A beam that grows from one edge to the other, on a grid of five by five, as Aegean takes it.
python3 - <<'E1'
import struct
cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    3",
         "NAXIS1  =                    5", "NAXIS2  =                    5", "NAXIS3  =                    3",
         "RADESYS = 'FK5     '", "EQUINOX =               2000.0", "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'",
         "CRVAL1  =             266.4168", "CRVAL2  =             -29.0078", "CRPIX1  =                  3.0",
         "CRPIX2  =                  3.0", "CDELT1  =                -1.07", "CDELT2  =                 1.07", "END"]
planes = [[size * (0.9 + 0.05 * x) for y in range(5) for x in range(5)] for size in (0.01833, 0.015)] + [[12.0] * 25]
data = struct.pack(">75f", *(value for plane in planes for value in plane))
open("psf.fits", "wb").write("".join(c.ljust(80) for c in cards).ljust(2880).encode() + data.ljust(2880, b"\0"))
E1

# The hub that `reber send` speaks to.
python3 "$source_folder/tests/support/samp_hub.py" hub 2>hub.err &
hub=$!
trap 'kill "$hub"; rm -rf "$scratch"' EXIT
for _ in $(seq 200); do [ -s hub.samp ] && break; sleep 0.1; done
export SAMP_HUB="std-lockurl:file://$PWD/hub.samp"

commands=$(awk '/^```/ { inside = !inside; next } inside' "$source_folder/docs/pipelines.md" | grep '^reber ')
while read -r line; do
  eval "set -- ${line#reber }"
  [ "$1" = describe ] || set -- "$@" --quiet
  run "$@"
  expect_status 0
done <<<"$commands"
checks=$((checks + 1))
[ "$(wc -l <<<"$commands")" -ge 20 ] || report "expected commands in docs/pipelines.md"
expect_file sources.fits image.srl image.gaul image.skymodel image-sources.txt true_sky.txt image.components.csv \
  image.islands.csv image_comp.fits image_bkg.fits image_rms.fits image_isle.fits

cat >tables.py <<'E2'
# A FITS table by position, as its header describes it.
import struct
def table(path):
    data = open(path, "rb").read()
    at, cards = data.index(b"XTENSION"), {}
    while True:
        card = data[at:at + 80].decode("ascii")
        at += 80
        if card.startswith("END"):
            break
        if card[8:10] == "= ":
            cards[card[:8].strip()] = card[10:].split(" / ")[0].strip().strip("'").strip()
    at = (at + 2879) // 2880 * 2880
    row, columns, place = int(cards["NAXIS1"]), {}, 0
    for n in range(1, int(cards["TFIELDS"]) + 1):
        form = cards["TFORM%d" % n]
        kind, size = {"D": ("d", 8), "J": ("i", 4), "K": ("q", 8), "A": (None, int(form[:-1] or 1))}[form[-1]]
        cells = [data[at + row * r + place:at + row * r + place + size] for r in range(int(cards["NAXIS2"]))]
        columns[cards["TTYPE%d" % n]] = [struct.unpack(">" + kind, c)[0] if kind else c.decode().rstrip("\0 ") for c in cells]
        place += size
    assert place == row
    return cards, columns
E2

what="a map of the beam, and a coverage map"
checks=$((checks + 1))
run find image.fits -o one_beam.csv --quiet
python3 - 2>err <<'E2' || report "expected beams that follow the map, and sources inside the coverage map alone"
import csv
from tables import table
def rows(path):
    lines = [line for line in open(path) if not line.startswith("#")]
    return list(csv.DictReader(lines))
one, many = rows("one_beam.csv"), rows("varying.csv")
assert len(many) > 100
near = lambda row: (round(float(row["Xposn"])), round(float(row["Yposn"])))
theirs = {near(row): float(row["Total_flux"]) for row in one}
parts = [(float(row["Xposn"]), float(row["Total_flux"]) / theirs[near(row)]) for row in many
         if near(row) in theirs and float(row["SNR"]) > 30]
left = [part for x, part in parts if x < 200]
right = [part for x, part in parts if x > 824]
assert left and right and sorted(left)[len(left) // 2] > 1.1 and sorted(right)[len(right) // 2] < 0.95, (left, right)
covered = rows("covered.csv")
assert len(covered) == len(one), (len(covered), len(one))
E2

what="srl and gaul"
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected sources that are made of their Gaussians"
import math
from tables import table
cards, srl = table("sources.fits")
assert cards["INIMAGE"] == "image.fits" and float(cards["FREQ0"]) == 150e6 and float(cards["EQUINOX"]) == 2000, cards
assert cards["TFORM1"] == "1J" and len(srl) == 45 and list(srl)[-1] == "S_Code"
assert srl["Source_id"] == list(range(len(srl["RA"]))) and min(srl["Isl_id"]) == 0
def text(path):
    lines = open(path).read().split("\n")
    names = lines[5].lstrip("# ").split()
    return {n: [row.split()[i] for row in lines[6:-1]] for i, n in enumerate(names)}
own, gaul = text("image.srl"), text("image.gaul")
assert list(own) == list(srl), "the text has the same columns"
assert len(gaul) == 49 and len(gaul["RA"]) >= len(own["RA"]) > 100
sums = {}
for source, flux in zip(gaul["Source_id"], gaul["Total_flux"]):
    sums[source] = sums.get(source, 0) + float(flux)
for source, flux in zip(own["Source_id"], own["Total_flux"]):
    assert abs(sums[source] - float(flux)) < 1e-9, source
members = {s: gaul["Source_id"].count(s) for s in own["Source_id"]}
islands = {i: own["Isl_id"].count(i) for i in own["Isl_id"]}
for source, island, code in zip(own["Source_id"], own["Isl_id"], own["S_Code"]):
    assert code == ("M" if members[source] > 1 else "C" if islands[island] > 1 else "S"), (source, code)
assert len(srl["RA"]) < len(own["RA"]), "a larger tolerance joins more"
E2

what="sky models"
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected the Gaussians in both sky models"
import math, re
def angle(text, per):
    sign = -1 if text.startswith("-") else 1
    a, b, c = re.fullmatch(r"[+-]?(\d+)[:.](\d+)[:.](\d+\.?\d*)", text).groups()
    return sign * per * (int(a) + int(b) / 60 + float(c) / 3600)
def bbs(path):
    lines = open(path).read().split("\n")
    names = [n.split("=")[0].strip() for n in lines[0].split("= ", 1)[1].split(", ")]
    assert lines[1] == ""
    rows = [line.split(", ") for line in lines[2:-1]]
    return [r for r in rows if r[0] == ""], [dict(zip(names, r)) for r in rows if r[0] != ""]
patches, model = bbs("image.skymodel")
assert len({p[2] for p in patches}) == len(patches) and {m["Patch"] for m in model} == {p[2] for p in patches}
gaul = [l.split() for l in open("image.gaul") if l.strip() and not l.startswith("#")]
flux = {row[0]: float(row[8]) for row in gaul}
place = {row[0]: (float(row[4]), float(row[6])) for row in gaul}
for m in model:
    g = m["Name"].split("_g")[1]
    assert abs(float(m["I"]) - flux[g]) < 1e-3 * abs(flux[g])
    ra, dec = angle(m["Ra"], 15), angle(m["Dec"], 1)
    assert abs((ra - place[g][0] + 180) % 360 - 180) < 1e-8 and abs(dec - place[g][1]) < 1e-8
    assert (m["Type"] == "POINT") == (float(m["MajorAxis"]) == 0)
single, same = bbs("true_sky.txt")
assert len(single) == 1 and len(same) == len(model)
lines = [l.split(",") for l in open("image-sources.txt").read().split("\n")[1:-1]]
assert len(lines) == len(model) and all(len(l) == 11 for l in lines)
total = sum(float(l[4]) for l in lines)
assert abs(total - sum(float(m["I"]) for m in model)) < 1e-3 * total
E2

what="tables of ASKAP and Aegean"
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected components and islands that belong together"
import csv, xml.etree.ElementTree as tree
from tables import table
parts, islands = [list(csv.DictReader(open("image.%s.csv" % n))) for n in ("components", "islands")]
own = {i["island_id"]: int(i["n_components"]) for i in islands}
for name, count in own.items():
    assert sum(p["island_id"] == name for p in parts) == count, name
vot = tree.parse("image.components.vot").getroot()
names = [f.get("name") for f in vot.iter() if f.tag.endswith("FIELD")]
assert names == list(parts[0]) and "flag_c4" in names
for p in parts:
    assert 0 <= float(p["chi_squared_fit"]) and float(p["rms_fit_gauss"]) > 0
cards, comp = table("image_comp.fits")
cards, isle = table("image_isle.fits")
assert len(set(comp["uuid"])) == len(comp["uuid"]) and len(comp["island"]) == sum(isle["components"])
assert all(a > 0 and b > 0 and 0 <= p < 180 for a, b, p in zip(isle["max_angular_size"], isle["pixels"], isle["pa"]))
E2

cat >masks.py <<'E2'
import struct
def mask(path):
    data = open(path, "rb").read()
    at, cards = 0, {}
    while True:
        card = data[at:at + 80].decode("ascii")
        at += 80
        if card.startswith("END"):
            break
        if card[8:10] == "= ":
            cards[card[:8].strip()] = card[10:].split(" / ")[0].strip().strip("'").strip()
    at = (at + 2879) // 2880 * 2880
    nx, ny = int(cards["NAXIS1"]), int(cards["NAXIS2"])
    pixels = struct.unpack(">%df" % (nx * ny), data[at:at + 4 * nx * ny])
    return cards, nx, ny, pixels
E2

what="masks"
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected masks of each other"
from masks import mask
cards, nx, ny, one = mask("mask.fits")
assert cards["BUNIT"] == "mask" and cards["BITPIX"] == "-32" and set(one) == {0.0, 1.0} and "CRVAL1" in cards
cards, _, _, numbered = mask("numbered.fits")
assert cards["BUNIT"] == "Source_ID"
sizes = {n: numbered.count(n) for n in set(numbered) - {0.0}}
assert min(sizes.values()) >= 60 and all(o == 1 for o, n in zip(one, numbered) if n)
two = mask("two.fits")[3]
kept = [n for n in (1.0, 2.0) if n in sizes]
assert sum(two) == sum(sizes[n] for n in kept) and set(two) <= {0.0, 1.0}
rest, bright = mask("rest.fits")[3], mask("bright.fits")[3]
assert all(r == 0 for r, n in zip(rest, numbered) if n), "the outlines cover the islands that they are of"
assert any(rest) and any(bright)
cards = mask("island_mask.fits")[0]
assert cards["NAXIS"] == "4" and cards["CTYPE3"] == "STOKES" and cards["CTYPE4"] == "FREQ", cards
assert mask("beam_mask.fits")[3] == one, "an image's own grid changes nothing"
E2

what="coverage"
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected a coverage map of the image's sky"
import math
from tables import table
cards, columns = table("coverage.fits")
cells = columns["UNIQ"]
assert cards["ORDERING"] == "NUNIQ" and cards["MOCVERS"] == "2.0" and cells == sorted(cells)
orders = [(c.bit_length() - 3) // 2 for c in cells]
assert max(orders) == int(cards["MOCORD_S"]) and min(orders) < max(orders), "four cells are one"
sky = 4 * math.pi * (180 / math.pi) ** 2
area = sum(sky / (12 * 4 ** o) for o in orders)
from masks import mask
image, nx, ny, pixels = mask("image.fits")
known = sum(1 for p in pixels if not math.isnan(p))
wanted = known * abs(float(image["CDELT1"]) * float(image["CDELT2"]))
assert wanted <= area * 1.001 and area < 1.1 * wanted, (area, wanted)
E2
run describe mask --as cwl
expect_json out 'd["class"] == "CommandLineTool" and d["inputs"]["threshold"]["inputBinding"]["prefix"] == "--threshold" and "output_file" in d["outputs"]'
run describe find
expect_status 0
expect_in out "  reber-find:" "      threshold:" "        dtype: float" "        policies: {positional: true}" "    outputs:"
run describe find --as cwl
expect_json out 'all(d["inputs"][name]["type"] == ["null", "File", "string"] for name in ("use_rms", "use_mean", "use_detection_rms", "search_region", "search_moc"))'
expect_json out 'd["inputs"]["search_mask"]["type"] == ["null", "File"] == d["inputs"]["psf_map"]["type"]'
run describe nothing
expect_status 2

what="searches of a part"
checks=$((checks + 1))
"$reber" find image.fits -o whole.csv --quiet 2>err
"$reber" find image.fits --detection-image flat.fits -o same.csv --quiet 2>err
cmp -s whole.csv same.csv || report "expected the same of an image that is its own detection image"
# Zeros around the field are blank in a detection image as in any other.
run simulate padded.fits --size 512 --sources 30 --seed 4 --quiet
python3 - <<'E2'
import struct
data = bytearray(open("padded.fits", "rb").read())
start = data.index(b"END".ljust(80)) // 2880 * 2880 + 2880
for y in range(512):
    for x in range(512):
        if (x - 256) ** 2 + (y - 256) ** 2 > 230 ** 2:
            struct.pack_into(">f", data, start + 4 * (512 * y + x), 0)
open("padded.fits", "wb").write(data)
E2
run find padded.fits -o padded.csv --quiet
run find padded.fits --detection-image padded.fits -o padded_same.csv
expect_status 0
expect_in err "detection image" "are exactly 0"
expect_same padded_same.csv padded.csv
checks=$((checks + 1))
python3 - 2>err <<'E2' || report "expected sources inside alone"
import csv
from masks import mask
whole, inside, circle = [list(csv.DictReader(open(n + ".csv"))) for n in ("whole", "inside", "circle")]
cards, nx, ny, bright = mask("bright.fits")
assert 0 < len(inside) < len(whole)
assert all(bright[int(s["Y_peak"]) * nx + int(s["X_peak"])] for s in inside)
assert 0 < len(circle) < len(whole)
assert all((int(s["X_peak"]) - 511) ** 2 + (int(s["Y_peak"]) - 511) ** 2 <= 150 ** 2 for s in circle)
found = {(s["X_peak"], s["Y_peak"]) for s in circle}
deep = {(s["X_peak"], s["Y_peak"]) for s in whole if (int(s["X_peak"]) - 511) ** 2 + (int(s["Y_peak"]) - 511) ** 2 < 140 ** 2}
assert deep <= found, "the background still uses all pixels"
E2
run find image.fits --use-mean zero --use-rms noise.fits -o zero.csv --write-mean zero_mean.fits --quiet
expect_status 0
checks=$((checks + 1))
python3 -c 'from masks import mask; assert set(mask("zero_mean.fits")[3]) == {0.0}' 2>err || report "expected a mean of 0"
run find image.fits --use-mean 0.25 --write-mean quarter.fits --quiet
checks=$((checks + 1))
python3 -c 'from masks import mask; assert set(mask("quarter.fits")[3]) == {0.25}' 2>err || report "expected a mean of 0.25"
run find image.fits --bright-box 20
expect_status 2
expect_in err "need --adaptive"
run find image.fits --detection-image noise.fits --kernel gaussian:3
expect_status 2
run mask mask.fits
expect_status 2
expect_in err "nothing to write"
run mask mask.fits --extract-islands 9999 -o none.fits
expect_status 2
expect_in err "there is no island 9999"
run mask image.fits --islands 3,5 -o none.fits
expect_status 2
run mask image.fits -o none.fits
expect_status 2
expect_in err "no mask" "--threshold 6.5"
run mask -m image.fits --dilate 2 -o none.fits
expect_status 2
run mask image.fits -r image.fits -o none.fits
expect_status 2
run mask -m mask.fits -t 5 -o none.fits
expect_status 2
run mask -r image.fits -o usual.fits
expect_status 0
run mask image.fits --threshold 6.5 -o long.fits
run mask -r image.fits -t 6.5 -b 50 --outfile short.fits
run mask -m usual.fits --number-islands -o own.fits
expect_status 0
python3 -c '
from masks import mask
usual = mask("usual.fits")
assert 0 < sum(usual[3]) < len(usual[3]) / 2 and usual[3] == mask("long.fits")[3] == mask("short.fits")[3]
assert usual[0]["BUNIT"] == "mask" and mask("own.fits")[0]["BUNIT"] == "Source_ID"' 2>err || report "expected breizorro's usual mask"
expect_no_file none.fits

# PyBDSF's own sources of its simulated LOFAR image, found with wavelets and other boxes. Those are left out near which
# PyBDSF's own model leaves pixels of ten times the noise: in the corner, where it leaves one of 59.
if [ -f "$reference/pybdsf_srl.fits" ]; then
  run find "$reference/pybdsf_ch0_I.fits" --unit Jy/beam -o lofar.fits --columns srl --quiet
  expect_status 0
  checks=$((checks + 1))
  python3 - "$reference" 2>err <<'E2' || report "expected PyBDSF's sources with its fluxes"
import math, sys
from masks import mask
from tables import table
theirs, ours = table(sys.argv[1] + "/pybdsf_srl.fits")[1], table("lofar.fits")[1]
cards, nx, ny, left = mask(sys.argv[1] + "/pybdsf_resid_gaus.fits")
noise = mask(sys.argv[1] + "/pybdsf_rmsd_I.fits")[3]
bad = [(i % nx, i // nx) for i in range(nx * ny) if abs(left[i]) > 10 * noise[i]]


def described(ra, dec):
    x = (ra - float(cards["CRVAL1"])) * math.cos(math.radians(dec)) / float(cards["CDELT1"]) + float(cards["CRPIX1"]) - 1
    y = (dec - float(cards["CRVAL2"])) / float(cards["CDELT2"]) + float(cards["CRPIX2"]) - 1
    return all(math.hypot(x - i, y - j) > 3 for i, j in bad)


assert 5 < len(bad) < 20, bad
assert [n for n in theirs if n in ours] == list(ours), "its columns in its order"
asked = found = agreeing = 0
for i, (ra, dec) in enumerate(zip(theirs["RA"], theirs["DEC"])):
    if not theirs["Total_flux"][i] >= 3 * theirs["E_Total_flux"][i] or not described(ra, dec):
        continue
    asked += 1
    away = [math.hypot((a - ra) * math.cos(math.radians(dec)), d - dec) for a, d in zip(ours["RA"], ours["DEC"])]
    j = away.index(min(away))
    if away[j] < 0.015:  # the beam
        found += 1
        error = math.hypot(ours["E_Total_flux"][j], theirs["E_Total_flux"][i])
        agreeing += abs(ours["Total_flux"][j] - theirs["Total_flux"][i]) <= 2.2 * error  # of 34, 2 would leave no margin
assert found >= 0.95 * asked and agreeing >= 0.95 * found, (asked, found, agreeing)
E2
else
  echo "PyBDSF's sources are not compared: no reference beside the test data"
fi

run find image.fits -o other.txt --quiet
expect_status 2
expect_in err "cannot tell the format"
run find image.fits -o other.fits --group-tol 0
expect_status 2
finish
