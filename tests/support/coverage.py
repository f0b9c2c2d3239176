#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which lines and branches the tests run: of the readers, writers, fall-backs and errors, by gcov.

    coverage.py BUILD [--run] [--bar PERCENT] [--branch-bar PERCENT] [--missing] [--jobs N]

BUILD is a folder of the preset `coverage`. --run begins with counters at zero and runs the unit and golden tests and those
of the command line; without it, what has run since the counters were made is told. Prints a line per source, per part and
for the set of tests/support/coverage_set.txt; --missing names the lines of which not all ran. A line counts as run where
any of its copies (templates, programs) was, and so does a branch. Branches are the ways on from a condition; the way that
an exception takes out of a call is none.

Exit code: 0, 1 where the set lies below a bar (95 of lines, 80 of branches), 2 where tests fail or nothing was counted.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = ["reber_unit_tests", "reber_golden_tests"]
# What a caged process runs cannot be written out: the same once more without the cage.
UNCAGED = ["reber_unit_tests", "--gtest_filter=*Tile*:*Decod*:*Compress*:-DecoderCage*"], ["reber_golden_tests",
                                                                                           "--gtest_filter=*orpus*"]


def coverage_set(root):
    """Part and file of each line of the list."""
    lines = (root / "tests/support/coverage_set.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def run_tests(build, jobs):
    """The number of commands that failed; each is named."""
    for counters in build.rglob("*.gcda"):
        counters.unlink()
    bare = dict(os.environ, REBER_COVERAGE_UNCAGED="1")
    folder = build / "tests"
    commands = [([folder / name, "--gtest_brief=1"], folder, None) for name in TESTS]
    commands += [([folder / words[0], "--gtest_brief=1", *words[1:]], folder, bare) for words in UNCAGED]
    commands.append((["ctest", "-j", str(jobs), "-L", "cli", "--output-on-failure"], build, None))
    failed = 0
    for command, where, environment in commands:
        done = subprocess.run(command, cwd=where, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)
        if done.returncode != 0:
            failed += 1
            print(f"{Path(command[0]).name} fails:\n" + "\n".join(done.stdout.splitlines()[-40:]))
    return failed


def counts_of(notes, root, build):
    """{file: {(line, branch): times}} of one object, by gcov; the line itself is its branch -1."""
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", "--relative-only", "--source-prefix", root, notes], cwd=build,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found = {}
    for document in filter(None, done.stdout.splitlines()):
        for file in json.loads(document)["files"]:
            lines = found.setdefault(file["file"], {})
            for line in file["lines"]:
                ways = [branch["count"] for branch in line["branches"] if not branch["throw"]]
                for branch, times in enumerate([line["count"], *ways], -1):
                    at = line["line_number"], branch
                    lines[at] = lines.get(at, 0) + times
    return found


def gather(root, build, jobs):
    whole = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda notes: counts_of(notes, root, build), sorted(build.rglob("*.gcno"))):
            for name, lines in found.items():
                path = Path(name)
                name = str(path.relative_to(root)) if path.is_absolute() and path.is_relative_to(root) else name
                into = whole.setdefault(name, {})
                for at, times in lines.items():
                    into[at] = into.get(at, 0) + times
    return whole


class Share:
    """How many of the lines and branches ran."""

    def __init__(self):
        self.run, self.all = [0, 0], [0, 0]

    def add(self, counts):
        for (_, branch), times in counts.items():
            kind = int(branch >= 0)
            self.run[kind] += times > 0
            self.all[kind] += 1

    def percent(self, kind):
        return 100 * self.run[kind] / max(self.all[kind], 1)

    def told(self, name):
        return "  ".join(f"{self.percent(kind):6.1f} %  {self.run[kind]:5} of {self.all[kind]:5}" for kind in (0, 1)) + "  " + name


def missing(root, name, counts):
    text = (root / name).read_text(encoding="utf-8").splitlines()
    lines = {}
    for (number, branch), times in counts.items():
        if times == 0:
            lines.setdefault(number, []).append(branch)
    return [f"          {number:4}{'  ' if -1 in ways else f' {len(ways)}'}: {text[number - 1].strip()}"
            for number, ways in sorted(lines.items())]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--bar", type=float, default=95)
    parser.add_argument("--branch-bar", type=float, default=80)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    failed = run_tests(options.build, options.jobs) if options.run else 0
    counts = gather(root, options.build, options.jobs)
    parts, whole, absent = {}, Share(), []
    print("  lines run                 branches taken")
    for part, name in coverage_set(root):
        if not counts.get(name):
            absent.append(name)
            continue
        own = Share()
        for share in own, whole, parts.setdefault(part, Share()):
            share.add(counts[name])
        print(own.told(name))
        if options.missing:
            print("\n".join(missing(root, name, counts[name])))
    if absent:
        print("nothing counted in: " + ", ".join(absent))
        return 2
    for part, share in parts.items():
        print(share.told(part))
    print(whole.told("the set"))
    if failed:
        return 2
    return 0 if whole.percent(0) >= options.bar and whole.percent(1) >= options.branch_bar else 1


if __name__ == "__main__":
    sys.exit(main())
