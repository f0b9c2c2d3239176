#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Whole commands on a card whose call number N fails, by REBER_CUDA_FAULT: with --backend auto the files of a run on the
# processor, and a warning; with --backend cuda exit code 4 and no file, or the files where the run makes fewer calls.
# Then a card that hangs, by queries that say so and by a kernel that never ends, with two seconds allowed for an answer.
#   tests/gpu/faults.sh FOLDER_OF_PROGRAMS IMAGE.fits [STEP] [CALLS AT WHICH IT GETS STUCK]
set -u
reber=$1/reber; image=$2; step=${3:-37} stuck=${4:-30 90 250 600}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
catalogue() { grep -v '^#' "$1"; }

# Prints "ok ..." or what is wrong. Arguments: command, backend, call, code, ":once" or nothing.
try() {
  local what=$1 backend=$2 out=$work/$1.$2.$3.$4${5:-} status
  local -a words
  case $what in
    find) words=(find "$image" -o "$out.csv") ;;
    run) words=(run "$image" -o "$out" --products csv,snr) ;;
    convolve) words=(convolve "$image" "$out.fits" --kernel gaussian:5) ;;
  esac
  REBER_CUDA_TIMEOUT=2 REBER_CUDA_FAULT=$3:$4${5:-} timeout -k 10 60 "$reber" "${words[@]}" --device 0 --backend "$backend" > "$out.log" 2>&1
  status=$?
  local made=$out.csv; [ "$what" = run ] && made=$out/$(basename "$image" .fits).csv; [ "$what" = convolve ] && made=$out.fits
  if [ $status = 0 ] && [ "$what" = convolve ]; then
    [ -s "$made" ] && echo "ok done $backend" || echo "WRONG no file: $*"
  elif [ $status = 0 ]; then
    cmp -s <(catalogue "$made") "$work/$what.right" && echo "ok done $backend" || echo "WRONG numbers: $*"
  elif [ $status = 4 ] && [ "$backend" = cuda ] && [ ! -e "$made" ]; then
    echo "ok exit 4"
  else
    echo "WRONG exit $status: $* : $(tail -1 "$out.log")"
  fi
  rm -rf "$out" "$out".*
}

"$reber" find "$image" -o "$work/find.csv" --backend cpu -q && catalogue "$work/find.csv" > "$work/find.right"
"$reber" run "$image" -o "$work/cpu" --products csv --backend cpu -q && catalogue "$work/cpu/$(basename "$image" .fits).csv" > "$work/run.right"
codes=(2 46 214 700 719 999); turn=0
for what in find run convolve; do
  for backend in auto cuda; do
    for ((call = 1; call < 1500; call += call < 20 ? 4 : step)); do
      once=; [ $((turn % 2)) = 1 ] && once=:once
      try $what $backend $call "${codes[turn++ % 6]}" $once &
      while [ "$(jobs -rp | wc -l)" -ge 12 ]; do wait -n; done
    done
  done
done > "$work/said"
wait
for what in find run convolve; do
  for backend in auto cuda; do
    for call in 30 90 250 600; do
      try $what $backend $call hang &  # only this process sees no answer
    done
  done
  wait
done >> "$work/said"
for what in find run convolve; do
  for backend in auto cuda; do
    for call in $stuck; do
      try $what $backend $call stuck  # one at a time: a stuck card is stuck for all
    done
  done
done >> "$work/said"
sort "$work/said" | sed 's/\(WRONG [a-z]*\).*/\1/' | sort | uniq -c
grep WRONG "$work/said" | head -20
! grep -q WRONG "$work/said"
