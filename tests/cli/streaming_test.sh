#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Images that stay in their file: the same bytes as with the image in memory, a peak within what was allowed, refusals
# before the work.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu --threads 2)

run simulate sky.fits --size 3000 --sources 500 --seed 3 "${cpu[@]}"
expect_status 0
for limit in 8G 200M; do
  mkdir "$limit"
  here=(--host-memory "$limit" "${cpu[@]}")
  run run sky.fits -o "$limit" --products csv,mean-full,rms-full,snr,labels,residual,picture --no-compress "${here[@]}"
  expect_status 0
  if [ "$limit" = 200M ]; then expect_in out "left in the file"; else expect_not_in out "left in the file"; fi
  run find sky.fits -o "$limit/scales.csv" --scales 0,3 --fit none "${here[@]}"
  expect_status 0
  run background sky.fits --write-mean "$limit/m.fits" --write-rms "$limit/r.fits" --write-snr "$limit/s.fits" "${here[@]}"
  expect_status 0
  run find sky.fits -o "$limit/maps.csv" --use-rms 8G/s.fits --use-mean 8G/m.fits --fit none "${here[@]}"
  expect_status 0
  for algorithm in direct separable fft; do
    run convolve sky.fits "$limit/$algorithm.fits" --kernel gaussian:3 --algorithm "$algorithm" "${here[@]}"
    expect_status 0
  done
done
for file in 8G/*.csv 8G/*.png; do expect_same "$file" "200M/$(basename "$file")"; done
for file in 8G/*.fits; do expect_same_pixels "$file" "200M/$(basename "$file")"; done

# Sources wider than the beam are fitted with what lies around their islands: parts of rows, no third walk over the file. (One sky in
# seven is suspected of waves in its background, and its cells are measured once more: not this one.)
run simulate wide.fits --size 6000 4000 --sources 400 --extended 12 --seed 6 "${cpu[@]}"
expect_status 0
for limit in 8G 190M 230M; do
  what="bytes read by find wide.fits --host-memory $limit"
  checks=$((checks + 1))
  python3 - "$reber" "$limit" <<'PY' || report "the file is read more than twice"
import os, subprocess, sys
def bytes_read():  # by this process and by those that it waited for
    return int(open("/proc/self/io").readline().split()[1])
before = bytes_read()
subprocess.run([sys.argv[1], "find", "wide.fits", "-o", f"wide{sys.argv[2]}.csv", "--host-memory", sys.argv[2], "--backend", "cpu",
                "--threads", "2"], check=True, stdout=open("out", "w"), stderr=open("err", "w"))
part = (bytes_read() - before) / os.path.getsize("wide.fits")
print(f"{part:.2f} times its bytes")
sys.exit(not part <= 2.5)
PY
  expect_in out "$([ "$limit" = 8G ] && echo sources || echo "left in the file")"
done
expect_same wide8G.csv wide190M.csv
expect_same wide8G.csv wide230M.csv

# What does not fit at all is refused before the work, with the bytes that it needs.
run find sky.fits --host-memory 20M "${cpu[@]}"
expect_status 2
expect_in err "3000 x 3000" MiB --host-memory
run find sky.fits --host-memory 8X "${cpu[@]}"
expect_status 2
expect_in err --host-memory "like 8G"
run find sky.fits --host-memory 200M --dry-run "${cpu[@]}"
expect_status 0
expect_in out "bands of"

# The peak of a larger one: 14 000 x 14 000 pixels of noise with bright pixels, 392 MB in the file, 784 MB as floats.
cat >make.py <<'PY'
import os
N = 14000
cards = ["SIMPLE  =                    T", "BITPIX  =                   16", "NAXIS   =                    2",
         "NAXIS1  =                %5d" % N, "NAXIS2  =                %5d" % N, "BUNIT   = 'Jy/beam '", "END"]
noise = os.urandom(2 * N * 50)
with open("large.fits", "wb") as file:
    file.write("".join(card.ljust(80) for card in cards).encode().ljust(2880))
    for band in range(N // 50):
        file.write(noise)
    file.truncate(2880 + (N * N * 2 + 2879) // 2880 * 2880)
PY
python3 make.py
what="peak of find large.fits --host-memory 300M"
checks=$((checks + 1))
python3 - "$reber" <<'PY' || report "the peak is above what was allowed"
import os, resource, subprocess, sys
subprocess.run([sys.argv[1], "find", "large.fits", "-o", "large.csv", "--host-memory", "300M", "--backend", "cpu", "--threads", "2"],
               check=True, stdout=open("out", "w"), stderr=open("err", "w"))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("peak", peak // 1024, "MiB")
sys.exit("REBER_FAULTS" in os.environ and peak > 300 * 1024)  # as it is without a sanitizer
PY
expect_in out "left in the file"

# A stop in the middle leaves nothing; so does the signal that cannot be caught.
for signal in INT KILL; do
  what="find large.fits stopped by $signal"
  "$reber" find large.fits -o stopped.csv --write-rms stopped.fits --host-memory 300M "${cpu[@]}" >out 2>err &
  sleep 1
  kill -s "$signal" $! 2>/dev/null
  status=0
  wait $! || status=$?
  checks=$((checks + 1))
  [ "$status" -ne 0 ] || report "it was not stopped"
  checks=$((checks + 1))
  if [ -e stopped.csv ] || [ -e stopped.fits ]; then report "a stopped run left an output"; fi
done
finish
