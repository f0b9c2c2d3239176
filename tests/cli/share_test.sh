#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One image shared by several processes: the bytes that one process gives, and no waiting for one that is lost.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu --threads 1)

run simulate sky.fits --size 1400 --sources 900 --extended 20 --seed 3 "${cpu[@]}" -q
expect_status 0
# The same with blank rows and a blank corner.
python3 - <<'PY'
import struct
raw = bytearray(open("sky.fits", "rb").read())
at = next(i for i in range(0, len(raw), 80) if raw[i:i + 80].strip() == b"END")
begin = (at // 2880 + 1) * 2880
nan = struct.pack(">f", float("nan"))
for y in range(1400):
    if y in range(700, 730):
        raw[begin + 4 * 1400 * y:begin + 4 * 1400 * (y + 1)] = nan * 1400
    elif y < 300:
        raw[begin + 4 * 1400 * y:begin + 4 * (1400 * y + 200)] = nan * 200
open("holes.fits", "wb").write(raw)
PY

# share COUNT NAME WORDS...: as many processes, the first of which writes; leaves the worst status.
share() {
  local count=$1 name=$2 rank worst=0 pids=()
  shift 2
  for ((rank = 1; rank < count; ++rank)); do
    "$reber" "$@" --share "$name" --rank "$rank/$count" >"out.$rank" 2>"err.$rank" </dev/null &
    pids+=("$!")
  done
  run "$@" --share "$name" --rank "0/$count"
  worst=$status
  for pid in "${pids[@]}"; do
    wait "$pid" || worst=$?
  done
  status=$worst
}

# The same names in two folders, as HISTORY names them.
for image in sky holes; do
  mkdir one_$image many_$image
  words=(find "../$image.fits" -o cat.csv cat.fits cat.vot --write-rms rms.fits --write-snr snr.fits "${cpu[@]}")
  cd one_$image || exit 1
  run "${words[@]}"
  expect_status 0
  [ "$(wc -l <cat.csv)" -gt 300 ] || report "expected several hundred sources in $image.fits"
  cd ../many_$image || exit 1
  share 4 ../talk "${words[@]}"
  expect_status 0
  expect_empty out.1
  expect_empty err.3
  expect_in err "4 processes on one image"
  expect_in out "4 processes, each of which reads its part of the file"
  cd ..
  for file in cat.csv cat.fits cat.vot; do expect_same one_$image/$file many_$image/$file; done
  for file in rms.fits snr.fits; do expect_same_pixels one_$image/$file many_$image/$file; done
  expect_no_file talk many_$image/many.csv
done

# Other ways to look for sources, more processes than rows of cells, bands lower than an image's part.
try() {  # COUNT WORDS...
  local count=$1
  shift
  run find sky.fits -o one.csv "$@" "${cpu[@]}" --overwrite
  expect_status 0
  share "$count" talk find sky.fits -o many.csv "$@" "${cpu[@]}" --overwrite
  expect_status 0
  expect_same one.csv many.csv
}
try 2 --background grid --passes 3
try 3 --adaptive --negative
try 5 --fdr 0.05 --fit none
try 4 --scales 1,3
try 24 --threshold 4 --connectivity 4 --fit none
run find sky.fits -o one.csv "${cpu[@]}" --overwrite
share 4 talk find sky.fits -o many.csv "${cpu[@]}" --host-memory 170M --overwrite
expect_status 0
expect_same one.csv many.csv
gzip -k sky.fits
share 2 talk find sky.fits.gz -o many.csv "${cpu[@]}" --overwrite
expect_same one.csv many.csv

# Maps of background and noise.
run background sky.fits --write-mean one_mean.fits "${cpu[@]}"
share 3 talk background sky.fits --write-mean many_mean.fits "${cpu[@]}"
expect_status 0
expect_same_pixels one_mean.fits many_mean.fits

# What an earlier call left in the folder does no harm; nor does a file of somebody else, which stays.
mkdir talk
printf 'other\nwords' >talk/hello.1
printf '' >talk/0123456789abcdef.ready.1
printf 'mine' >talk/note.txt
share 2 talk find sky.fits -o many.csv "${cpu[@]}" --overwrite
expect_status 0
expect_same one.csv many.csv
[ "$(ls talk)" = note.txt ] || report "expected nothing but note.txt to be left in talk"
rm -r talk

# Ranks of the environment; mpirun where there is one.
for rank in 1 2 3 0; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 "$reber" find sky.fits -o env.csv "${cpu[@]}" --share talk \
    >"out.$rank" 2>"err.$rank" </dev/null &
  pids[rank]=$!
done
what="four processes with the variables of mpirun"
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
expect_status 0
expect_same env.csv one.csv
if command -v mpirun >/dev/null; then
  what="mpirun -n 4"
  status=0
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 4 "$reber" find sky.fits \
    -o mpi.csv "${cpu[@]}" --share talk >out 2>err </dev/null || status=$?
  expect_status 0
  expect_same mpi.csv one.csv
else
  echo "SKIP mpirun: it is not installed"
fi

# Dask, where python3 (or REBER_DASK_PYTHON) has it.
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$reber" >bin/reber
chmod +x bin/reber
python=${REBER_DASK_PYTHON:-python3}
if "$python" -c 'import dask.distributed' 2>/dev/null; then
  what="share_dask.py"
  status=0
  PATH=$scratch/bin:$PATH "$python" "$source_folder/docs/examples/share_dask.py" sky.fits dask.csv 4 >out 2>err || status=$?
  expect_status 0
  expect_same dask.csv one.csv
  what="share_dask.py once more"
  PATH=$scratch/bin:$PATH "$python" "$source_folder/docs/examples/share_dask.py" sky.fits dask.csv 4 >out 2>err || status=$?
  expect_status 0
  expect_same dask.csv one.csv
else
  echo "SKIP share_dask.py: dask.distributed is not installed"
fi

# A process that fails ends the others, with a word of why.
head -c 4000000 sky.fits >cut.fits
share 2 talk find cut.fits -o no.csv "${cpu[@]}"
expect_status 3
expect_no_file no.csv
"$reber" find holes.fits -o no.csv "${cpu[@]}" --share talk --rank 1/2 >out.1 2>err.1 </dev/null &
other=$!
sleep 1
kill -TERM $other
run find holes.fits -o no.csv "${cpu[@]}" --share talk --rank 0/2 --threshold nonsense
expect_status 2
wait $other
[ $? -eq 143 ] || report "expected process 1 to end by its signal"

# What cannot be.
run find sky.fits --share talk --rank 0/2 --backend reference
expect_status 2
expect_in err "--share is for --backend cpu or cuda"
run find sky.fits --rank 0/2 "${cpu[@]}"
expect_status 2
run find sky.fits --share talk --rank 2/2 "${cpu[@]}"
expect_status 2
run find sky.fits --share talk --rank 0/2 --extended e.csv "${cpu[@]}"
expect_status 2
expect_in err "--extended needs one process"
run find sky.fits -o m.csv --share talk --rank 0/2 --search-mask sky.fits "${cpu[@]}"
expect_status 2
expect_in err "--share leaves the pixels in the file"
run find sky.fits -o m.csv --share talk --rank 0/2 --search-moc 0/0-11 "${cpu[@]}"
expect_status 2
expect_in err "a region or a MOC needs them in memory"
run find sky.fits -o alone.csv --share talk "${cpu[@]}"
expect_status 0
expect_same alone.csv one.csv
finish
