#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Several kernels in one run: the files of as many runs, names, failures, dry run, configuration file.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
image=$sample_data/galactic_plane_150mhz.fits
name=galactic_plane_150mhz
cpu=(--backend cpu)

# Pixels and the cards that say what they are; HISTORY names each run's own options.
cat >content.py <<'E2'
import sys
def content(path):
    data = open(path, "rb").read()
    cards = []
    for at in range(0, len(data), 80):
        card = data[at:at + 80].decode()
        if card.startswith("END "):
            return [c for c in cards if not c.startswith(("HISTORY", "DATE ", "CHECKSUM", "DATASUM"))], data[(at // 2880 + 1) * 2880:]
        cards.append(card)
a, b = content(sys.argv[1]), content(sys.argv[2])
assert a[0] == b[0], [c for c in zip(a[0], b[0]) if c[0] != c[1]]
assert len(a[1]) > 1 << 20 and a[1] == b[1]
E2
expect_same_image() {
  checks=$((checks + 1))
  python3 content.py "$1" "$2" 2>>err || report "expected $1 and $2 to hold the same image"
}

run convolve "$image" many "${cpu[@]}" --to-beam 80,70,20 --to-beam 100,100,0 --to-beam 66,54,12 --json many.json
expect_status 0
expect_file many/${name}_beam_80_70_20.fits many/${name}_beam_100_100_0.fits
expect_in out "many/${name}_beam_80_70_20.fits" kernel algorithm plan
expect_json many.json '[len(d["outputs"]), [s["name"] for s in d["stages"]].count("read")] == [3, 1]'
run convolve "$image" one.fits "${cpu[@]}" --to-beam 80,70,20
expect_status 0
expect_same_image one.fits many/${name}_beam_80_70_20.fits
run convolve "$image" one.fits "${cpu[@]}" --to-beam 100,100,0 --overwrite
expect_same_image one.fits many/${name}_beam_100_100_0.fits

cp many/${name}_beam_100_100_0.fits before.fits
run convolve "$image" many "${cpu[@]}" --to-beam 80,71,20 --to-beam 100,100,0
expect_status 2
expect_in err "many/${name}_beam_100_100_0.fits exists"
expect_no_file many/${name}_beam_80_71_20.fits
expect_same before.fits many/${name}_beam_100_100_0.fits

run convolve "$image" mixed "${cpu[@]}" --kernel gaussian:3 --kernel box:5 --kernel mexican-hat:2 --kernel tophat:3
expect_status 0
expect_file mixed/${name}_gaussian_3.fits mixed/${name}_box_5.fits mixed/${name}_mexican-hat_2.fits
for kernel in gaussian:3 box:5 mexican-hat:2 tophat:3; do
  run convolve "$image" one.fits "${cpu[@]}" --kernel "$kernel" --overwrite
  expect_status 0
  expect_same_image one.fits "mixed/${name}_${kernel/:/_}.fits"
done

run convolve "$image" dry "${cpu[@]}" --kernel gaussian:3 --kernel gaussian:6 --dry-run
expect_status 0
expect_in out "dry/${name}_gaussian_6.fits" "15 x 15"
expect_no_file dry
run convolve "$image" refused "${cpu[@]}" --kernel gaussian:3 --kernel beam:30,30,0
expect_status 2
expect_in err "30\" x 30\""
expect_no_file refused
run convolve "$image" refused "${cpu[@]}" --kernel gaussian:3 --kernel moffat:3
expect_status 2
expect_in err moffat:3
expect_no_file refused
run convolve "$image" refused "${cpu[@]}" --kernel gaussian:3 --kernel gaussian:3
expect_status 2
expect_in err "two outputs"
expect_no_file refused
run convolve "$image" one.fits "${cpu[@]}" --kernel gaussian:3 --kernel gaussian:6 --overwrite
expect_status 3
expect_in err one.fits

printf '[convolve]\nkernel = ["gaussian:3", "box:5"]\n' >two.toml
run convolve "$image" configured "${cpu[@]}" --config two.toml
expect_status 0
expect_same_image configured/${name}_gaussian_3.fits mixed/${name}_gaussian_3.fits
expect_same_image configured/${name}_box_5.fits mixed/${name}_box_5.fits
printf '[convolve]\nkernel = "box:5"\n' >one.toml
run convolve "$image" single.fits "${cpu[@]}" --config one.toml
expect_status 0
expect_same_image single.fits mixed/${name}_box_5.fits
finish
