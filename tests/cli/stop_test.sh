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
  [ -z "$(find results -type f ! -path "*/.reber-leases/*" 2>/dev/null)" ] || report "expected no file in results, found $(ls results)"
}
stop_with TERM 143 0.3
stop_with TERM 143 0.6
# Two signals before the first is answered: it ends at once, and what it writes is gone as well.
what="reber run, two signals at once"
rm -rf results
"$reber" run sky.fits -o results --backend cpu --threads 1 --kernel gaussian:60,30,20 --algorithm direct >out 2>err &
process=$!
sleep 0.3
for signal in STOP TERM HUP CONT; do kill -s "$signal" "$process"; done
status=0
wait "$process" || status=$?
checks=$((checks + 1))
[ "$status" -eq 143 ] || [ "$status" -eq 129 ] || report "expected exit code 143 or 129, got $status"
expect_empty err
checks=$((checks + 1))
[ -z "$(find results -type f ! -empty ! -path "*/.reber-leases/*" 2>/dev/null)" ] || report "expected no file in results, found $(ls -A results)"
what="reber convolve under nohup, and its session ends"
nohup "$reber" convolve sky.fits kept.fits --backend cpu --threads 1 --kernel gaussian:30 --algorithm direct >out 2>err &
sleep 0.3
kill -s HUP $!
status=0
wait $! || status=$?
expect_status 0
expect_file kept.fits

# A background process of a non-interactive shell ignores SIGINT from the start, one of nohup SIGHUP: Python gives both
# their defaults back.
stop_as_usual() {  # NAME CODE [WORDS]
  rm -rf results
  what="reber run, $1"
  python3 - "$reber" "$1" >out 2>err <<'PY'
import signal, subprocess, sys, time
number = signal.Signals[sys.argv[2]]
signal.signal(number, lambda *_: None)
p = subprocess.Popen([sys.argv[1], "run", "sky.fits", "-o", "results", "--backend", "cpu", "--threads", "1",
                      "--kernel", "gaussian:60,30,20", "--algorithm", "direct"])
time.sleep(0.5)
p.send_signal(number)
code = p.wait()
sys.exit(code if code >= 0 else 128 - code)
PY
  status=$?
  expect_status "$2"
  [ -z "$3" ] || expect_in err "$3"
  checks=$((checks + 1))
  [ -z "$(find results -type f ! -empty ! -path "*/.reber-leases/*" 2>/dev/null)" ] || report "expected no file in results, found $(ls -A results)"
}
stop_as_usual SIGINT 130 stopped
stop_as_usual SIGHUP 129 stopped  # the end of a session
# What a guard sends to a program that it takes for hung, and what a crash is.
stop_as_usual SIGABRT 134 ""
if plain_build; then stop_as_usual SIGSEGV 139 ""; fi

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
