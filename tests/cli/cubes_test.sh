#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Planes of cubes: find and background on many, with beams and frequencies of their own.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)

# A cube of 6 planes with noise and three sources; plane 2 has no beam, plane 4 no pixels. The same with frequency first.
cat >make.py <<'E2'
import math, random, struct
N, PIX, PLANES = 96, 2.0, 6
random.seed(4)
def card(key, value):
    if isinstance(value, bool):
        text = "%20s" % ("T" if value else "F")
    elif isinstance(value, str):
        text = "'%-8s'" % value
    else:
        text = "%20s" % repr(value)
    return ("%-8s= %s" % (key, text)).ljust(80)
def blocks(cards):
    text = "".join(cards) + "END".ljust(80)
    return (text + " " * (-len(text) % 2880)).encode()
def padded(data):
    return data + b"\0" * (-len(data) % 2880)
def plane(p):
    s = (8 + 0.5 * p) / PIX / 2.3548
    image = [random.gauss(0, 0.001) for _ in range(N * N)]
    for x0, y0, peak in ((30, 25, 0.05), (70.4, 40.3, 0.03), (44, 75, 0.08)):
        for y in range(int(y0) - 12, int(y0) + 13):
            for x in range(int(x0) - 12, int(x0) + 13):
                image[y * N + x] += peak * (1 + 0.2 * p) * math.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 2 / s / s)
    return [math.nan] * (N * N) if p == 4 else image
def write(name, order, planes):
    sizes = {"x": N, "y": N, "f": PLANES, "s": PLANES}
    axes = {"x": ("RA---SIN", 150.0, 48.0, -PIX / 3600, "deg"), "y": ("DEC--SIN", 2.0, 48.0, PIX / 3600, "deg"),
            "f": ("FREQ", 1.4e9, 1.0, 1e6, "Hz"), "s": ("STOKES", 2.0, 2.0, 1.0, "")}
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", 3)]
    cards += [card("NAXIS%d" % (i + 1), sizes[a]) for i, a in enumerate(order)]
    for i, a in enumerate(order):
        for key, value in zip(("CTYPE", "CRVAL", "CRPIX", "CDELT", "CUNIT"), axes[a]):
            cards.append(card("%s%d" % (key, i + 1), value))
    cards += [card("BUNIT", "Jy/beam"), card("RESTFRQ", 1.42e9), card("CASAMBM", True)]
    if order[2] in "fs":
        values = [v for image in planes for v in image]
    else:
        values = [planes[f][k] for k in range(N * N) for f in range(PLANES)]
    beams = [(0.0 if p == 2 else 8 + 0.5 * p) for p in range(PLANES)]
    rows = b"".join(struct.pack(">fffii", b, b, 0, *((0, i) if "s" in order else (i, 0))) for i, b in enumerate(beams))
    table = [card("XTENSION", "BINTABLE"), card("BITPIX", 8), card("NAXIS", 2), card("NAXIS1", 20),
             card("NAXIS2", PLANES), card("PCOUNT", 0), card("GCOUNT", 1), card("TFIELDS", 5)]
    for i, (n, f, u) in enumerate([("BMAJ", "1E", "arcsec"), ("BMIN", "1E", "arcsec"), ("BPA", "1E", "deg"), ("CHAN", "1J", ""), ("POL", "1J", "")]):
        table += [card("TTYPE%d" % (i + 1), n), card("TFORM%d" % (i + 1), f), card("TUNIT%d" % (i + 1), u)]
    table += [card("EXTNAME", "BEAMS")]
    open(name, "wb").write(blocks(cards) + padded(struct.pack(">%df" % len(values), *values)) + blocks(table) + padded(rows))
planes = [plane(p) for p in range(PLANES)]
write("cube.fits", "xyf", planes)
write("first.fits", "fxy", planes)
write("stokes.fits", "xys", planes)
E2
python3 make.py || exit 1
gzip -k cube.fits

run find cube.fits --planes all -o all.csv --write-rms rms.fits --json all.json "${cpu[@]}"
expect_status 0
expect_in out "4 of 6 planes" "2 skipped"
expect_in err "plane 2 is skipped: it has no beam" "plane 4 is skipped: all its pixels are blank"
expect_in all.csv "Plane,Frequency,Beam_Maj,Beam_Min,Beam_PA,Source_id"
expect_in all.json '"skipped": 2' '"frequency_hz": 1403000000.0'

# A Stokes axis is told, in words where FITS has one; others have no such column.
run find stokes.fits --planes all -o stokes.csv "${cpu[@]}"
expect_status 0
expect_in stokes.csv "Plane,Frequency,Beam_Maj,Beam_Min,Beam_PA,Stokes,Source_id"
what="words of the Stokes axis"
[ "$(grep -v '^#' stokes.csv | cut -d, -f1,6 | sort -u | tr '\n' ' ')" = '0,"I" 1,"Q" 3,"V" 5,"6" Plane,Stokes ' ] || report "expected I Q V 6"
expect_not_in all.csv Stokes

# The rows of a plane are those of the plane alone, but for the columns of planes.
for plane in 0 1 3 5; do
  run find cube.fits --plane $plane -o $plane.csv "${cpu[@]}"
  grep "^$plane," all.csv | cut -d, -f6- >rows
  tail -n +2 $plane.csv >alone
  expect_same rows alone
  [ "$(wc -l <rows)" -eq 3 ] || report "expected 3 sources in plane $plane"
done

# Planes side by side: the same rows, maps and words in the same order.
run find cube.fits --planes all -o one.csv --write-rms one.fits --threads 1 "${cpu[@]}"
grep -o '^ *[0-9]* *14[0-9.]* .*' out | awk '{ $NF = ""; print }' >one.txt
run find cube.fits --planes all -o three.csv --write-rms three.fits --threads 3 "${cpu[@]}"
grep -o '^ *[0-9]* *14[0-9.]* .*' out | awk '{ $NF = ""; print }' >three.txt
[ "$(wc -l <one.txt)" -eq 4 ] || report "expected a line per plane"
expect_same one.txt three.txt
expect_same one.csv all.csv
expect_same three.csv all.csv
expect_same_pixels one.fits three.fits

# Everything for every plane: a plane is an image of a batch, its products are those of the plane alone.
plain=("${cpu[@]}" --no-compress)
run run cube.fits --planes all -o run "${plain[@]}" --threads 3
expect_status 0
expect_in out "4 of 6 planes done, 2 skipped" "cube.fits plane 3: 3 sources"
expect_in err "cube.fits plane 2 is skipped: it has no beam" "cube.fits plane 4 is skipped: all its pixels are blank"
cut -d, -f2- run/catalogue.csv >joined
expect_same joined all.csv
expect_in run/catalogue.csv 'File,Plane,Frequency' '"cube.fits",0,1400000000'
run run cube.fits --plane 3 -o single "${plain[@]}"
expect_same_pixels single/cube_snr.fits run/cube_p0003_snr.fits
expect_same_pixels single/cube_labels.fits run/cube_p0003_labels.fits
expect_same_pixels single/cube_rms.fits run/cube_p0003_rms.fits
expect_same single/cube.png run/cube_p0003.png
cut -d, -f6- run/cube_p0003.csv >rows
expect_same rows single/cube.csv
run info run/cube_p0003_snr.fits
expect_in out "96 x 96"
run run --config run/cube_p0003.toml -o again
expect_status 0
expect_same again/cube_p0003.csv run/cube_p0003.csv
expect_no_file again/cube_p0000.csv

# Resuming does the planes without a result; a record names its plane.
expect_in run/batch.jsonl '"plane":5' '"skipped":"all its pixels are blank"'
rm run/cube_p0001.csv
run run cube.fits --planes all -o run "${plain[@]}" --resume
expect_status 0
expect_in out "4 of 6 planes done, 2 skipped, 5 of them earlier"
[ "$(grep -c '"plane":1[,}]' run/batch.jsonl) $(grep -c '"plane":4[,}]' run/batch.jsonl)" = "2 1" ] ||
  report "expected plane 1 to be done again alone"
run run cube.fits --planes 0,5 -o part "${cpu[@]}" --products csv
run run cube.fits --planes all -o part "${cpu[@]}" --products csv --resume
expect_in out "2 of them earlier"
expect_same part/catalogue.csv run/catalogue.csv

# Planes are shared out among processes and workers as images are; a compressed cube and a broken file beside it.
for rank in 0 1 2 3; do
  run run cube.fits --planes all -o shares "${cpu[@]}" --products csv --rank "$rank/4"
  expect_status 0
done
run merge shares -o shares.csv
expect_status 0
expect_in out "6 of 6 images done"
expect_same shares.csv run/catalogue.csv
run run cube.fits --planes all -o workers "${cpu[@]}" --products csv --workers 2
expect_status 0
expect_same workers/catalogue.csv run/catalogue.csv
head -c 30000 cube.fits >broken.fits
run run cube.fits.gz broken.fits --planes 0:1 -o mixed "${cpu[@]}" --products csv
expect_status 3
expect_in err broken.fits
expect_in out "2 of 3 planes done"
cut -d, -f2- mixed/catalogue.csv >joined
head -n 7 all.csv >first.csv
expect_same joined first.csv
rm first.csv

# The axes' order and the compression do not matter, and a list names the planes that it says.
run find first.fits --planes all -o first.csv "${cpu[@]}"
expect_same first.csv all.csv
run find cube.fits.gz --planes :1,5 -o some.csv "${cpu[@]}" --columns casda
expect_status 0
run find cube.fits --planes 0,1,5 -o other.csv "${cpu[@]}" --columns casda
expect_same some.csv other.csv
expect_in some.csv "Plane,Frequency"

# Maps are cubes of the input's shape.
run background cube.fits --planes 1:5 --write-rms rms2.fits --write-mean mean.fits "${cpu[@]}"
expect_status 0
run background cube.fits --plane 3 --write-rms rms3.fits "${cpu[@]}"
cat >compare.py <<'E2'
import math, struct
def data(name):
    raw = open(name, "rb").read()
    at = next(i for i in range(0, len(raw), 80) if raw[i:i + 80].strip() == b"END")
    return raw[(at // 2880 + 1) * 2880:]
N = 96 * 96
cube, alone, whole = data("rms2.fits"), data("rms3.fits"), data("rms.fits")
assert cube[3 * 4 * N:4 * 4 * N] == alone[:4 * N] == whole[3 * 4 * N:4 * 4 * N], "plane 3"
for plane in (0, 2, 4):
    assert all(math.isnan(v) for v in struct.unpack(">%df" % N, cube[plane * 4 * N:(plane + 1) * 4 * N])), plane
E2
status=0 what="maps of planes"
python3 compare.py >out 2>err || status=$?
expect_status 0
run info rms2.fits
expect_in out "96 x 96 x 6"

# Fluxes of one list in every plane: those of the plane alone.
run find cube.fits --plane 5 -o list.csv "${cpu[@]}" --overwrite
run measure cube.fits --at list.csv --planes 0,2:5 -o spectra.csv "${cpu[@]}"
expect_status 0
expect_in err "plane 2 is skipped" "plane 4 is skipped"
run measure cube.fits --at list.csv --plane 3 -o alone.csv "${cpu[@]}"
grep "^3," spectra.csv | cut -d, -f6- >rows
tail -n +2 alone.csv >alone
expect_same rows alone
[ "$(wc -l <spectra.csv)" -eq 10 ] || report "expected 3 sources in 3 planes"

# Smoothing a compressed cube gives what smoothing the plain one does.
run smooth cube.fits --common -o plain "${cpu[@]}"
expect_status 0
run smooth cube.fits.gz --common -o packed "${cpu[@]}"
expect_status 0
tail -c +14401 plain/cube_smoothed.fits >a
tail -c +14401 packed/cube_smoothed.fits >b
expect_same a b

# The commands of the document run.
python3 - "$source_folder/docs/cubes.md" >commands <<'E2'
import re, sys
print("\n".join(line.strip() for line in open(sys.argv[1]) if line.startswith("    reber ")))
E2
[ "$(wc -l <commands)" -ge 7 ] || report "docs/cubes.md has no commands"
mkdir document && cd document && cp ../cube.fits .
while read -r _ line; do
  # shellcheck disable=SC2086
  run $line "${cpu[@]}"
  expect_status 0
done <../commands
cd ..

# A beam that varies: a map for each plane (which gives plane 2 its beam), one for all, and numbers of maps that are neither.
cat >psf.py <<'E3'
import struct, sys
name, planes = sys.argv[1], [float(beam) for beam in sys.argv[2:]]
axes = [3, 3, 3] + ([len(planes)] if len(planes) > 1 else [])
cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   = %20d" % len(axes)]
cards += ["NAXIS%d  = %20d" % (i + 1, size) for i, size in enumerate(axes)]
cards += ["CTYPE1  = 'RA---SIN'", "CRVAL1  = 150.0", "CRPIX1  = 2.0", "CDELT1  = -0.03",
          "CTYPE2  = 'DEC--SIN'", "CRVAL2  = 2.0", "CRPIX2  = 2.0", "CDELT2  = 0.03"]
text = "".join(card.ljust(80) for card in cards + ["END"])
values = [v for beam in planes for v in [beam / 3600] * 18 + [0.0] * 9]
data = struct.pack(">%df" % len(values), *values)
open(name, "wb").write((text + " " * (-len(text) % 2880)).encode() + data + b"\0" * (-len(data) % 2880))
E3
python3 psf.py each.fits 8 8.5 9 9.5 10 10.5
python3 psf.py all.fits 9.5
python3 psf.py five.fits 8 8 8 8 8
totals() {  # FILE [PLANE]: of the brightest row of each plane, total over the truth
  awk -F, -v wanted="${2:-}" '/^#/ {next} !at["Total_flux"] {for (i = 1; i <= NF; ++i) at[$i] = i; next}
    wanted == "" || $at["Plane"] == wanted {if ($at["Total_flux"] > most[$at["Plane"]]) most[$at["Plane"]] = $at["Total_flux"]}
    END {for (p in most) printf "%d %.4f\n", p, most[p] / (0.08 * (1 + 0.2 * p))}' "$1" | sort
}
run find cube.fits --planes all --psf-map each.fits -o psf_each.csv "${cpu[@]}"
expect_status 0
what='totals with a map for each plane'
checks=$((checks + 1))
[ "$(totals psf_each.csv | awk '$2 > 0.96 && $2 < 1.04' | wc -l)" = 5 ] || report "expected five planes with totals of 1: $(totals psf_each.csv)"
run find cube.fits --plane 3 --psf-map each.fits -o psf_one.csv "${cpu[@]}"
expect_status 0
expect_same <(grep -v '^#' psf_one.csv | cut -d, -f1-12) <(awk -F, '/^#/ {next} !c {for (i = 1; i <= NF; ++i) {if ($i == "Plane") p = i; if ($i == "Source_id") c = i}; first = 1}
  first || $p == 3 {line = ""; for (i = c; i < c + 12; ++i) line = line (i > c ? "," : "") $i; print line; first = 0}' psf_each.csv)
run find cube.fits --planes all --psf-map all.fits -o psf_all.csv "${cpu[@]}"
expect_status 0
what='totals with one map for all planes'
checks=$((checks + 1))
[ "$(totals psf_all.csv 3 | awk '$2 > 0.96 && $2 < 1.04' | wc -l)" = 1 ] || report "plane 3 has the beam of the map: $(totals psf_all.csv)"
[ "$(totals psf_all.csv 5 | awk '$2 > 1.15' | wc -l)" = 1 ] || report "plane 5 has the wrong one: $(totals psf_all.csv)"
run find cube.fits --planes all --psf-map five.fits -o psf_five.csv "${cpu[@]}"
expect_status 2
expect_in err '5 maps of the beam' '6 planes'

# What cannot be.
run find cube.fits --planes 6 "${cpu[@]}"
expect_status 2
expect_in err "there is no plane 6: planes are 0 to 5"
run find cube.fits --planes 0:x "${cpu[@]}"
expect_status 2
run find cube.fits --planes 0:1 --plane 1 "${cpu[@]}"
expect_status 2
expect_in err "either --plane or --planes"
run run cube.fits --planes 0:1 --plane 1 -o no "${cpu[@]}"
expect_status 2
expect_in err "either --plane or --planes"
run run cube.fits --planes 0:6 -o no "${cpu[@]}"
expect_status 2
expect_in err "there is no plane 6"
expect_no_file no
run find cube.fits --planes 0:1 --write-labels l.fits "${cpu[@]}"
expect_status 2
expect_in err "--write-labels is made of one plane"
run find cube.fits --planes 2,4 -o none.csv "${cpu[@]}"
expect_status 3
expect_in err "no plane could be searched"
[ ! -e none.csv ] || report "a catalogue of no planes was written"

finish
