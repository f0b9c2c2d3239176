#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Maps that are given: words that read and words that write, old ones too; maps of another sky, unit or object.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

cpu=(--backend cpu --threads 1)
run simulate sky.fits --size 160 --sources 12 --seed 3 "${cpu[@]}"
expect_status 0
run background sky.fits --write-mean mean.fits --write-rms rms.fits --write-snr snr.fits "${cpu[@]}"
expect_status 0
expect_empty err
run background sky.fits --mesh-maps --write-mean mesh_mean.fits --write-rms mesh_rms.fits "${cpu[@]}"
expect_status 0

# card NAME VALUE puts a card in place of its like, or before END; VALUE "-" takes away every card that begins so.
cat >card.py <<'PY'
import struct, sys
source, made, *changes = sys.argv[1:]
data = open(source, "rb").read()
at = next(i for i in range(0, len(data), 80) if data[i:i + 80].rstrip() == b"END")
cards = [data[i:i + 80].decode() for i in range(0, at, 80)]
rest = data[(at + 80 + 2879) // 2880 * 2880:]
cards = [card for card in cards if not card.startswith(("CHECKSUM", "DATASUM"))]
for change in changes:
    name, value = change.split("=", 1)
    if name == "scale":
        pixels = struct.unpack(f">{len(rest) // 4}f", rest)
        rest = struct.pack(f">{len(pixels)}f", *(float(value) * pixel for pixel in pixels))
        continue
    kept = [card for card in cards if not (card.startswith(name) if value == "-" else card[:8].rstrip() == name)]
    cards = kept + ([f"{name:8}= {value:>20}"] if value != "-" else [])
head = "".join(card.ljust(80) for card in [*cards, "END"]).encode()
open(made, "wb").write(head.ljust(-(-len(head) // 2880) * 2880) + rest)
PY
card() { python3 card.py "$@"; }
rows() { grep -v '^#' "$1"; }
takes() {  # MAP: the rows of the map as it was written, without a word
  run find sky.fits --use-rms "$1" --use-mean mean.fits -o "$1.csv" "${cpu[@]}"
  expect_status 0
  expect_empty err
  rows "$1.csv" >"$1.rows"
  expect_same rms.fits.rows "$1.rows"
}
refuses() {  # MAP WORD...
  local map=$1
  shift
  run find sky.fits --use-rms "$map" "${cpu[@]}"
  expect_status 2
  expect_in err "$map" "$@"
}
warns() {  # MAP WORD...
  local map=$1
  shift
  run find sky.fits --use-rms "$map" --use-mean mean.fits -o warned.csv "${cpu[@]}"
  expect_status 0
  expect_in err warning "$map" "$@"
}

takes rms.fits
run find sky.fits --use-rms mesh_rms.fits --use-mean mesh_mean.fits -o mesh.csv "${cpu[@]}"
expect_status 0
expect_empty err

# Another sky: centre, scale, parity, angle; a quarter of a pixel is the same sky, a pixel is not.
value() { python3 -c 'import sys
data = open(sys.argv[1], "rb").read(28800).decode("latin-1")
card = next(data[i:i + 80] for i in range(0, len(data), 80) if data[i:i + 8].rstrip() == sys.argv[2])
print(float(card[10:].split("/")[0]) * float(sys.argv[3]) + float(sys.argv[4]))' "$@"; }
card rms.fits centre.fits CRVAL1="$(value rms.fits CRVAL1 1 0.5)"
refuses centre.fits "pixels from the image's"
card rms.fits pole.fits CRVAL2="$(value rms.fits CRVAL2 -1 0)"
refuses pole.fits "pixels from the image's"
card rms.fits flipped.fits CDELT1="$(value rms.fits CDELT1 -1 0)"
refuses flipped.fits "pixels from the image's"
card rms.fits scale.fits CDELT1="$(value rms.fits CDELT1 1.1 0)" CDELT2="$(value rms.fits CDELT2 1.1 0)"
refuses scale.fits "pixels from the image's"
card rms.fits turned.fits CROTA2=5.0
refuses turned.fits "pixels from the image's"
card rms.fits pixel.fits CRPIX1="$(value rms.fits CRPIX1 1 1)"
refuses pixel.fits "1 pixels from the image's"
card rms.fits quarter.fits CRPIX1="$(value rms.fits CRPIX1 1 0.25)"
takes quarter.fits
card mesh_rms.fits mesh_centre.fits CRVAL1="$(value rms.fits CRVAL1 1 0.01)"
refuses mesh_centre.fits "pixels from the image's"
run simulate other.fits --size 144 --sources 3 "${cpu[@]}"
refuses other.fits "144 x 144" "160 x 160"

# No sky, another object.
card rms.fits plain.fits CTYPE=- CRVAL=- CRPIX=- CDELT=- RADESYS=- EQUINOX=-
warns plain.fits "no sky coordinates"
card rms.fits lens.fits "OBJECT='LENS 7  '"
card sky.fits named.fits "OBJECT='FIELD 1 '"
run find named.fits --use-rms lens.fits "${cpu[@]}"
expect_status 0
expect_in err warning "LENS 7" "FIELD 1"

# Units: of one kind they are converted, others are refused, none is the image's.
card rms.fits milli.fits "BUNIT='mJy/beam'" scale=1000
run find sky.fits --use-rms milli.fits --use-mean mean.fits -o milli.csv "${cpu[@]}"
expect_status 0
expect_empty err
cat >near.py <<'PY'
import csv, sys
tables = [list(csv.reader(line for line in open(path) if line[0] != "#")) for path in sys.argv[1:]]
numbers = lambda table: [float(cell) for row in table[1:] for cell in row if cell.replace(".", "").replace("-", "").isdigit()]
a, b = map(numbers, tables)
assert len(a) == len(b) > 99 and all(abs(p - q) <= 2e-3 * abs(p) + 1e-6 for p, q in zip(a, b)), "rows differ"
PY
python3 near.py rms.fits.csv milli.csv 2>err || report "milli.csv is not near rms.fits.csv"
checks=$((checks + 1))
card mesh_rms.fits mesh_kelvin.fits "BUNIT='K       '"
refuses mesh_kelvin.fits "'K'" "'JY/BEAM'"
card rms.fits kelvin.fits "BUNIT='K       '"
refuses kelvin.fits "'K'" "'JY/BEAM'"
card rms.fits unitless.fits BUNIT=-
takes unitless.fits

# A cube takes the planes of a cube of maps, or one map for all.
python3 - <<'PY'
def parts(path):
    data = open(path, "rb").read()
    at = next(i for i in range(0, len(data), 80) if data[i:i + 80].rstrip() == b"END")
    cards = [data[i:i + 80].decode() for i in range(0, at, 80)]
    start = (at + 80 + 2879) // 2880 * 2880
    return [card for card in cards if not card.startswith(("CHECKSUM", "DATASUM", "NAXIS"))], data[start:start + 160 * 160 * 4]
cards, pixels = parts("sky.fits")
axes = [f"NAXIS{name:3}= {value:20}" for name, value in (("", 3), ("1", 160), ("2", 160), ("3", 3))]
head = "".join(card.ljust(80) for card in [*cards[:2], *axes, *cards[2:], "END"]).encode()
data = 3 * pixels
open("cube.fits", "wb").write(head.ljust(-(-len(head) // 2880) * 2880) + data + bytes(-len(data) % 2880))
PY
run background cube.fits --planes all --write-rms rms_cube.fits "${cpu[@]}"
expect_status 0
for map in rms_cube.fits rms.fits; do
  run find cube.fits --planes 1,2 --use-rms $map --use-mean mean.fits -o "cube_$map.csv" "${cpu[@]}"
  expect_status 0
done
rows cube_rms.fits.csv >one.rows
rows cube_rms_cube.fits.csv >planes.rows
expect_same one.rows planes.rows

# One value for the noise.
run find sky.fits --use-rms 0.001 --write-rms value.fits -o value.csv "${cpu[@]}"
expect_status 0
run find sky.fits --use-rms const --use-mean const -o const.csv "${cpu[@]}"
expect_status 0
run find sky.fits --background clip -o clip.csv "${cpu[@]}"
rows const.csv >const.rows
rows clip.csv >clip.rows
expect_same clip.rows const.rows
for wrong in zero 0 -1; do
  run find sky.fits "--use-rms=$wrong" "${cpu[@]}"
  expect_status 2
  expect_in err "above 0"
done

# Old words keep their meaning, are told once, and no help page has them; nor is one option given twice.
run background sky.fits --mean old_mean.fits --rms old_rms.fits --snr old_snr.fits "${cpu[@]}"
expect_status 0
expect_in err "--mean is an old name: write --write-mean" "--rms is an old name: write --write-rms" "--snr is an old name"
expect_file old_mean.fits old_rms.fits old_snr.fits
expect_not_in err "write --use"
takes old_rms.fits
run find sky.fits --rms rms.fits --mean-map mean.fits --snr-map s.fits --model-map m.fits --residual-map r.fits \
  --island-map i.fits -o old.csv "${cpu[@]}"
expect_status 0
expect_in err "--rms is an old name: write --use-rms" "--mean-map is an old name: write --use-mean" "write --write-snr" \
  "write --write-model" "write --write-residual" "write --write-labels"
expect_file s.fits m.fits r.fits i.fits
rows old.csv >old.rows
expect_same rms.fits.rows old.rows
run find sky.fits --detection-image sky.fits --detection-rms rms.fits --detection-mean mean.fits --quiet "${cpu[@]}"
expect_status 0
expect_empty err
run find sky.fits --rms rms.fits --use-rms rms.fits "${cpu[@]}"
expect_status 2
expect_in err "--rms is an old name of --use-rms"
printf '[find]\nrms = "rms.fits"\nmean = "mean.fits"\n' >old.toml
run find sky.fits --config old.toml -o toml.csv "${cpu[@]}"
expect_status 0
expect_in err "write --use-rms" "write --use-mean"
rows toml.csv >toml.rows
expect_same rms.fits.rows toml.rows
run run sky.fits -o folder --products csv --rms rms.fits "${cpu[@]}"
expect_status 0
expect_in folder/sky.toml "use-rms = "
run run sky.fits -o folder2 --config folder/sky.toml "${cpu[@]}"
expect_status 0
expect_not_in err "old name"
for command in find background run verify complete; do
  run $command --help
  for word in "--mean " "--rms " "--rms-map" "--snr-map" "--detection-rms "; do
    checks=$((checks + 1))
    if grep -qE -- "^ +$word" out; then report "the help of $command shows $word"; fi
  done
done
finish
