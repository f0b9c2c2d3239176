#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which lines the tests run: of the readers, writers, fall-backs and errors, by gcov.

    coverage.py BUILD [--run] [--bar PERCENT] [--missing] [--jobs N]

BUILD is a folder of the preset `coverage`. --run begins with counters at zero and runs the unit and golden tests and those
of the command line; without it, what has run since the counters were made is told. Prints a line per source, per part and
for the set of tests/support/coverage_set.txt; --missing names the lines that did not run. A line counts as run where any
of its copies (templates, programs) was.

Exit code: 0, 1 where the set lies below the bar (95), 2 where tests fail or nothing was counted.
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
    """{file: {line: times}} of one object, by gcov."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--relative-only", "--source-prefix", root, notes], cwd=build,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found = {}
    for document in filter(None, done.stdout.splitlines()):
        for file in json.loads(document)["files"]:
            lines = found.setdefault(file["file"], {})
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, 0) + line["count"]
    return found


def gather(root, build, jobs):
    whole = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda notes: counts_of(notes, root, build), sorted(build.rglob("*.gcno"))):
            for name, lines in found.items():
                path = Path(name)
                name = str(path.relative_to(root)) if path.is_absolute() and path.is_relative_to(root) else name
                into = whole.setdefault(name, {})
                for number, times in lines.items():
                    into[number] = into.get(number, 0) + times
    return whole


def told(name, run, lines):
    return f"{100 * run / lines:6.1f} %  {run:5} of {lines:5}  {name}"


def missing(root, name, counts):
    text = (root / name).read_text(encoding="utf-8").splitlines()
    return [f"          {number:4}: {text[number - 1].strip()}" for number, times in sorted(counts.items()) if times == 0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--bar", type=float, default=95)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    failed = run_tests(options.build, options.jobs) if options.run else 0
    counts = gather(root, options.build, options.jobs)
    parts, absent = {}, []
    for part, name in coverage_set(root):
        lines = counts.get(name)
        if not lines:
            absent.append(name)
            continue
        run = sum(times > 0 for times in lines.values())
        so_far = parts.setdefault(part, [0, 0])
        so_far[0], so_far[1] = so_far[0] + run, so_far[1] + len(lines)
        print(told(name, run, len(lines)))
        if options.missing:
            print("\n".join(missing(root, name, lines)))
    if absent:
        print("nothing counted in: " + ", ".join(absent))
        return 2
    for part, (run, lines) in parts.items():
        print(told(part, run, lines))
    run, lines = (sum(part[at] for part in parts.values()) for at in (0, 1))
    print(told("the set", run, lines))
    if failed:
        return 2
    # Written so that nothing counted fails.
    return 0 if 100 * run >= options.bar * lines > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
