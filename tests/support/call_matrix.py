#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The N-th call of the system of a kind fails, once and for good, for every N of small commands: the outputs of an
undisturbed run, byte for byte, or exit code 3 or 4 with one sentence and no part of a file. Where a call is only
interrupted or does less than asked, and where a file system lacks a service, the outputs of an undisturbed run.

    call_matrix.py REBER CALLS_LIBRARY TILES_PROGRAM [--step N] [--commands find,run,..] [--kinds read,write,..] [--share K/N]

Prints a line per command: calls, runs tried, right results, exits with a sentence. Exit code 1 where a run failed.
"""
import argparse
import collections
import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
import tempfile

from fault_matrix import Matrix, is_shorter_list, share_of

COMMANDS = {
    "find": ["find", "../tiny.fits", "-o", "o.csv", "o.fits", "o.vot", "o.reg", "--write-rms", "r.fits", "--json", "o.json"],
    "sqlite": ["find", "../tiny.fits", "-o", "o.sqlite"],
    "replace": ["find", "../tiny.fits", "-o", "o.csv", "--overwrite"],
    "gz": ["find", "../tiny.gz.fits", "-o", "o.csv"],
    "rice": ["find", "../tiny.rice.fits", "-o", "o.csv"],
    "hcompress": ["find", "../tiny.hcompress.fits", "-o", "o.csv"],
    "tiles": ["convolve", "../tiny.fits", "o.fits.fz", "--kernel", "gaussian:3"],
    "run": ["run", "../tiny.fits", "-o", "."],
    "batch": ["run", "../tiny.fits", "../second.fits", "-o", "d", "--products", "csv,rms"],
    "workers": ["run", "../tiny.fits", "../second.fits", "-o", ".", "--products", "csv", "--workers", "2"],
    "smooth": ["smooth", "../tiny.fits", "--to-beam", "60,60,0", "-o", "."],
    "measure": ["measure", "../tiny.fits", "--at", "../list.csv", "-o", "o.csv"],
    "list": ["run", "@../names", "-o", ".", "--products", "csv"],
}
FAILS = {  # what each kind may say
    "open": ("EMFILE", "EIO", "EACCES"), "read": ("EIO",), "write": ("ENOSPC", "EDQUOT", "EIO"), "stat": ("EIO",),
    "rename": ("ENOSPC", "EDQUOT", "EIO"), "link": ("EIO",), "close": ("EDQUOT",), "reserve": ("ENOSPC", "EDQUOT"),
    "map": ("ENOMEM",), "fork": ("EAGAIN",), "socket": ("EMFILE",), "mkdir": ("ENOSPC", "EDQUOT"), "sync": ("EIO", "EDQUOT"),
}
# Nothing is lost by these: 0 is one byte at a time.
HARMLESS = {"read": ("EINTR", "0"), "write": ("EINTR", "0"), "open": ("EINTR",), "link": ("EPERM",), "reserve": ("EOPNOTSUPP",),
            "close": ("EINTR",), "sync": ("EINVAL",)}


def number(code):
    return int(code) if code == "0" else getattr(errno, code)


def judge(outcome, right, unnamed, harmless):
    """unnamed: the outputs where the system does not say which processor it has; their headers name it."""
    code, said, files, _ = outcome
    if code == 0:
        same = [data in (right.get(name), unnamed.get(name)) for name, data in files.items()]
        return "right" if files.keys() == right.keys() and all(same) else "other result"
    if harmless or code not in (3, 4):
        return f"exit {code}"
    flat = {os.path.basename(name): data for name, data in right.items()}
    if any(data not in (right.get(name), unnamed.get(name)) and not is_shorter_list(os.path.basename(name), data, flat)
           for name, data in files.items()):
        return f"exit {code} with part of a file"
    words = [line for line in said if line.startswith("reber: ")]
    failed = [line for line in words if line.startswith("reber: failed: ")]  # images, after a sentence for each
    joined = sum(any(what in line for what in ("catalogue.csv", "cannot join", "tiny.csv'", "the records", "batch.jsonl'")) for line in words)
    false = any("bug" in line or "damaged" in line for line in words)
    if not words or false or len(words) - len(failed) - joined > max(1, len(failed)):
        return f"exit {code} without one sentence"
    return "sentence"


class Calls(Matrix):
    """The same runs with calls in place of allocations."""

    def run(self, words, fault, slot, path=""):
        """path: a file that cannot be opened"""
        for name, value in ("REBER_FAULT_CALL", fault), ("REBER_FAULT_PATH", path):
            os.environ.pop(name, None)
            if value:
                os.environ[name] = value
        return super().run(words, "0", slot)

    def counts(self):
        with open(os.path.join(self.scratch, "c0000"), encoding="ascii") as file:
            return {kind: int(calls) for calls, kind in (line.split() for line in file)}


def faults_of(counts, kinds):
    for harmless, table in ((False, FAILS), (True, HARMLESS)):
        for kind, codes in table.items():
            if kinds and kind not in kinds:
                continue
            for code in codes:
                for plus in ("",) if code == "EINTR" else ("", "+"):  # what is interrupted for ever does not end
                    for n in range(1, counts[kind] + 1):
                        yield f"{kind} {n}{plus} {number(code)}", f"{kind} {n}{plus} {code}", harmless


def processor_name():
    with open("/proc/cpuinfo", "rb") as file:
        return next(line.split(b": ", 1)[1].strip() for line in file if line.startswith(b"model name"))


def without_processor(data):
    """What a file says but for the processor's name, as something that can be compared. A name moves what stands behind
    it: the ends of HISTORY cards, the header's sum, and the places of rows in a database."""
    names = processor_name(), b"unnamed processor"
    if data.startswith(b"SQLite format 3"):
        with tempfile.NamedTemporaryFile() as copy, contextlib.closing(sqlite3.connect(copy.name)) as database:
            copy.write(data)
            copy.flush()
            data = "\n".join(database.iterdump()).encode()
    if data.startswith(b"SIMPLE  ="):
        cards = [data[at:at + 80] for at in range(0, len(data), 80)]
        history = b"".join(card[8:] for card in cards if card.startswith(b"HISTORY "))
        for name in names:
            history = history.replace(b" ", b"").replace(name.replace(b" ", b""), b"")
        return history, [card for card in cards if not card.startswith((b"HISTORY ", b"CHECKSUM=")) and card.strip()]
    for name in names:
        data = data.replace(name, b"")
    return data


def undisturbed(matrix, name):
    """Outputs with the processor's name, those without it, and how often each kind was called."""
    code, said, right, _ = matrix.run(COMMANDS[name], "", 0)
    if code != 0 or not right:
        sys.exit(f"{name}: an undisturbed run ends with {code}: {said}")
    counts = matrix.counts()
    code, said, unnamed, _ = matrix.run(COMMANDS[name], "", 0, "/proc/cpuinfo")
    changed = [file for file, data in right.items() if without_processor(data) != without_processor(unnamed.get(file, b""))]
    if code != 0 or unnamed.keys() != right.keys() or changed:
        sys.exit(f"{name}: without the processor's name it ends with {code}: {said}, other files: {changed}")
    return right, unnamed, counts


def of_command(matrix, name, options):
    words = COMMANDS[name]
    right, unnamed, counts = undisturbed(matrix, name)
    share, shares = options.share
    every = list(faults_of(counts, options.kinds.split(",") if options.kinds else []))
    every = every[len(name) % options.step::options.step][share::shares]
    tally, examples = collections.Counter(), collections.defaultdict(list)
    for fault, shown, harmless in every:
        outcome = matrix.run(words, fault, 0)
        verdict = judge(outcome, right, unnamed, harmless)
        tally[verdict] += 1
        if verdict not in ("right", "sentence"):
            examples[verdict].append(f"{shown}: {' | '.join(outcome[1])[:200]}")
    good = tally["right"] + tally["sentence"]
    print(f"{name:10} {sum(counts.values()):6} calls {len(every):6} tried {good:6} passed ({tally['right']} right, "
          f"{tally['sentence']} with a sentence)", flush=True)
    for verdict, texts in examples.items():
        print(f"  {len(texts)} x {verdict}:")
        print("\n".join("    " + text for text in texts[:options.examples]), flush=True)
    return len(every) - good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reber")
    parser.add_argument("calls")
    parser.add_argument("tiles", type=os.path.abspath)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--commands", default="")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--share", type=share_of, default=(0, 1))
    parser.add_argument("--examples", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        matrix = Calls(os.path.abspath(options.reber), os.path.abspath(options.calls), scratch, options.tiles)
        with open(os.path.join(scratch, "names"), "w", encoding="ascii") as names:
            names.write("../tiny.fits\n../second.fits\n")
        failed = sum(of_command(matrix, name, options)
                     for name in (options.commands.split(",") if options.commands else COMMANDS))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
