#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Batches: lists, records, a joined catalogue, lanes, resuming after kill -9, shares of ranks, memory that stays flat.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)
fast=("${cpu[@]}" --fit none --products csv)

for i in 1 2 3 4 5 6; do
  run simulate "s$i.fits" --size 200 --sources 12 --seed "$i" "${cpu[@]}" -q
  expect_status 0
done
head -c 20000 s1.fits >broken.fits
printf '# fields of the first night\n\n  s3.fits \r\n#s4.fits\nbroken.fits\n' >night.txt

# Lists, patterns, @FILE and - ; a broken file is named, recorded and counted.
printf 's5.fits\n' >input
status=0
"$reber" run s6.fits 's[12].fits' @night.txt - -o d "${fast[@]}" <input >out 2>err || status=$?
what="reber run s6.fits s[12].fits @night.txt -"
expect_status 3
expect_in out "5 of 6 files done" d/catalogue.csv
expect_in err broken.fits
expect_file d/s1.csv d/s2.csv d/s3.csv d/s5.csv d/s6.csv d/batch.jsonl d/catalogue.csv
expect_no_file d/s4.csv d/broken.csv
what="records and joined catalogue"
checks=$((checks + 1))
python3 - <<'PY' 2>>err || report "the records or the joined catalogue are wrong"
import csv, json, os
lines = [json.loads(line) for line in open("d/batch.jsonl")]
order = ["s6", "s1", "s2", "s3", "broken", "s5"]
assert sorted(line["input"] for line in lines) == sorted(name + ".fits" for name in order)
rows = []
for line in sorted(lines, key=lambda line: line["index"]):
    assert order[line["index"]] + ".fits" == line["input"] and line["count"] == 6
    found = os.stat(line["input"])
    assert line["bytes"] == found.st_size and line["mtime_ns"] == found.st_mtime_ns
    assert line["path"] == os.path.abspath(line["input"]) and line["backend"] == "cpu" and line["version"]
    if line["input"] == "broken.fits":
        assert line["exit_code"] == 3 and "broken.fits" in line["message"] and not line["outputs"]
        continue
    assert line["exit_code"] == 0 and line["seconds"] > 0 and line["stages"]["read"] > 0
    for name, size in line["outputs"].items():
        assert os.path.getsize("d/" + name) == size
    table = list(csv.reader(open("d/" + line["input"].replace(".fits", ".csv"))))
    assert line["sources"] == len(table) - 1 > 0
    rows += [[line["input"]] + row for row in table[1:]]
joined = list(csv.reader(open("d/catalogue.csv")))
assert joined[0] == ["File"] + table[0] and joined[1:] == rows
PY
run run 'x*.fits' -o d2 "${fast[@]}"
expect_status 2
expect_in err "'x*.fits'"
run run @nowhere.txt -o d2 "${fast[@]}"
expect_status 3
expect_in err nowhere.txt
printf '# nothing\n' >empty.txt
run run @empty.txt -o d2 "${fast[@]}"
expect_status 2
expect_no_file d2
run run s1.fits s2.fits -o d2 "${fast[@]}" --join none
expect_status 0
expect_no_file d2/catalogue.csv
run run s1.fits s2.fits -o d3 "${fast[@]}" --join two.csv
expect_status 0
expect_file two.csv
run run s3.fits s4.fits -o d3 "${fast[@]}" --join two.csv
expect_status 2
expect_in err two.csv
cp s1.fits catalogue.fits
run run s1.fits catalogue.fits -o d4 "${fast[@]}"
expect_status 2
expect_in err catalogue.fits --join

# Lanes: the same bytes, whatever their number.
for lanes in 1 2 5; do
  run run 's?.fits' -o "lanes$lanes" "${cpu[@]}" --lanes "$lanes" --threads 3 -q
  expect_status 0
done
for lanes in 2 5; do
  for file in lanes1/*; do
    case $file in *report.json | *batch.jsonl) continue ;; esac
    expect_same "$file" "lanes$lanes/${file#*/}"
  done
done

run run 's?.fits' broken.fits -o workers "${cpu[@]}" --workers 2 --lanes 2 --threads 3 -q
expect_status 3
expect_in err broken.fits
for file in lanes1/*; do
  case $file in *report.json | *batch.jsonl | *catalogue.csv) continue ;; esac
  expect_same "$file" "workers/${file#*/}"
done
expect_same lanes1/catalogue.csv workers/catalogue.csv
run run 's?.fits' -o workers2 --workers 2 --device 77 --backend cuda
expect_status 4
expect_in err "a worker process for card 77 did not start"
expect_no_file workers2/s1.csv
run run 's?.fits' -o workers2 "${fast[@]}" --workers 2 --devices 0
expect_status 2
expect_in err --devices

# Resuming: nothing is done twice, what is missing, stale or changed is.
lines_of() { grep -c "\"input\":\"$1\"" d/batch.jsonl; }
run run s6.fits 's[12].fits' @night.txt s5.fits -o d "${fast[@]}" --resume --threads 2
expect_status 3
expect_in out "5 of 6 files done, 5 of them earlier"
what="lines after resuming"
checks=$((checks + 1))
[ "$(lines_of s1.fits) $(lines_of broken.fits)" = "1 2" ] || report "an image was done again, or the broken one was not"
rm d/s1.csv
printf 'x' >>d/s2.csv
touch s3.fits
run run s6.fits 's[12].fits' @night.txt s5.fits -o d "${fast[@]}" --resume
expect_status 3
expect_in out "2 of them earlier"
what="lines after changes"
checks=$((checks + 1))
[ "$(lines_of s1.fits) $(lines_of s2.fits) $(lines_of s3.fits) $(lines_of s5.fits)" = "2 2 2 1" ] ||
  report "expected s1, s2 and s3 to be done again, and no other"
run run s6.fits 's[12].fits' s3.fits s5.fits -o d "${fast[@]}" --resume --threshold 7
expect_status 0
expect_not_in out earlier
printf '{"input":"s6.fits","path":"/half' >>d/batch.jsonl
run run s6.fits 's[12].fits' s3.fits s5.fits -o d "${fast[@]}" --resume --threshold 7
expect_status 0
expect_in out "5 of them earlier"
run run s1.fits s2.fits s6.fits -o d "${fast[@]}" --resume --threshold 7 --dry-run
expect_status 0
expect_in out "3 of 3 files done"

# kill -9 at random instants, then --resume; signals that ask to stop; memory.
what="killing, stopping, memory"
checks=$((checks + 1))
python3 - "$reber" <<'PY' >out 2>err || report "a batch did not survive"
import filecmp, glob, json, os, random, shutil, signal, subprocess, sys, time

reber, bad, instants = sys.argv[1], [], random.Random(4)
words = [reber, "run", "s?.fits", "-o", "k", "--backend", "cpu", "-q", "--products", "csv,snr", "--lanes", "2", "--resume"]


def start():
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)


def records():
    lines = open("k/batch.jsonl", "rb").read().split(b"\n") if os.path.exists("k/batch.jsonl") else []
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


begin = time.monotonic()
assert start().wait() == 0
whole_s = time.monotonic() - begin
shutil.move("k", "undisturbed")
right = sorted(name for name in os.listdir("undisturbed") if not name.endswith((".json", ".jsonl")))
kills = 0
words_of_lanes = words
for number in [signal.SIGKILL] * 6 + [signal.SIGTERM, signal.SIGINT] * 2:
    shutil.rmtree("k", ignore_errors=True)
    words = words_of_lanes + (["--workers", "2"] if instants.random() < 0.4 else [])
    for again in range(3):
        process = start()
        time.sleep(instants.uniform(0.02, 0.9 * whole_s))
        process.send_signal(number)
        sent = time.monotonic()
        code, waited = process.wait(), time.monotonic() - sent
        kills += code != 0
        if code not in (0, -number, 128 + number):
            bad.append(f"{number.name}: exit code {code}: {process.stderr.read()}")
        if waited > 5:
            bad.append(f"{number.name}: {waited:.2f} s until it stopped")
        for record in records():
            for name, size in record["outputs"].items():
                if os.path.getsize("k/" + name) != size:
                    bad.append(f"{number.name}: the record of {name} is not true")
        if number != signal.SIGKILL and glob.glob("k/.reber*"):
            bad.append(f"{number.name}: left {glob.glob('k/.reber*')}")
    if start().wait() != 0:
        bad.append(f"{number.name}: --resume failed")
    left = sorted(name for name in os.listdir("k") if not name.endswith((".json", ".jsonl")))
    if left != right or any(not filecmp.cmp("k/" + name, "undisturbed/" + name, False) for name in right):
        bad.append(f"{number.name}: other results than undisturbed: {left}")
    done = [record["input"] for record in records()]
    if sorted(done) != [f"s{i}.fits" for i in range(1, 7)]:
        bad.append(f"{number.name}: done {done}")
if kills < 10:
    bad.append(f"{kills} of 30 signals came while the batch ran")

# A worker that is killed, or stopped, is replaced, and its image done once more; of itself it says nothing.
words = words_of_lanes + ["--workers", "1"]
for number in signal.SIGKILL, signal.SIGTERM, signal.SIGINT:
    shutil.rmtree("k")
    process = start()
    while not records():
        time.sleep(0.001)
    children = open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()
    for child in children:
        os.kill(int(child), number)
    said = process.communicate()[1]
    if process.returncode != 0 or len(children) != 1 or b"stopped" in said:
        bad.append(f"{number.name} to a worker of {children}: exit code {process.returncode}: {said}")
    if any(not filecmp.cmp("k/" + name, "undisturbed/" + name, False) for name in right):
        bad.append(f"other results after {number.name} to a worker")

os.mkdir("many")
for i in range(300):
    os.symlink("../s1.fits", f"many/m{i:03}.fits")
for lanes in "1", "2":
    process = subprocess.Popen([reber, "run", "many/m*.fits", "-o", "m" + lanes, "--backend", "cpu", "-q", "--fit", "none",
                                "--products", "csv", "--lanes", lanes])
    memory = {}
    while process.poll() is None and len(memory) < 2:
        time.sleep(0.002)
        try:
            ended = open(f"m{lanes}/batch.jsonl", "rb").read().count(b"\n")
            for at in 20, 270:
                if at <= ended and at not in memory:
                    status = open(f"/proc/{process.pid}/status").read()
                    memory[at] = int(status.split("VmRSS:")[1].split()[0])
        except (OSError, IndexError):
            pass
    assert process.wait() == 0
    print(lanes, "lanes: kB after 20 and 270 images:", memory)
    # The pages of a process come in steps of hundreds of kB.
    # A sanitizer keeps what was freed: a build with one has no library of faults.
    if "REBER_FAULTS" in os.environ and memory[270] > 1.04 * memory[20]:
        bad.append(f"{lanes} lanes: memory grows: {memory}")
print("\n".join(bad))
sys.exit(1 if bad else 0)
PY
cat out

# Ranks, by hand and from the environment; merge joins what they wrote.
run run 's?.fits' -o whole "${fast[@]}"
expect_status 0
for kind in "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE" "PMI_RANK PMI_SIZE" "SLURM_PROCID SLURM_NTASKS"; do
  read -r rank size <<<"$kind"
  rm -rf shares
  for i in 3 0 2 1; do
    env "$rank=$i" "$size=4" "$reber" run 's?.fits' -o shares "${fast[@]}" >out 2>err </dev/null &
  done
  wait
  run merge shares -o shares.csv --overwrite
  expect_status 0
  expect_in out "6 of 6 images done" "4 records"
  expect_same shares.csv whole/catalogue.csv
  expect_file shares/batch.0.jsonl shares/batch.3.jsonl
  expect_no_file shares/catalogue.csv shares/batch.jsonl
done
run run 's?.fits' broken.fits -o hand "${fast[@]}" --rank 0/2
expect_status 3
run merge hand
expect_status 3
expect_in err "3 of the list's images have no record" --resume
run run 's?.fits' broken.fits -o hand "${fast[@]}" --rank 1/2 --json one.json
expect_status 0
expect_json one.json 'len(d) == 3'
expect_empty err
run run 's?.fits' broken.fits -o hand "${fast[@]}" --resume --json all.json
expect_status 3
expect_in out "6 of 7 files done, 6 of them earlier"
expect_json all.json 'len(d) == 7 and d[6]["exit_code"] == 3 and d[0]["stages"]'
run merge hand -o hand.csv --json hand.json
expect_status 3
expect_in err broken.fits
expect_same hand.csv whole/catalogue.csv
expect_json hand.json 'len(d) == 7 and [r["index"] for r in d] == list(range(7))'
SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=7 run run 's?.fits' -o script "${fast[@]}"
expect_status 0
expect_in out "6 of 6 files done"
PMI_RANK=3 PMI_SIZE=4 run run s2.fits -o single "${fast[@]}"
expect_status 0
expect_file single/s2.csv
run run 's?.fits' -o bad "${fast[@]}" --rank 4/4
expect_status 2
expect_in err --rank 0/4
PMI_RANK=9 PMI_SIZE=4 run run 's?.fits' -o bad "${fast[@]}"
expect_status 2
expect_in err PMI_RANK
mpirun=$(command -v mpirun || true)
if [ -n "$mpirun" ]; then
  what="mpirun"
  checks=$((checks + 1))
  rm -rf shares
  "$mpirun" --allow-run-as-root --oversubscribe -n 4 "$reber" run 's?.fits' -o shares "${fast[@]}" >out 2>err </dev/null ||
    report "expected mpirun to succeed"
  run merge shares -o shares.csv --overwrite
  expect_status 0
  expect_same shares.csv whole/catalogue.csv
  expect_file shares/batch.3.jsonl
else
  echo "skipped: mpirun is not installed; ranks were tried by their variables alone"
fi
finish
