#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a careless or unlucky user does to the program: outputs named as inputs, odd files, small limits, deleted
# folders, closed streams, runs side by side. The right result or one clear sentence, its exit code, nothing half-written.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu -q)
run simulate sky.fits --size 300 --sources 20 --seed 3 "${cpu[@]}"
expect_status 0
run find sky.fits -o list.csv "${cpu[@]}"
expect_status 0
cp sky.fits x.fits && cp list.csv l.csv

# A decoder that is stopped for longer than one that hangs is waited for (ends below).
run simulate wide.fits --size 1200 --sources 20 --seed 4 "${cpu[@]}"
"$REBER_TILE_COMPRESS" wide.fits wide.fits.fz hcompress || exit 1
python3 - "$reber" <<'PY' 2>stopped.err &
import os, signal, subprocess, sys, time
program = subprocess.Popen([sys.argv[1], *"find wide.fits.fz -o stopped.csv --fit none --backend cpu -q".split()],
                           start_new_session=True)
children = f"/proc/{program.pid}/task/{program.pid}/children"
while program.poll() is None and not open(children).read():
    time.sleep(0.001)
os.killpg(program.pid, signal.SIGSTOP)
time.sleep(40)  # 30 s and one for each MiB of pixels are allowed
os.killpg(program.pid, signal.SIGCONT)
sys.exit(program.wait())
PY
stopped=$!

# Decoders that something stops alone, the program not: they are sent on after 10 s, once (ends below).
stop_alone() {  # HOW NAME WORDS...
  python3 - "$reber" "$@" <<'PY' >"$2.out" 2>"$2.err"
import os, signal, subprocess, sys, time
reber, how, name, *words = sys.argv[1:]
begin = time.monotonic()
program = subprocess.Popen([reber, "find", "wide.fits.fz", "-o", name + ".csv", "--fit", "none", "--backend", "cpu", "-q", *words])
children = f"/proc/{program.pid}/task/{program.pid}/children"
stops = {}
while program.poll() is None:
    if time.monotonic() - begin > 90:
        program.kill()
        sys.exit("a decoder was waited for that nobody sends on")
    for child in open(children).read().split():
        try:
            state = open(f"/proc/{child}/stat").read().rsplit(")", 1)[1].split()[0]
            if state not in "TZX" and (how == "always" or child not in stops):
                os.kill(int(child), signal.SIGSTOP)
                stops[child] = stops.get(child, 0) + 1
        except (FileNotFoundError, ProcessLookupError):
            pass  # it ended
    time.sleep(0.0005)
took = time.monotonic() - begin
assert stops and (how == "once" or max(stops.values()) > 1), stops
assert 9 < took < 60, took
sys.exit(program.returncode)
PY
}
stop_alone once stopped_once &
stopped_once=$!
stop_alone always stopped_twice --threads 1 &
stopped_twice=$!

# A decoder that something kills, as the system does where memory lacks: the file is not called damaged.
for number in SIGKILL SIGXCPU; do
  python3 - "$reber" "$number" <<'PY' >out 2>err
import os, signal, subprocess, sys
program = subprocess.Popen([sys.argv[1], *"find wide.fits.fz -o killed.csv --fit none --threads 1 --backend cpu -q".split()])
children = f"/proc/{program.pid}/task/{program.pid}/children"
while program.poll() is None and not (found := open(children).read().split()):
    pass
os.kill(int(found[0]), signal.Signals[sys.argv[2]])
sys.exit(program.wait())
PY
  status=$?
  what="find, and its decoder gets $number"
  expect_status 4
  expect_in err wide.fits.fz "ended from outside"
  expect_not_in err damaged
  expect_no_file killed.csv
done

# Inputs are not written over, whatever they are called and whichever option names them.
refused() {  # KEPT ORIGINAL WORDS...
  local kept=$1 original=$2
  shift 2
  run "$@" --overwrite
  expect_status 2
  expect_same "$kept" "$original"
}
ln x.fits hard.fits
ln -s x.fits soft.fits
for name in x.fits ./x.fits hard.fits soft.fits; do
  refused x.fits sky.fits find x.fits -o "$name" "${cpu[@]}"
  expect_in err "$name" "is the input itself"
  refused x.fits sky.fits convolve x.fits "$name" --kernel gaussian:3 "${cpu[@]}"
done
refused x.fits sky.fits find x.fits -o o.csv --json x.fits "${cpu[@]}"
expect_in err x.fits --json input
refused x.fits sky.fits find x.fits -o o.csv --trace ./x.fits "${cpu[@]}"
refused l.csv list.csv measure x.fits --at l.csv -o l.csv "${cpu[@]}"
refused l.csv list.csv match l.csv list.csv -o l.csv -q
refused l.csv list.csv find x.fits -o o.csv --json o.csv "${cpu[@]}"
expect_in err o.csv --json --output
expect_no_file o.csv
run background x.fits --write-rms rms.fits "${cpu[@]}"
cp rms.fits rms0.fits
refused rms.fits rms0.fits find x.fits --use-rms rms.fits --write-rms rms.fits "${cpu[@]}"
mkdir d && cp sky.fits d/sky.fits && cp sky.fits d/sky_mean.fits && echo sky.fits >d/sky.csv && cp d/sky.csv names
refused d/sky_mean.fits sky.fits run d/sky.fits d/sky_mean.fits -o d "${cpu[@]}"
expect_in err "d/sky.fits" "d/sky_mean.fits is the input itself"
refused d/sky.csv names run @d/sky.csv -o d "${cpu[@]}"
cp sky.fits x_smoothed.fits
refused x_smoothed.fits sky.fits smooth x.fits x_smoothed.fits --to-beam 100,100,0 -o . "${cpu[@]}"
run run sky.fits -o again --products csv "${cpu[@]}"
run run --config again/sky.toml -o again --overwrite --threshold 9 "${cpu[@]}"
expect_status 0  # a product may be its own next configuration

# Lists and records that are no files, or no text.
run run @/dev/zero -o zero "${cpu[@]}"
expect_status 3
expect_in err "it is a device"
run run @sky.fits -o zero "${cpu[@]}"
expect_status 3
expect_in err "sky.fits" "is no text"
expect_no_file zero
status=0
"$reber" run @<(echo sky.fits) -o piped --products csv "${cpu[@]}" >out 2>err || status=$?
what="a list from a pipe"
expect_status 0
expect_same piped/sky.csv list.csv
mkfifo pipe
what="a list from a pipe that nobody writes, and SIGTERM"
status=0
"$reber" run @pipe -o piped "${cpu[@]}" >out 2>err &
waiting=$!
for _ in {1..600}; do  # until it catches SIGTERM, the 15th bit: a busy machine takes its time to start
  grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$waiting/status" 2>/dev/null && break
  sleep 0.1
done
sleep 0.3
kill -TERM "$waiting"
wait "$waiting" || status=$?
expect_status 143
expect_in err stopped
run find pipe -o o.csv "${cpu[@]}"
expect_status 3
expect_in err "a pipe"
run find sky.fits --config pipe -o o.csv "${cpu[@]}"
expect_status 2
expect_in err "a pipe" "a regular file is wanted"
mkdir odd && mkfifo odd/batch.jsonl
run run sky.fits -o odd "${cpu[@]}"
expect_status 3
expect_in err "odd/batch.jsonl" "no regular file"
run run sky.fits -o odd --resume "${cpu[@]}"
expect_status 3
expect_in err "odd/batch.jsonl" "a regular file is wanted"

# Folders: a loop of links, one that vanishes, one that was deleted under the program, a name that is too long.
ln -s a b && ln -s b a
run run sky.fits -o a "${cpu[@]}"
expect_status 3
expect_in err "cannot make the folder a"
run find a -o o.csv "${cpu[@]}"
expect_status 3
run run sky.fits -o "$scratch/$(printf '%0300d' 0)" "${cpu[@]}"
expect_status 3
expect_in err "cannot make the folder"
mkdir gone && cd gone && rmdir ../gone
"$reber" find "$scratch/sky.fits" -o o.csv "${cpu[@]}" >../out 2>../err
status=$?
cd "$scratch" || exit 1
what="find in a folder that was deleted"
expect_status 3
expect_in err "o.csv" "No such file"

# Limits. Where descriptors lack, data are not called damaged.
limited() {  # LIMIT WORDS...
  local limit=$1
  shift
  status=0
  (eval "ulimit $limit" && exec "$reber" "$@") >out 2>err </dev/null || status=$?
  what="ulimit $limit; reber $*"
}
limited "-f 4" find sky.fits -o large.csv "${cpu[@]}"
expect_status 3
expect_in err large.csv "File too large"
limited "-f 4" find sky.fits -o large.sqlite "${cpu[@]}"
expect_status 3
limited "-f 40" convolve sky.fits large.fits --kernel gaussian:3 "${cpu[@]}"
expect_status 3
expect_no_file large.*
"$REBER_TILE_COMPRESS" sky.fits sky.fits.fz hcompress || exit 1
run find sky.fits.fz -o packed.csv "${cpu[@]}"
expect_status 0
if plain_build; then
  limited "-n 5" find sky.fits.fz -o few.csv "${cpu[@]}"
  expect_status 3
  expect_in err "few.csv" "Too many open files"
  expect_not_in err damaged
  expect_no_file few.csv
fi
limited "-n 12" find sky.fits.fz -o few.csv "${cpu[@]}"
expect_same few.csv packed.csv
if plain_build; then
  # What of a kernel lies beyond the image takes no memory.
  for kernel in mexican-hat:1600 tophat:8000 gaussian:3000,2000,30 gaussian:3000 box:16001; do
    limited "-v 700000" convolve sky.fits wide.fits --kernel $kernel --overwrite "${cpu[@]}"
    expect_status 0
  done
fi
limited "-n 12" run sky.fits x.fits -o workers --workers 2 "${cpu[@]}"
expect_status 4
expect_in err "ulimit -n"
limited "-s 64" find sky.fits -o stack.csv "${cpu[@]}"
expect_status 4
expect_in err "ulimit -s"
limited "-s 256" find sky.fits -o stack.csv "${cpu[@]}"
expect_same stack.csv list.csv

for _ in 1 2 3 4; do
  plain_build || break
  limited "-v 400000" run sky.fits x.fits -o addresses --products csv --threads 8 --lanes 2 --overwrite "${cpu[@]}"
  expect_status 0
  expect_same addresses/x.csv list.csv
done

# A file that is cut, replaced, changed or removed while it is read: the right result, or a sentence and no file.
run simulate moving0.fits --size 2500 --sources 50 --seed 5 "${cpu[@]}"
run find moving0.fits -o moving0.csv --fit none "${cpu[@]}"
for change in 'truncate -s 1000000 moving.fits' 'cp sky.fits moving.fits' 'head -c 2880 sky.fits >>moving.fits' \
  'cp sky.fits other.fits && mv other.fits moving.fits' 'touch moving.fits' 'rm moving.fits'; do
  for wait_s in 0.01 0.03 0.1 0.2; do
    rm -f moving.csv && cp moving0.fits moving.fits
    "$reber" find moving.fits -o moving.csv --fit none --threads 1 "${cpu[@]}" >out 2>err &
    sleep "$wait_s"
    eval "$change"
    status=0
    wait $! || status=$?
    what="find, and '$change' after $wait_s s"
    if [ "$status" -eq 0 ]; then
      cmp -s sky.fits moving.fits || expect_same moving.csv moving0.csv
    else
      expect_status 3
      expect_in err moving.fits
      expect_no_file moving.csv
    fi
  done
done

# Streams that are closed or full, signals that are ignored, locales and time zones.
status=0
"$reber" find sky.fits -o closed.csv --backend cpu <&- >&- 2>&- || status=$?
what="find with all streams closed"
expect_status 3
expect_same closed.csv list.csv
status=0
(trap '' PIPE CHLD; "$reber" find sky.fits.fz -o ignored.csv "${cpu[@]}") || status=$?
what="find with SIGPIPE and SIGCHLD ignored"
expect_status 0
expect_same ignored.csv packed.csv
"$reber" --list-columns 2>err | head -n 1 >out
what="a reader that leaves early"
expect_empty err
for setting in LC_ALL=tr_TR.UTF-8 LC_ALL=de_DE.UTF-8 TZ=Pacific/Kiritimati TZ=:/dev/zero TZ=junk+99; do
  env "$setting" "$reber" find sky.fits -o set.csv --overwrite "${cpu[@]}" >out 2>err
  what="find with $setting"
  expect_same set.csv list.csv
done
env -i "$reber" run sky.fits -o bare --products csv "${cpu[@]}" >out 2>err
what="run with an empty environment"
expect_same bare/sky.csv list.csv

# Names.
for name in $'no\xfftext' 'br[1](2)' 'ünïcode ☃' '!excl' '-dash' "$(printf '%0230d' 0)"; do
  cp sky.fits "./$name.fits"
  run run "./$name.fits" -o named --products csv "${cpu[@]}"
  expect_status 0
  expect_same "named/$name.csv" list.csv
done

cp sky.fits $'new\nline.fits'
run find $'new\nline.fits' -o $'new\nline.csv' "${cpu[@]}"
expect_same $'new\nline.csv' list.csv
run run $'new\nline.fits' -o named --products csv "${cpu[@]}"
expect_status 2
expect_in err "line break"

# Two runs into one folder: each file is of one of them, whole.
for _ in 1 2 3; do
  "$reber" run sky.fits -o both --overwrite "${cpu[@]}" &
  first=$!
  "$reber" run sky.fits -o both --overwrite "${cpu[@]}" &
  wait "$first" $!
done
what="two runs into one folder"
expect_same both/sky.csv list.csv
expect_json both/sky_report.json
checks=$((checks + 1))
lines=$(wc -l <both/batch.jsonl)  # one for both where they met
[ "$lines" -ge 3 ] && [ "$lines" -le 6 ] || report "expected three to six records, not $lines"

# A batch resumed with a longer list: its records name all images of the list, and no clock decides which is the last.
cp sky.fits one.fits && cp sky.fits two.fits && cp sky.fits three.fits
run run one.fits two.fits -o longer --products csv "${cpu[@]}"
run run one.fits two.fits three.fits -o longer --products csv --resume "${cpu[@]}"
expect_status 0
run merge longer -o merged.csv
expect_status 0
expect_in out "3 of 3 images done"
head -c 50000 sky.fits >clock.fits
run run clock.fits -o clock --products csv "${cpu[@]}"
expect_status 3
sed -i 's/"ended":"20/"ended":"21/' clock/batch.jsonl  # a clock that was ahead, and was set back
cp sky.fits clock.fits
run run clock.fits -o clock --products csv --resume "${cpu[@]}"
run merge clock -o merged.csv --overwrite
expect_status 0
run run clock.fits -o clock --products csv --resume --backend cpu
expect_in out "1 of them earlier"

# Without rights.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  chmod 711 "$scratch"
  mkdir -m 777 free && mkdir -m 555 closed
  user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
  for words in "find sky.fits -o closed/o.csv" "run sky.fits -o closed" "run sky.fits -o closed/new"; do
    status=0
    # shellcheck disable=SC2086
    user "$reber" $words "${cpu[@]}" >out 2>err || status=$?
    what="reber $words, read-only"
    expect_status 3
    expect_in err closed "Permission denied"
  done
  mkdir -m 700 secret && mkdir -m 777 secret/in
  status=0
  user "$reber" find sky.fits -o secret/in/o.csv "${cpu[@]}" >out 2>err || status=$?
  what="find into a folder that cannot be reached"
  expect_status 3
  expect_in err secret/in/o.csv "Permission denied"
  status=0
  user bash -c 'umask 777; "$@"' - "$reber" run sky.fits -o free --products csv "${cpu[@]}" >out 2>err || status=$?
  what="run with umask 777"
  expect_status 0
  expect_same free/sky.csv list.csv
  if plain_build; then
    status=0
    user bash -c 'ulimit -u 1; exec "$@"' - "$reber" find sky.fits -o free/o.csv --threads 8 "${cpu[@]}" >out 2>err ||
      status=$?
    what="find with one process allowed"
    expect_status 0
    expect_same free/o.csv list.csv
  fi
fi
# Memory that is not there before main(), where nothing can be unwound: the exit code and the words are the same.
# CUDA's runtime makes its tables there as well, and follows null pointers.
if plain_build && ! "$reber" --devices | grep -q '^ *cuda'; then
  for early in "" 1; do
    env ${early:+REBER_FAULT_EARLY=1} REBER_FAULT_COUNT="count$early" LD_PRELOAD="$REBER_FAULTS" "$reber" --version >out 2>err
  done
  before=$(($(cut -d' ' -f1 count1) - $(cut -d' ' -f1 count)))
  for n in $((before - 5)) $((before / 2)) $((before - 5))+ $((before + 5000)); do
    status=0
    REBER_FAULT_EARLY=1 REBER_FAULT_MEMORY=$n LD_PRELOAD=$REBER_FAULTS "$reber" --version >out 2>err || status=$?
    what="reber --version without memory: allocation $n, $before come before main"
    expect_status 4
    expect_in err "reber: not enough memory"
    expect_empty out
  done
fi
status=0
wait "$stopped" || status=$?
what="find that was stopped for 40 s"
cp stopped.err err
expect_status 0
expect_empty err
status=0
wait "$stopped_once" || status=$?
what="find whose decoders were stopped alone"
cp stopped_once.err err
expect_status 0
expect_empty err
expect_same stopped_once.csv stopped.csv
status=0
wait "$stopped_twice" || status=$?
what="find whose decoder was stopped again and again"
cp stopped_twice.err err
expect_status 4
expect_in err wide.fits.fz "stopped from outside"
expect_not_in err damaged
expect_no_file stopped_twice.csv
checks=$((checks + 1))
what="temporaries"
[ -z "$(find . -name '.reber-*.tmp')" ] || report "expected no temporaries"
finish
