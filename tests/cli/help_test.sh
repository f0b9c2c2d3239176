#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Help pages, versions, and what wrong command lines say.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run --help
expect_status 0
expect_empty err
expect_in out info run convolve background find verify bench simulate
run --help-all
expect_status 0
expect_in out "Exit codes"

for command in info run convolve background find measure complete verify bench simulate; do
  run "$command" --help
  expect_status 0
  expect_empty err
  expect_in out "Usage: reber $command" "Examples:" "  reber $command" --backend --json --quiet "Compute:"
  run "$command" --help-all
  expect_status 0
  expect_empty err
  expect_in out "Usage: reber $command" "Examples:" "  reber $command" --backend --json --quiet --config "Compute:"
done

# A first page fits a screen of 40 lines and 80 columns. The other has all that completion knows, in 80 columns.
"$reber" describe --as bash >completion
for command in $(sed -n 's/.*words="\(info .*\)" ;;/\1/p' completion); do
  [ "$command" = view ] && continue
  run "$command" --help
  checks=$((checks + 2))
  [ "$(wc -l <out)" -le 40 ] || report "more than 40 lines"
  [ "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' out)" -le 80 ] || report "a line is too long"
  run "$command" --help-all
  [ "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' out)" -le 80 ] || report "a line is too long"
  for option in $(sed -n "s/^    $command) options=\"\(.*\)\" ;;/\1/p" completion); do expect_in out "$option"; done
done
for option in --lanes --workers --devices --bright-step --min-valid --prominence --group-by-island --keep-noise-peaks \
  --adaptive-threshold --bright-box; do
  run run --help
  expect_not_in out "$option"
  run run --help-all
  expect_in out "$option"
done

run --version
expect_status 0
expect_in out "reber " CFITSIO WCSLIB CUDA
# Clusters have no libraries of windows, and each library that is loaded costs every start.
checks=$((checks + 1))
if ldd "$reber" | grep -E 'libopencv|libtbb|liblapack|libgfortran|libGL|libX11' >err; then report "loads what it does not need"; fi
run --devices
expect_status 0
expect_in out "reber " cpu reference threads "where nothing is said" "one image: " "a batch: "
if [ -n "${REBER_FAKE_NVML:-}" ]; then
  mkdir driver
  ln -s "$REBER_FAKE_NVML" driver/libnvidia-ml.so.1
  LD_LIBRARY_PATH=$PWD/driver run --devices
  expect_status 0
  expect_in out "card 0 of nvidia-smi: Test card; 0 MiB, 0 free; PCIe 5 x8 (the card has x16); 4 NVLinks up"
  expect_in out "card 1 of nvidia-smi: Silent card; tells nothing"
fi
run --list-algorithms
expect_status 0
expect_in out direct/tiles separable/tiles fft/tiles direct/definition

run
expect_status 2
expect_in out "Usage:"

run find
expect_status 2
expect_in err "input is missing: FITS image" "reber find --help"
run frobnicate
expect_status 2
expect_in err frobnicate
expect_not_in err "did you mean"
run fnid image.fits
expect_status 2
expect_in err "'fnid' is not known; did you mean 'find'?"
run find image.fits --treshold 5
expect_status 2
expect_in err "'--treshold' is not known; did you mean '--threshold'?" "reber find --help"
run run -o results
expect_status 2
expect_in err "files is missing: FITS images"
printf '[run]\nthreshold = 6\n' >run.toml
run find image.fits --config run.toml
expect_status 2
expect_in err run.toml "[run]" "[find]"
run find image.fits --config=run.toml
expect_status 2
expect_in err run.toml "[run]" "[find]"
run find image.fits --config .
expect_status 2
expect_in err --config "it is a folder"
printf '[run]\nthreshold = 6\n[find]\nthreshold = 3\nflood = 5\n' >both.toml
run find image.fits --config both.toml
expect_status 2
expect_in err "--flood 5" "--threshold 3"
run find image.fits --threshold much
expect_status 2
expect_in err "threshold" "much"
run find image.fits --connectivity 6
expect_status 2
expect_in err connectivity
run find image.fits --quiet --verbose
expect_status 2
expect_in err --quiet --verbose
run find image.fits --backend gpu
expect_status 2
expect_in err "gpu" "cpu"
run find image.fits --threshold 3 --flood 5
expect_status 2
expect_in err "--flood 5" "--threshold 3"
run find image.fits --device-memory 8X
expect_status 2
expect_in err "8X" "8G"
run find image.fits --beam 10,20,0
expect_status 2
expect_in err "10,20,0" "MAJ >= MIN"
run find image.fits -o catalogue.xyz
expect_status 2
expect_in err catalogue.xyz .csv .vot
run background image.fits --filter 4
expect_status 2
expect_in err "--filter 4" odd
run convolve image.fits out.fits --kernel moffat:3
expect_status 2
expect_in err "moffat:3" gaussian tophat
run convolve image.fits out.fits
expect_status 2
expect_in err --kernel
run convolve image.fits out.fits --kernel gaussian:3 --algorithm fast
expect_status 2
expect_in err "'fast'" direct separable fft --list-algorithms
run convolve image.fits out.fits --kernel mexican-hat:2 --nan interpolate
expect_status 2
expect_in err "mexican hat"
run find image.fits --config nowhere.toml
expect_status 2
expect_in err nowhere.toml

finish
