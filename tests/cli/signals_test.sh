#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGINT and SIGTERM at many instants of every long command: exit code 130 or 143 soon after, no temporaries, whole files
# or none, and never a word of damaged data.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 2000 --sources 400 --seed 2 --backend cpu -q
expect_status 0
run simulate small.fits --size 600 --sources 40 --seed 2 --backend cpu -q  # for the reference, which takes its time
expect_status 0
gzip -k sky.fits && cp sky.fits.gz other.fits.gz
"$REBER_TILE_COMPRESS" sky.fits sky.fits.fz hcompress || exit 1

what="signals"
checks=$((checks + 1))
python3 - "$reber" <<'PY' >out 2>err || report "a signal was not answered as it should be"
import os, random, shutil, signal, subprocess, sys, time

reber, cpu = sys.argv[1], ["--backend", "cpu", "-q"]
patience_s = 5.0  # on a machine that is busy; 0.2 s is the promise
commands = {
    "find": ["find", "../sky.fits", "-o", "o.csv"],
    "find .gz": ["find", "../sky.fits.gz", "-o", "o.csv"],
    "find .fz": ["find", "../sky.fits.fz", "-o", "o.csv", "--fit", "none"],
    "convolve": ["convolve", "../sky.fits", "o.fits", "--kernel", "gaussian:30,20,10", "--algorithm", "direct"],
    "smooth": ["smooth", "../sky.fits", "../other.fits.gz", "--to-beam", "200,200,0", "-o", "."],
    "regrid": ["regrid", "../sky.fits", "--projection", "TAN", "--rotate", "20", "-o", "o.fits"],
    "simulate": ["simulate", "o.fits", "--size", "2000", "--sources", "2000", "--seed", "1"],
    "complete": ["complete", "../sky.fits", "--number", "40"],
    "measure": ["measure", "../sky.fits", "--at", "../list.csv", "-o", "o.csv"],
    "verify": ["verify", "../small.fits", "--fit", "none"],
}
subprocess.run([reber, "find", "sky.fits", "-o", "list.csv"] + cpu, check=True)
instants = random.Random(1)
worst, bad, tried = {}, [], 0
for name, words in commands.items():
    def start():
        shutil.rmtree("work", ignore_errors=True)
        os.mkdir("work")
        return subprocess.Popen([reber] + words + cpu, cwd="work", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    begin = time.monotonic()
    process = start()
    process.communicate()
    whole_s = time.monotonic() - begin
    if process.returncode != 0:
        bad.append(f"{name}: exit code {process.returncode} undisturbed")
    right = sorted(os.listdir("work"))
    for number in [signal.SIGINT, signal.SIGTERM] * 3:
        tried += 1
        process = start()
        time.sleep(instants.uniform(0.02, 0.95 * whole_s))
        sent = time.monotonic()
        os.killpg(process.pid, number)  # as a terminal does: children as well
        try:
            said = process.communicate(timeout=60)[1].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            bad.append(f"{name}: {number.name} is not answered")
            continue
        waited = time.monotonic() - sent
        worst[name] = max(worst.get(name, 0), waited)
        left = sorted(os.listdir("work"))
        where = f"{name}, {number.name} at {sent - begin:.2f} s"
        if process.returncode == -number and not left:
            continue  # before main() had begun
        if process.returncode not in (0, 128 + number) or "damaged" in said:
            bad.append(f"{where}: exit code {process.returncode}: {said}")
        if process.returncode == 0 and left != right:
            bad.append(f"{where}: exit code 0 with {left}")
        if any(file.endswith(".tmp") for file in left) or not set(left) <= set(right):
            bad.append(f"{where}: left {left}")
        if waited > patience_s:
            bad.append(f"{where}: {waited:.2f} s until it stopped")
print(tried, "signals; longest wait in seconds:", {name: round(s, 3) for name, s in worst.items()})
print("\n".join(bad))
sys.exit(1 if bad else 0)
PY
cat out
finish
