#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Signals: exit codes, and nothing half-written.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 3000 --sources 500 --backend cpu
expect_status 0

# SIGNAL CODE DELAY: starts a long run, sends the signal after the delay.
stop_with() {
  local signal=$1 code=$2 delay=$3
  rm -rf results
  what="reber run, $signal after $delay s"
  "$reber" run sky.fits -o results --backend cpu --threads 1 --kernel gaussian:60,30,20 --algorithm direct >out 2>err &
  local process=$!
  sleep "$delay"
  kill -s "$signal" "$process"
  status=0
  wait "$process" || status=$?
  expect_status "$code"
  expect_in err stopped
  checks=$((checks + 1))
  [ -z "$(find results -type f 2>/dev/null)" ] || report "expected no file in results, found $(ls results)"
}
stop_with TERM 143 0.3
stop_with TERM 143 0.6
# A background process of a non-interactive shell ignores SIGINT from the start; env gives it back its default.
rm -rf results
what="reber run, SIGINT"
python3 - "$reber" >out 2>err <<'PY'
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen([sys.argv[1], "run", "sky.fits", "-o", "results", "--backend", "cpu", "--threads", "1",
                      "--kernel", "gaussian:60,30,20", "--algorithm", "direct"])
time.sleep(0.5)
p.send_signal(signal.SIGINT)
sys.exit(p.wait())
PY
status=$?
expect_status 130
expect_in err stopped
expect_no_file results/sky.csv

# A file size limit is a failed write, not a death: exit code 3 and nothing left.
what="reber convolve under ulimit -f"
status=0
(
  ulimit -f 1000
  exec "$reber" convolve sky.fits limited.fits --kernel gaussian:3 --backend cpu
) >out 2>err || status=$?
expect_status 3
expect_in err limited.fits
expect_no_file limited.fits limited.fits*

finish
