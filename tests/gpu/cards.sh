#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One image over the cards of a host: the bytes that one card gives, resident and streamed; a card that fails in the
# middle; and how long large images take on one card and on several, with dd and the copy rate beside.
#   tests/gpu/cards.sh FOLDER_OF_PROGRAMS [FOLDER] [bytes|faults|shares|times ...]
# FOLDER takes up to 60 GB (default /dev/shm). Needs python3 with numpy. CARDS=0,1 names the cards.
set -u
bin=$1 folder=${2:-/dev/shm}; shift $(($# < 2 ? $# : 2))
reber=$bin/reber cards=${CARDS:-all}
source=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d "$folder/cards.XXXXXX"); trap 'rm -rf "$work"' EXIT
failed=0
report() { if [ "$1" = 0 ]; then echo "ok   $2"; else echo "FAIL $2"; failed=1; fi; }
now() { date +%s.%N; }

# Skies of many sizes, odd ones as well, with wide sources, blank corners and a few rows of cells.
make_images() {
  local k
  for k in $(seq 1 20); do
    "$reber" simulate "$work/sky$k.fits" --size $((300 + 171 * k)) --sources $((60 * k)) --extended "$k" --seed "$k" \
      --backend cpu -q || failed=1
  done
  python3 - "$work" <<'PY'
import struct, sys
for k in range(2, 21, 4):  # blank rows, and a blank corner
    name = f"{sys.argv[1]}/sky{k}.fits"
    raw, n = bytearray(open(name, "rb").read()), 300 + 171 * k
    at = next(i for i in range(0, len(raw), 80) if raw[i:i + 80].strip() == b"END")
    begin, nan = (at // 2880 + 1) * 2880, struct.pack(">f", float("nan"))
    for y in range(n):
        part = n if n // 2 - 8 < y < n // 2 + 3 else n // 5 if y < n // 5 else 0
        raw[begin + 4 * n * y:begin + 4 * (n * y + part)] = nan * part
    open(name, "wb").write(raw)
PY
}

pixels() { cmp -s <(tail -c +40001 "$1") <(tail -c +40001 "$2"); }

# K: a line for each run, 0 first where it has the bytes of one card.
same_bytes_of() {
  local options=("--fit none" "" "--adaptive --negative --fit none" "--background grid --passes 3 --fit none"
    "--scales 1,3 --fit none" "--threshold 4 --connectivity 4") k=$1 own=$work/$1 words memory who
  for words in "${options[@]}"; do
    for memory in 64G $((k < 8 ? 128 : 192))M; do
      rm -rf "$own"; mkdir -p "$own/one" "$own/many"
      # shellcheck disable=SC2086
      for who in one many; do
        (cd "$own/$who" && "$reber" find ../../sky$k.fits -o c.csv --write-rms r.fits --write-labels l.fits $words \
          --backend cuda --device-memory $memory -q --devices "$([ $who = one ] && echo 0 || echo "$cards")") \
          > "$own/$who.log" 2>&1 || echo "exit $? of $who: $(tail -1 "$own/$who.log")"
      done
      cmp -s "$own/one/c.csv" "$own/many/c.csv" && pixels "$own/one/r.fits" "$own/many/r.fits" \
        && pixels "$own/one/l.fits" "$own/many/l.fits"
      echo "$? $k $memory ${words:-default}"
    done
  done
  for words in "gaussian:5" "gaussian:9 --algorithm direct" "gaussian:9 --algorithm fft"; do
    # shellcheck disable=SC2086
    for who in one many; do
      "$reber" convolve "$work/sky$k.fits" "$own/$who.fits" --kernel $words --backend cuda -q --overwrite \
        --devices "$([ $who = one ] && echo 0 || echo "$cards")" || echo "exit $? of convolve"
    done
    pixels "$own/one.fits" "$own/many.fits"; echo "$? $k convolve $words"
  done
}

same_bytes() {  # five images at a time
  local k
  for k in $(seq 1 20); do
    while [ "$(jobs -rp | wc -l)" -ge 5 ]; do wait -n; done
    same_bytes_of "$k" > "$work/said.$k" 2>&1 &
  done
  wait
  cat "$work"/said.* > "$work/said"
  grep -v '^0' "$work/said" | head -20
  ! grep -qv '^0' "$work/said"; report $? "bytes of one card: $(grep -c '^0' "$work/said") of $(wc -l < "$work/said") runs"
}

# Of two cards the second fails: the other redoes its part (streamed), or the command begins again (resident).
faults() {
  local call memory backend
  "$reber" find "$work/sky20.fits" -o "$work/right.csv" --backend cpu -q || failed=1
  for memory in 64G 192M; do
    for backend in auto cuda; do
      for call in 1 5 20 40 80 120 160 200 300 400 600 900; do
        REBER_CUDA_FAULT=$call:$((call % 2 ? 700 : 214))@1 timeout 120 "$reber" find "$work/sky20.fits" -o "$work/f.csv" \
          --devices "$cards" --device-memory $memory --backend $backend --overwrite > "$work/f.log" 2>&1
        cmp -s "$work/f.csv" "$work/right.csv"
        echo "$? $memory $backend call $call: $(grep -c 'card failed\|do without one' "$work/f.log") warnings: $(grep -m1 warning "$work/f.log" | cut -c1-100)"
        rm -f "$work/f.csv"
      done
    done
  done > "$work/said"
  cat "$work/said"
  ! grep -qv '^0' "$work/said"; report $? "a card that fails: $(grep -c '^0' "$work/said") of $(wc -l < "$work/said") runs have the right bytes"
}

# Three processes that share an image, each with a card of its place: the bytes of one.
shares() {
  local k memory rank
  for k in 6 13 20; do
    for memory in 64G 192M; do
      "$reber" find "$work/sky$k.fits" -o "$work/alone.csv" --backend cuda --device 0 --device-memory $memory -q --overwrite
      for rank in 1 2 0; do
        timeout 120 "$reber" find "$work/sky$k.fits" -o "$work/shared.csv" --backend cuda --device-memory $memory -q \
          --overwrite --share "$work/talk" --rank $rank/3 > "$work/share.$rank" 2>&1 &
      done
      wait
      cmp -s "$work/alone.csv" "$work/shared.csv"
      echo "$? $k $memory: $(wc -l < "$work/alone.csv") rows $(tail -qn1 "$work"/share.? | head -1)"
      rm -f "$work/shared.csv"
    done
  done > "$work/said"
  cat "$work/said"
  ! grep -qv '^0' "$work/said"; report $? "shared by processes: $(grep -c '^0' "$work/said") of $(wc -l < "$work/said") runs have the bytes of one"
}

# SIZE NAME: a whole sky in one stripe of 1024 rows, repeated.
make_large() {
  PYTHONPATH=$source/bench python3 - "$1" "$2" <<'PY'
import sys
import large
n, name = int(sys.argv[1]), sys.argv[2]
rows = large.stripe(n, 1024, 1).tobytes()  # big-endian
with open(name, "wb") as out:
    out.write(large.header([n, n]))
    left = n
    while left > 0:
        take = min(left, 1024)
        out.write(rows[:4 * n * take])
        left -= take
    out.write(b"\0" * (-out.tell() % 2880))
PY
}

# LABEL WORDS...: best of three by the wall clock, with what the stages took.
time_it() {
  local label=$1 best=999999 took begin
  shift
  for _ in 1 2 3; do
    begin=$(now)
    "$reber" "$@" --overwrite --json "$work/t.json" -q > "$work/t.log" 2>&1 || { echo "FAIL $label: $(tail -1 "$work/t.log")"; failed=1; return; }
    took=$(python3 -c "print(f'{$(now) - $begin:.2f}')")
    [ "$(python3 -c "print(int($took < $best))")" = 1 ] && best=$took && cp "$work/t.json" "$work/best.json"
  done
  echo "     $label: ${best} s, stages $(stages "$work/best.json")"
}

stages() {
  python3 - "$1" <<'PY'
import json, sys
each = json.load(open(sys.argv[1]))["stages"]
print(f"{sum(s['wall_ms'] for s in each) / 1e3:.2f} s:", " ".join(f"{s['name']} {s['wall_ms'] / 1e3:.2f}" for s in each))
PY
}

# What the host allows: all processors read the file at once.
dd_rate() {
  local file=$1 n begin bytes
  n=$(nproc) bytes=$(stat -c %s "$1")
  begin=$(now)
  for ((k = 0; k < n; ++k)); do
    dd if="$file" of=/dev/null bs=4M skip=$((k * (bytes >> 22) / n)) count=$(((bytes >> 22) / n)) status=none &
  done
  wait
  python3 -c "print(f'     dd by $n processes: {$bytes / ($(now) - $begin) / 1e9:.1f} GB/s')"
}

times() {
  nvidia-smi --query-gpu=name,memory.total,pcie.link.gen.current,pcie.link.width.current --format=csv,noheader
  "$reber" --devices
  local size words=() which
  for size in 65536 100000; do
    rm -f "$work"/large.fits
    [ "$(df --output=avail -B1G "$folder" | tail -1)" -gt $((4 * size * size / 1000000000 + 4)) ] || { echo "no room for $size"; continue; }
    make_large $size "$work/large.fits" || { failed=1; continue; }
    dd_rate "$work/large.fits"
    for which in 0 "$cards"; do
      time_it "$size find moments, cards $which" find "$work/large.fits" -o "$work/$which.csv" --fit none --devices "$which" --backend cuda
      time_it "$size find moments, 4 GB each, cards $which" find "$work/large.fits" -o "$work/s$which.csv" --fit none --devices "$which" --backend cuda --device-memory 4G --host-memory 16G
      time_it "$size find with fits, cards $which" find "$work/large.fits" -o "$work/f$which.csv" --devices "$which" --backend cuda
    done
    for which in "" s f; do cmp -s "$work/${which}0.csv" "$work/$which$cards.csv"; report $? "$size: the same catalogue ($(wc -l < "$work/${which}0.csv") lines)"; done
    if [ $size != 65536 ] || [ "$(df --output=avail -B1G "$folder" | tail -1)" -lt 20 ]; then continue; fi
    for which in 0 "$cards"; do
      time_it "$size convolve, cards $which" convolve "$work/large.fits" "$work/smooth$which.fits" --kernel gaussian:5 --devices "$which" --backend cuda
      rm -f "$work/smooth$which.fits"
    done
    dd if=/dev/zero of="$work/zeros" bs=4M count=4096 2>&1 | tail -1
    rm -f "$work/zeros"
  done
}

[ $# -gt 0 ] || set -- bytes faults shares times
make_images
for part in "$@"; do
  case $part in
    bytes) same_bytes ;;
    faults) faults ;;
    shares) shares ;;
    times) times ;;
    *) report 1 "$part: no such part" ;;
  esac
done
exit $failed
