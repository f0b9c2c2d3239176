#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Files in and out: exit codes, overwriting, dry runs, batches, configuration files, JSON.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
image=$sample_data/galactic_plane_150mhz.fits
cpu=(--backend cpu)

run info nowhere.fits "${cpu[@]}"
expect_status 3
expect_in err nowhere.fits
printf 'this is no FITS file' >text.fits
run info text.fits "${cpu[@]}"
expect_status 3
expect_in err text.fits
run info "$image" "${cpu[@]}"
expect_status 0
expect_empty err
expect_in out "1024 x 1024" JY/BEAM "150 MHz" "66\" x 54\"" SIN
run info "$image" "${cpu[@]}" --json -
expect_status 0
expect_json out 'd["shape"] == [1024, 1024] and d["statistics"]["blank"] > 0 and d["beam"]["pa_deg"] == 12'
run info "$image" nowhere.fits "${cpu[@]}" --quiet --json info.json
expect_status 3
expect_empty out
expect_json info.json 'len(d) == 2 and d[1]["exit_code"] == 3'

run find "$image" "${cpu[@]}" -o a.csv a.vot a.reg a.fits
expect_status 0
expect_file a.csv a.vot a.reg a.fits
expect_in out sources "S/N"
cp a.csv first.csv
run find "$image" "${cpu[@]}" -o a.csv
expect_status 2
expect_in err a.csv --overwrite
expect_same a.csv first.csv
run find "$image" "${cpu[@]}" -o a.csv --overwrite --threads 1
expect_status 0
expect_same a.csv first.csv
run find "$image" "${cpu[@]}" -o no/such/folder/a.csv
expect_status 2
expect_in err no/such/folder
run find "$image" "${cpu[@]}" -o x.csv x.csv
expect_status 2
expect_in err "x.csv" two
expect_no_file x.csv

cp "$image" copy.fits
run convolve copy.fits copy.fits "${cpu[@]}" --kernel gaussian:3 --overwrite
expect_status 2
expect_in err copy.fits
expect_same copy.fits "$image"

run run "$image" -o dry "${cpu[@]}" --kernel beam:100,100,0 --dry-run
expect_status 0
expect_no_file dry
expect_in out kernel algorithm plan
run convolve "$image" dry.fits "${cpu[@]}" --kernel gaussian:4 --dry-run
expect_status 0
expect_no_file dry.fits
run convolve "$image" small.fits "${cpu[@]}" --kernel beam:30,30,0
expect_status 2
expect_in err "66\" x 54\"" "30\" x 30\""
expect_no_file small.fits

name=galactic_plane_150mhz
run run "$image" -o one "${cpu[@]}" --threshold 6 --kernel beam:100,90,20 --json run.json
expect_status 0
expect_file one/$name.csv one/${name}_cat.fits one/$name.vot one/$name.reg one/${name}_mean.fits one/${name}_rms.fits \
  one/${name}_snr.fits.fz one/${name}_labels.fits.fz one/${name}_convolved.fits one/$name.png one/$name.toml
expect_no_file one/${name}_mean_full.fits one/${name}_snr.fits
expect_json one/${name}_report.json 'd["backend"] == "cpu" and len(d["stages"]) > 3'
expect_json run.json 'len(d) == 1 and d[0]["backend"] == "cpu"'
expect_in one/$name.toml "threshold = 6" 'kernel = "beam:100,90,20"' "$image"
run run -o two --config one/$name.toml --quiet
expect_status 0
expect_empty out
expect_same one/$name.csv two/$name.csv
expect_same one/$name.toml two/$name.toml
run run -o three --config one/$name.toml --threshold 20 --products csv
expect_status 0
expect_in three/$name.toml "threshold = 20"
expect_no_file three/$name.png
checks=$((checks + 1))
[ "$(wc -l <three/$name.csv)" -lt "$(wc -l <one/$name.csv)" ] || report "expected the command line to win over the file"
run run "$image" -o one "${cpu[@]}"
expect_status 2
expect_in err --overwrite
# Maps at the nodes of the mesh give back the run that made them (errors of levels under sources aside); compressed maps hold the pixels of plain ones.
run run "$image" -o made "${cpu[@]}" --products csv,mean,rms,rms-full,snr,labels --durable each
expect_status 0
run run "$image" -o given "${cpu[@]}" --products csv,rms-full,snr,labels --no-compress --durable no \
  --use-mean made/${name}_mean.fits --use-rms made/${name}_rms.fits
expect_status 0
expect_same_but_levels made/$name.csv given/$name.csv
expect_same_pixels made/${name}_rms_full.fits given/${name}_rms_full.fits
run run "$image" -o nodes "${cpu[@]}" --products csv,rms-full --use-rms made/${name}_rms.fits --box 300
expect_status 0
expect_same_pixels made/${name}_rms_full.fits nodes/${name}_rms_full.fits
run find "$image" "${cpu[@]}" -o mesh.csv --mesh-maps --write-rms mesh_rms.fits --write-snr mesh_snr.fits.fz
expect_status 0
expect_same_pixels mesh_rms.fits made/${name}_rms.fits
expect_same mesh.csv made/$name.csv
run background "$sample_data/dirac_grid.fits" "${cpu[@]}" --write-rms other.fits
run find "$image" "${cpu[@]}" --use-rms made/${name}_rms.fits --use-mean other.fits
expect_status 2
expect_in err other.fits "must be of one size"

printf '[run]\ntreshold = 5\n' >wrong.toml
run run "$image" -o four --config wrong.toml
expect_status 2
expect_in err treshold

mkdir batch
cp "$image" batch/good1.fits
cp "$sample_data/dirac_grid.fits" batch/good2.fits
head -c 100000 "$image" >batch/broken.fits
run run batch/good1.fits batch/broken.fits batch/good2.fits -o many "${cpu[@]}" --products csv --json many.json
expect_status 3
expect_in err batch/broken.fits
expect_in out "2 of 3 files done"
expect_file many/good1.csv many/good2.csv
expect_no_file many/broken.csv
expect_json many.json 'len(d) == 3 and d[1]["exit_code"] == 3'
mkdir other
cp "$image" other/good1.fits
run run batch/good1.fits other/good1.fits -o twice "${cpu[@]}"
expect_status 2
expect_in err batch/good1.fits other/good1.fits

# A file with sums, and the same with one bit of its pixels turned.
run simulate summed.fits --size 256 --sources 5 --seed 2
python3 - <<'END'
data = bytearray(open("summed.fits", "rb").read())
data[-20000] ^= 1
open("turned.fits", "wb").write(data)
END
run find summed.fits "${cpu[@]}" -o summed.csv --check
expect_status 0
expect_empty err
run find turned.fits "${cpu[@]}" -o turned.csv
expect_status 0
expect_in err "DATASUM is" "the file was damaged"
run find turned.fits "${cpu[@]}" -o refused.csv --check
expect_status 3
expect_in err turned.fits "DATASUM is" "without --check"
expect_no_file refused.csv

run find "$image" "${cpu[@]}" --json - --quiet
expect_status 0
expect_json out 'd["facts"]["sources"]'
run info "$image" "${cpu[@]}"
"$reber" info "$image" "${cpu[@]}" >/dev/full 2>err
status=$?
what="reber info >/dev/full"
expect_status 3
expect_in err "standard output"

expect_no_file ./*.tmp* one/*.tmp* many/*.tmp*
finish
