#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What is opened: outputs follow no link, inputs are regular files with an end, whichever option names them.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu -q)
run simulate sky.fits --size 200 --sources 10 --seed 3 "${cpu[@]}"
expect_status 0
run find sky.fits -o list.csv "${cpu[@]}"
expect_status 0
run mask sky.fits --threshold 5 -o mask.fits "${cpu[@]}"
expect_status 0
cp sky.fits before.fits

# Records that are a link to the image, or to nothing.
link() {  # HOW...
  rm -rf o && mkdir o && "$@"
  run run sky.fits -o o "${cpu[@]}"
  expect_status 3
  expect_in err batch.jsonl
  expect_same sky.fits before.fits
}
link ln -s ../sky.fits o/batch.jsonl
link ln sky.fits o/batch.jsonl
link ln -s nowhere o/batch.jsonl
expect_no_file o/nowhere
# Two processes that talk through a folder of links.
mkdir talk
for name in hello alive; do for who in 0 1; do ln -s ../sky.fits "talk/$name.$who" && ln -s ../sky.fits "talk/$name.$who.new"; done; done
"$reber" find sky.fits --share talk --rank 1/2 -o shared1.csv "${cpu[@]}" >out1 2>err1 &
run find sky.fits --share talk --rank 0/2 -o shared.csv "${cpu[@]}"
wait $!
expect_same sky.fits before.fits

# Inputs without an end, or that nobody writes.
mkfifo pipe
refuse() {  # STATUS FILE WORDS...
  local wanted=$1 file=$2
  shift 2
  status=0
  what="reber $*"
  case $1 in match | send) ;; *) set -- "$@" "${cpu[@]}" ;; esac
  (if plain_build; then ulimit -v 4000000; fi; exec timeout 20 "$reber" "$@") >out 2>err </dev/null || status=$?
  expect_status "$wanted"
  expect_in err "$file" "regular file is wanted"
}
for file in pipe /dev/zero /proc/self/environ /proc/kallsyms; do
  refuse 3 $file info $file
  refuse 3 $file find sky.fits -o o.csv --search-region $file
  refuse 3 $file find sky.fits -o o.csv --search-mask $file
  refuse 3 $file mask mask.fits -o o.fits --inside $file
  refuse 3 $file match list.csv $file --radius 5
  refuse 3 $file measure sky.fits --at $file -o o.csv
  refuse 2 $file find sky.fits -o o.csv --config $file
  refuse 3 $file send $file
  ln -sf $file hub
  SAMP_HUB=std-lockurl:file://$PWD/hub refuse 3 hub send sky.fits
done
for file in /dev/zero /proc/self/environ; do refuse 3 $file run @$file -o o; done

# A configuration replaces nothing, and names no output elsewhere, unless it is trusted.
mkdir elsewhere
printf '[find]\noverwrite = true\n' >replaces.toml
cp list.csv old.csv && printf 'older\n' >old.csv
run find sky.fits -o old.csv --config replaces.toml "${cpu[@]}"
expect_status 2
expect_in err overwrite --trust-config
expect_in old.csv older
run find sky.fits -o old.csv --config replaces.toml --trust-config "${cpu[@]}"
expect_status 0
expect_same old.csv list.csv
mkdir here && cd here || exit 1
printf '[find]\noutput = "../elsewhere/a.csv"\n' >names.toml
run find ../sky.fits --config names.toml "${cpu[@]}"
expect_status 2
expect_in err ../elsewhere/a.csv
expect_no_file ../elsewhere/a.csv
printf '[find]\noutput = "a.csv"\n' >names.toml
run find ../sky.fits --config names.toml "${cpu[@]}"
expect_status 0
expect_same a.csv ../list.csv
cd ..
cp sky.fits '#hash.fits'
run run '#hash.fits' -o hashes --products csv "${cpu[@]}"
expect_status 0
run run --config 'hashes/#hash.toml' -o again "${cpu[@]}"
expect_status 0
expect_same 'again/#hash.csv' 'hashes/#hash.csv'

# Files of one batch that would have one name.
cp sky.fits x.fits && cp sky.fits x_extended.fits
run run x.fits x_extended.fits -o names --extended --products csv "${cpu[@]}"
expect_status 2
expect_in err x.fits x_extended.fits x_extended.csv
expect_no_file names

# A private file stays private; a trace replaces nothing unasked; records lead to no file elsewhere.
chmod 600 old.csv
run find sky.fits -o old.csv --overwrite "${cpu[@]}"
expect_status 0
checks=$((checks + 1))
[ "$(stat -c %a old.csv)" = 600 ] || report "the mode became $(stat -c %a old.csv)"
printf 'mine\n' >trace.json
run info sky.fits --trace trace.json "${cpu[@]}"
expect_status 2
expect_in trace.json mine
printf 'a,secret\n1,2\n' >secret.csv
sed 's/"#hash.csv"/"..\/secret.csv"/' hashes/batch.jsonl >again/batch.jsonl
run merge again -o merged.csv
expect_status 3
expect_no_file merged.csv

# Small files, large costs.
python3 - <<'PY'
import bz2, gzip
image = open("sky.fits", "rb").read()
for name, file in (("bomb.fits.gz", gzip.open), ("bomb.fits.bz2", bz2.open)):
    with file(name, "wb") as out:
        out.write(image)
        for _ in range(128):
            out.write(bytes(1 << 20))
with gzip.open("bomb.vot.gz", "wb") as out:
    out.write(b'<VOTABLE><RESOURCE><TABLE><FIELD name="ra" datatype="double" ucd="pos.eq.ra"/><DATA><TABLEDATA>')
    for _ in range(100):
        out.write(b"<TR><TD/></TR>" * 10000)
    out.write(b"</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>")
with open("wide.csv", "w") as out:
    out.write(",".join(["RA", "DEC"] + [f"c{i}" for i in range(600)]) + "\n" + ",".join(["1"] * 602) + "\n")
PY
for file in bomb.fits.gz bomb.fits.bz2; do
  run info $file "${cpu[@]}"
  expect_status 3
  expect_in err "more than the" "headers describe"
done
run match list.csv bomb.vot.gz --host-memory 64M
expect_status 3
expect_in err bomb.vot.gz "inflate to more"
run match wide.csv wide.csv -o pairs.fits
expect_status 2
expect_in err pairs.fits "1211 columns" 999

# A beam that no image of this size has, and one that none has.
run find sky.fits -o beam.csv --image-beam 20000,20000,0 "${cpu[@]}"
expect_status 2
expect_in err "is none for this image"
run find sky.fits -o beam.csv --image-beam 1e300,1e300,0 "${cpu[@]}"
expect_status 2
expect_in err --image-beam "at most 648000"
finish
