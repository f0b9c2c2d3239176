#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What twelve commands cost, in instructions of the processor, held against a table: a slower commit fails.

    check_cost.py REBER --build-type TYPE [--write]

Each runs on one thread, on small skies of fixed seeds, under valgrind, whose counts do not depend on the machine's load; what
`--version` takes is not counted. They may be 2 % above those of tests/support/cost.json; 2 % below asks for a new table as
well. --write makes it anew, which a commit does that means to change a cost. Exit code: 0, 1 with a line per breach, 77 where
valgrind is missing or the table is of another compiler, build type or processor.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cost.json")
BAND = .02
# The same code of the C library on every host.
PLAIN = {"REBER_CPU_VECTORS": "narrow", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512VL,-AVX512F,-ERMS,-FSRM,-FMA,-FMA4"}
SKIES = {
    "sky": ["--size", "500", "--sources", "20", "--seed", "3"],
    "crowd": ["--size", "120", "--sources", "25", "--seed", "4"],
    "many": ["--size", "300", "--sources", "4000", "--seed", "5"],
}
COMMANDS = {
    "find": ["find", "sky.fits", "-o", "o.csv"],
    "find, moments": ["find", "sky.fits", "-o", "o.csv", "--fit", "moments"],
    "find, crowded": ["find", "crowd.fits", "-o", "o.csv"],
    "find, wavelets": ["find", "sky.fits", "-o", "o.csv", "--fit", "moments", "--wavelets", "3"],
    "find, extended": ["find", "sky.fits", "-o", "o.csv", "--fit", "moments", "--extended", "e.csv"],
    "background, grid": ["background", "sky.fits", "--method", "grid", "--write-rms", "r.fits"],
    "convolve, separable": ["convolve", "sky.fits", "o.fits", "--kernel", "gaussian:5", "--algorithm", "separable"],
    "convolve, direct": ["convolve", "sky.fits", "o.fits", "--kernel", "tophat:3", "--algorithm", "direct"],
    "convolve, transform": ["convolve", "sky.fits", "o.fits", "--kernel", "gaussian:60", "--algorithm", "fft"],
    "run": ["run", "sky.fits", "-o", "results"],
    "measure": ["measure", "sky.fits", "--at", "sky.csv", "-o", "o.csv"],
    "match": ["match", "many.csv", "many.csv", "-o", "o.csv"],
}


def instructions(reber, command, folder):
    """Of the process itself: what it forks prints a count of its own, which is smaller."""
    where = os.path.join(folder, "out")
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(os.path.join(folder, "skies"), where)
    line = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", reber, *command]
    if command[0] not in ("match", "--version"): line += ["--threads", "1", "--backend", "cpu"]
    done = subprocess.run(line, cwd=where, capture_output=True, text=True, env={**os.environ, **PLAIN})
    counts = [int(found.replace(",", "")) for found in re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)]
    if done.returncode != 0 or not counts: sys.exit(f"reber {' '.join(command)}: exit {done.returncode}: {done.stderr[-600:]}")
    return max(counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("reber")
    parser.add_argument("--build-type", default="")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    reber = os.path.abspath(args.reber)
    if not shutil.which("valgrind"):
        print("valgrind is not installed: nothing is counted")
        return 77
    compiler = subprocess.run(["c++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        processor = (re.search(r"model name\s*: *(.*)", file.read()) or ["", "unknown"])[1]
    of = {"compiler": compiler, "build": args.build_type, "processor": processor}
    table = {}
    if os.path.exists(TABLE):
        with open(TABLE, encoding="utf-8") as file: table = json.load(file)
    if not args.write and table.get("of") != of:
        print(f"the table is of {table.get('of')}, this build of {of}: nothing is compared")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        skies = os.path.join(folder, "skies")
        os.mkdir(skies)
        for name, how in SKIES.items():
            subprocess.run([reber, "simulate", f"{name}.fits", *how, "--truth", f"{name}.csv", "--quiet",
                            "--threads", "1"], cwd=skies, check=True)
        start = instructions(reber, ["--version"], folder)
        counts = {name: instructions(reber, command, folder) - start for name, command in COMMANDS.items()}
    if args.write:
        with open(TABLE, "w", encoding="utf-8") as file:
            json.dump({"of": of, "instructions": counts}, file, indent=1)
            file.write("\n")
        return 0
    breaches = 0
    for name, count in counts.items():
        before = table["instructions"].get(name, 0)
        change = count / before - 1 if before else 1
        print(f"{name:22s} {before / 1e6:10.1f} {count / 1e6:10.1f} million {100 * change:+6.2f} %{'' if abs(change) <= BAND else '  breach'}")
        breaches += abs(change) > BAND
    if breaches: print("what a commit means to change: tests/support/check_cost.py REBER --write, and commit the table with it")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
