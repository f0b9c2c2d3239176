#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy (.clang-tidy) finds nothing in the sources that it looks at.

    check_tidy.py SOURCE BUILD [--all] [--budget SECONDS] [--jobs N]

Without --all: the sources that differ from the merge base with the main line (or, on the main line, from the commit before),
those of the stem of a changed header, and then a few that include most of the headers. None is begun after --budget
seconds; how many were left is said. With --all: every host source of the program. BUILD holds compile_commands.json.
Tests are not looked at: clang 14 refuses their lambdas over structured bindings.
Exit code: 0; 1 with the findings; 77 where there is no clang-tidy.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# They include the headers of most rooms.
RICH = ["app/view/main.cpp", "kernels/backends.cpp", "kernels/cpu/backend.cpp"]
MAIN_LINES = ["origin/HEAD", "origin/main", "main", "HEAD~1"]


def git(root, *words):
    done = subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def changed(root):
    """Paths that differ from where this line of work left the main one, edits without a commit included."""
    head = git(root, "rev-parse", "HEAD")
    for line in MAIN_LINES:
        base = git(root, "merge-base", "HEAD", line)
        if base and base != head:
            return git(root, "diff", "--name-only", base).splitlines()
    return git(root, "diff", "--name-only", "HEAD").splitlines()


def chosen(root, known):
    paths = []
    for path in changed(root):
        if path.endswith((".cpp", ".hpp")):
            paths.append(os.path.splitext(path)[0] + ".cpp")
    wanted = list(dict.fromkeys(os.path.join(root, path) for path in paths + RICH))
    return [path for path in wanted if path in known]


def without_precompiled(entry):
    """The entry without gcc's precompiled header, which clang cannot read: each source includes what it uses."""
    command = re.sub(r" -include \S*cmake_pch\.hxx| -Winvalid-pch| -fpch-preprocess", "", entry["command"])
    return {**entry, "command": command}


def look(path, folder, options, start):
    """None: no time left. Otherwise the findings: none of them means that clang-tidy ended well."""
    if options.budget and time.monotonic() - start > options.budget:
        return None
    done = subprocess.run([options.program, "-p", folder, "--quiet", "--warnings-as-errors=*", path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode == 0:
        return []
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    return errors or [f"{path}: clang-tidy ended with {done.returncode}: {done.stdout.strip()}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=os.path.realpath)
    parser.add_argument("build", type=os.path.realpath)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--budget", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.program = shutil.which("clang-tidy")
    if not options.program:
        print("skipped: no clang-tidy here; ./dev test installs it")
        return 77
    start = time.monotonic()
    with open(os.path.join(options.build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [without_precompiled(entry) for entry in json.load(file)]
    known = {entry["file"] for entry in entries if entry["file"].endswith(".cpp")}
    elsewhere = ("/kernels/cuda/", "/tests/")
    known = {path for path in known if path.startswith(options.source) and not any(folder in path for folder in elsewhere)}
    paths = sorted(known) if options.all else chosen(options.source, known)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(entries, file)
        said = list(pool.map(lambda path: look(path, folder, options, start), paths))
    findings = sorted({line for lines in said if lines for line in lines})
    print("\n".join(findings))
    print(f"{len(paths) - said.count(None)} of {len(paths)} sources in {time.monotonic() - start:.0f} s: "
          f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
