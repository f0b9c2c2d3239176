#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of docs/batches.md and of docs/examples, run as they are written; schedulers that are not installed are
# played by a few lines of shell.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
examples=$source_folder/docs/examples
mkdir bin survey
cat >bin/reber <<SH
#!/bin/sh
exec "$reber" "\$@"
SH
# Processes with the variables that srun gives them.
cat >bin/srun <<'SH'
#!/bin/bash
for i in 0 1 2 3; do
  SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_PROCID=$i SLURM_NTASKS=4 "$@" &
done
wait
SH
chmod +x bin/reber bin/srun
PATH=$scratch/bin:$PATH
for i in 1 2 3 4 5; do
  run simulate "survey/f$i.fits" --size 160 --sources 6 --seed "$i" --backend cpu -q
  expect_status 0
done

play() {  # WHAT COMMAND...
  what=$1
  shift
  status=0
  "$@" >out 2>err </dev/null || status=$?
  expect_status 0
}

sed -n '/^```sh$/,/^```$/p' "$source_folder/docs/batches.md" | grep -v '^```' >document.sh
play "docs/batches.md" bash -e document.sh
expect_file results/catalogue.csv results/batch.jsonl shared/batch.1.jsonl all.csv
expect_same all.csv results/catalogue.csv

rm -rf results
play "batch.slurm" env SLURM_JOB_ID=1 SLURM_PROCID=0 SLURM_NTASKS=4 bash "$examples/batch.slurm"
expect_same fields.csv all.csv
play "batch.slurm, handed in again" env SLURM_JOB_ID=1 bash "$examples/batch.slurm"
expect_same fields.csv all.csv
checks=$((checks + 1))
[ "$(cat results/batch.*.jsonl | wc -l)" -eq 5 ] || report "an image was done twice"

rm -rf results fields.csv
if command -v snakemake >/dev/null; then
  play "Snakefile" snakemake -c 2 -s "$examples/Snakefile"
else
  echo "snakemake is not installed: its command is run by hand"
  command=$(sed -n 's/^ *"\(reber .*\)"$/\1/p' "$examples/Snakefile")
  command=${command//\{input\}/survey/*.fits}
  command=${command//\{threads\}/2}
  play "Snakefile" bash -c "${command//\{output\}/fields.csv}"
fi
expect_same fields.csv all.csv

rm -rf results fields.csv
if command -v nextflow >/dev/null; then
  play "batch.nf" nextflow run "$examples/batch.nf" --images "$scratch/survey/*.fits" --chunk 2
else
  echo "nextflow is not installed: its commands are run by hand"
  mkdir work work/results
  mapfile -t commands < <(grep -E '^    (reber|mv) ' "$examples/batch.nf")
  chunks=("../survey/f1.fits ../survey/f2.fits" "../survey/f3.fits ../survey/f4.fits" ../survey/f5.fits)
  for index in 1 2 3; do
    for command in "${commands[@]:0:2}"; do
      command=${command//'${images}'/${chunks[index - 1]}}
      command=${command//'${task.cpus}'/2}
      play "batch.nf: $command" bash -c "cd work && ${command//'${task.index}'/$index}"
    done
    mv work/out/* work/results
    rmdir work/out
  done
  play "batch.nf: merge" bash -c "cd work && ${commands[2]}"
  mv work/fields.csv .
fi
expect_same fields.csv all.csv
finish
