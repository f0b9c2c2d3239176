#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The proof on a machine with a card: every test on it, verification of every image, streamed against resident, and
# every kernel under the memory and race checkers (sanitize.sh).
#   tests/gpu/check.sh FOLDER_OF_PROGRAMS DATA [tests|small|verify|stream|sanitize ...]
# small: the conformance suite as if the card had 99 KB of shared memory a block, as most smaller ones do.
# FOLDER_OF_PROGRAMS holds reber and the test programs; DATA is the folder of real images.
set -u
bin=$1; data=$2; shift 2
export REBER_TEST_DATA=$data REBER_REQUIRE_CUDA=1
REBER_SOURCE_DIR=$(realpath "$(dirname "$0")/../..") && export REBER_SOURCE_DIR
[ ! -e "$bin/libreber_fake_nvml.so" ] || export REBER_FAKE_NVML=$bin/libreber_fake_nvml.so
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0
report() { if [ "$1" = 0 ]; then echo "ok   $2"; else echo "FAIL $2"; failed=1; fi; }

# A suite in several processes, since the reference works on one thread.
run_tests() {  # SUITE FILTER
  local suite=$1 shard shards=6 code=0
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard "$bin/reber_${suite}_tests" "--gtest_filter=$2" > "$work/$suite.$shard.log" 2>&1 &
  done
  while [ "$(jobs -p | wc -l)" -gt 0 ]; do wait -n || code=$?; done
  grep -qE '^\[  SKIPPED \] [0-9]' "$work/$suite".*.log && code=1  # nothing is skipped where there is a card
  report $code "$suite: $(cat "$work/$suite".*.log | awk '/^\[  PASSED/ {passed += $4} /^\[  SKIPPED/ {skipped += $4}
    END {print passed + 0, "passed,", skipped + 0, "skipped"}')"
  grep -hE '^\[  FAILED|SKIPPED \] [A-Za-z]' "$work/$suite".*.log | sort -u | head -20
  grep -hE -A8 ': Failure$|error while loading' "$work/$suite".*.log | head -40
}

verify_images() {
  local image
  for image in "$data"/images/*/*.fits "$data"/images/*/*.fits.gz; do
    case $image in *_comp.fits|*_srl.fits|*_gaul.fits|*_psf.fits) continue ;; esac
    local plane=()
    case $image in *_cube.fits|*_3d.fits) plane=(--plane 1) ;; esac
    "$bin/reber" verify "$image" --backend cuda "${plane[@]}" > "$work/verify.log" 2>&1
    report $? "verify $(basename "$image"): $(tail -1 "$work/verify.log")"
  done
}

streamed() {
  "$bin/reber" simulate "$work/sky.fits" --size 6000 --quiet || failed=1
  for kernel in "" "--kernel gaussian:7" "--kernel gaussian:9,5,30"; do
    # shellcheck disable=SC2086
    for memory in 64G 96M; do
      "$bin/reber" run "$work/sky.fits" -o "$work/$memory" $kernel --algorithm "$([ "$kernel" = "--kernel gaussian:9,5,30" ] && echo direct || echo auto)" \
        --backend cuda --device-memory $memory --overwrite --quiet || failed=1
    done
    cmp <(grep -v HISTORY "$work/64G/sky.csv") <(grep -v HISTORY "$work/96M/sky.csv")
    report $? "streamed in 96 MB equals resident ${kernel:-without convolution}: $(($(wc -l < "$work/96M/sky.csv") - 1)) sources"
  done
  local fit
  for fit in none gaussian; do
    for backend in cpu cuda; do
      "$bin/reber" find "$work/sky.fits" -o "$work/$backend.csv" --fit $fit --backend $backend --overwrite --quiet || failed=1
    done
    cmp "$work/cpu.csv" "$work/cuda.csv"; report $? "the catalogue of cpu and cuda is the same file, --fit $fit"
  done
}

[ $# -gt 0 ] || set -- tests small verify stream sanitize
for part in "$@"; do
  case $part in
    tests) for suite in unit conformance golden; do run_tests "$suite" '*'; done ;;
    small)  # without those that ask by name for a size that such a card refuses, with the reason
      REBER_CUDA_SHARED=101376 run_tests conformance \
        "-ConvolveEach.few_of_each_kind:EveryKernel.of_direct_convolution:EveryKernel.of_fft_tiles:lines/FftLengths.*" ;;
    verify) verify_images ;;
    stream) streamed ;;
    sanitize)
      bash "$(dirname "$0")/sanitize.sh" "$bin"; report $? "memory, races, reads of nothing, barriers: the table above" ;;
    *) report 1 "$part: no such part" ;;
  esac
done
exit $failed
