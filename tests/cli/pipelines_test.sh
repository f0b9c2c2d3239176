#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every command of docs/pipelines.md, in its order, on the sample image; then what the files hold.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cp "$sample_data/galactic_plane_150mhz.fits" image.fits

commands=$(awk '/^```/ { inside = !inside; next } inside' "$source_folder/docs/pipelines.md" | grep '^reber ')
while read -r line; do
  eval "set -- ${line#reber }"
  run "$@" --quiet
  expect_status 0
done <<<"$commands"
checks=$((checks + 1))
[ "$(wc -l <<<"$commands")" -ge 8 ] || report "expected commands in docs/pipelines.md"
expect_file sources.fits image.srl image.gaul image.skymodel image-sources.txt true_sky.txt image.components.csv \
  image.islands.csv image_comp.fits image_bkg.fits image_rms.fits image_isle.fits

cat >tables.py <<'E2'
# A FITS table by position, as its header describes it.
import struct
def table(path):
    data = open(path, "rb").read()
    at, cards = 2880, {}
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

run find image.fits -o other.txt --quiet
expect_status 2
expect_in err "cannot tell the format"
run find image.fits -o other.fits --group-tol 0
expect_status 2
finish
