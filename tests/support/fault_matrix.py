#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The N-th allocation of a command fails, once and for good, for every N of a tiny image: the outputs of an undisturbed
run, byte for byte, or exit code 4 with one sentence. Never a signal, a temporary, part of a file or another number.

    fault_matrix.py REBER FAULTS_LIBRARY [--step N] [--first N] [--commands find,run,..] [--jobs N] [--tiles PROGRAM]
                    [--last N] [--share K/N] [--seconds S]

--step N takes every N-th allocation (1: all of them); the start moves with the command, so that a sample hits others.
--last N: and each of the last N, where outputs get their names.
--share K/N: of those the K-th of N equal shares (0 to N - 1), for N processes side by side on a machine of many cores.
--seconds S: what has not begun after S seconds is left out, and the line says how many.
--tiles: reber_tile_compress; images compressed by tiles (rice, gzip, hcompress) are read as well as a .gz.
Prints a line per command: allocations, runs tried, right results, exits with code 4. Exit code 1 where a run failed.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import gzip
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

CPU = ["--backend", "cpu", "--threads", "1"]
COMMANDS = {
    "find": ["find", "../tiny.fits", "-o", "o.csv", "o.fits", "o.vot"],
    "run": ["run", "../tiny.fits", "-o", ".", "--products", "csv,fits,vot,reg,mean,rms,snr,labels"],
    "lanes": ["run", "../tiny.fits", "../second.fits", "-o", ".", "--products", "csv,rms", "--lanes", "2"],
    "convolve": ["convolve", "../tiny.fits", "o.fits", "--kernel", "gaussian:3", "--algorithm", "direct"],
    "fft": ["convolve", "../tiny.fits", "o.fits", "--kernel", "gaussian:3,2,30", "--algorithm", "fft"],
    "smooth": ["smooth", "../tiny.fits", "--to-beam", "60,60,0", "-o", "."],
    "regrid": ["regrid", "../tiny.fits", "--projection", "TAN", "--rotate", "20", "-o", "o.fits"],
    "measure": ["measure", "../tiny.fits", "--at", "../list.csv", "-o", "o.csv"],
}
# By name alone: libraries that draw letters do not all bear to be refused memory.
DRAWN = {"picture": ["run", "../tiny.fits", "-o", ".", "--products", "csv,picture"]}
PACKED = {kind: ["convolve", f"../tiny.{kind}.fits", "o.fits", "--kernel", "gaussian:3", "--algorithm", "direct"]
          for kind in ("gz", "rice", "gzip", "hcompress")}
PATIENCE_S = 60
PASSED = ("right", "exit 4", "left out")


def lines_of_png(data):
    """What a picture's stream holds: one in some thousand runs packs the same lines into other bytes."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return zlib.decompress(packed) if at == len(data) and kind == b"IEND" else data


def contents(folder):
    """Bytes of each file without the folder's own name; of reports and records, which hold times and failures, only that
    they are whole; of pictures their lines."""
    found = {}
    paths = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]
    for path in sorted(paths):
        if ".reber-leases" in path:
            continue  # who works on what: of no use once the process is gone
        name = os.path.relpath(path, folder)
        with open(path, "rb") as file:
            data = file.read().replace(os.path.basename(folder).encode(), b"w")
        if name.endswith(".jsonl") and not data:
            continue  # opened, and no image had ended when the memory did
        if name.endswith(".png"):
            with contextlib.suppress(struct.error, zlib.error):  # else the bytes as they are
                data = lines_of_png(data)
        found[name] = b"a report" if name.endswith((".json", ".jsonl")) and data.rstrip().endswith(b"}") else data
    return found


def is_shorter_list(name, data, right):
    """The joined catalogue of a batch has the rows of the images that were done."""
    whole = right.get(name, b"").splitlines()
    return name == "catalogue.csv" and data.endswith(b"\n") and all(line in whole for line in data.splitlines())


class Matrix:
    def __init__(self, reber, faults, scratch, tiles):
        self.reber, self.faults, self.scratch = reber, faults, scratch
        self.run_plain(["simulate", "tiny.fits", "--size", "40", "40", "--sources", "1", "--seed", "3"] + CPU)
        self.run_plain(["find", "tiny.fits", "-o", "list.csv"] + CPU)
        self.run_plain(["simulate", "second.fits", "--size", "48", "40", "--sources", "1", "--seed", "4"] + CPU)
        with open(os.path.join(scratch, "tiny.fits"), "rb") as plain:
            with open(os.path.join(scratch, "tiny.gz.fits"), "wb") as packed:
                packed.write(gzip.compress(plain.read()))
        for kind in list(PACKED)[1:] if tiles else []:
            subprocess.run([tiles, "tiny.fits", f"tiny.{kind}.fits", kind], cwd=scratch, check=True)

    def run_plain(self, words):
        subprocess.run([self.reber] + words, cwd=self.scratch, check=True, stdout=subprocess.DEVNULL)

    def run(self, words, fault, slot):
        """Exit code (or 'hang'), lines on stderr and the files left, of one run."""
        folder = os.path.join(self.scratch, f"w{slot:04}")  # of one length: the same allocations everywhere
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        count = os.path.join(self.scratch, f"c{slot:04}")
        variables = dict(os.environ, LD_PRELOAD=self.faults, REBER_FAULT_COUNT=count, REBER_FAULT_MEMORY=fault)
        try:
            done = subprocess.run([self.reber] + words + CPU, cwd=folder, env=variables, capture_output=True,
                                  timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "hang", [], {}, 0
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        with open(count, encoding="ascii") if os.path.exists(count) else open(os.devnull, encoding="ascii") as file:
            calls = int((file.read().split() or ["0"])[0])
        return done.returncode, said, contents(folder), calls

    def judge(self, outcome, right):
        code, said, files, _ = outcome
        if code == 0:
            return "right" if files == right else "other result"
        if code != 4:
            return f"exit {code}"
        if any(files[name] != right.get(name) and not is_shorter_list(name, files[name], right) for name in files):
            return "exit 4 with part of a file"
        if any(line.startswith("reber: failed: ") for line in said):  # of two images: a sentence for each that failed
            said = [line for line in said if not line.startswith("reber: failed: ")]
            said = said[:1] if all("memory" in line for line in said) else []
        if sum(line.startswith("reber: ") for line in said) != 1 or any("bug" in line for line in said):
            return "exit 4 without one sentence"
        return "exit 4"


def of_command(matrix, name, options):
    step, jobs, (share, shares) = options.step, options.jobs, options.share
    words = (COMMANDS | DRAWN | PACKED)[name]
    code, _, right, total = matrix.run(words, "0", 0)
    if code != 0 or not right:
        sys.exit(f"{name}: an undisturbed run ends with {code}")
    numbers = {*range(1 + (options.first + len(name)) % step, total + 1, step), *range(max(1, total + 1 - options.last), total + 1)}
    faults = [f"{n}{kind}" for kind in ("", "+") for n in sorted(numbers)]
    random.Random(share).shuffle(faults := faults[share::shares])  # what time does not allow is left out evenly
    tally, examples = collections.Counter(), {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        slots = list(range(1, jobs + 1))

        def one(fault):
            if time.monotonic() > options.until:
                return fault, "left out", []
            slot = slots.pop()
            outcome = matrix.run(words, fault, slot)
            slots.append(slot)
            return fault, matrix.judge(outcome, right), outcome[1]

        for fault, verdict, said in pool.map(one, faults):
            tally[verdict] += 1
            if verdict not in PASSED and verdict not in examples:
                examples[verdict] = f"{name}, allocation {fault}: {verdict}: {' | '.join(said)[:200]}"
    good = tally["right"] + tally["exit 4"]
    tried = len(faults) - tally["left out"]
    print(f"{name:10} {total:7} allocations {tried:7} tried {good:7} passed ({tally['right']} right, "
          f"{tally['exit 4']} exit 4)", *(f"{n} x {v}" for v, n in tally.items() if v not in PASSED[:2]),
          flush=True)
    for text in examples.values():
        print("  " + text, flush=True)
    return tried - good


def share_of(text):
    share, shares = (int(word) for word in text.split("/"))
    if not 0 <= share < shares:
        raise ValueError(text)
    return share, shares


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reber")
    parser.add_argument("faults")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=0)
    parser.add_argument("--commands", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tiles", default="", type=lambda text: os.path.abspath(text) if text else "")
    parser.add_argument("--share", type=share_of, default=(0, 1))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    options.until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        matrix = Matrix(os.path.abspath(options.reber), os.path.abspath(options.faults), scratch, options.tiles)
        every = [*COMMANDS, *(PACKED if options.tiles else ["gz"])]
        failed = sum(of_command(matrix, name, options)
                     for name in (options.commands.split(",") if options.commands else every))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
