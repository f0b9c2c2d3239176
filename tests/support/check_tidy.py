#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy (.clang-tidy) finds nothing in the sources that it looks at.

    check_tidy.py SOURCE BUILD [--all] [--budget SECONDS] [--jobs N]

Without --all: the sources that differ from the merge base with the main line (or, on the main line, from the commit before),
those of the stem of a changed header, and then a few that include most of the headers. None is begun after --budget
seconds; how many were left is said. With --all: every host source of the build. BUILD holds compile_commands.json.
Exit code: 0; 1 with the findings; 77 where there is no clang-tidy.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
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


def look(path, options, start):
    """None: no time left. Otherwise what clang-tidy says."""
    if options.budget and time.monotonic() - start > options.budget:
        return None
    done = subprocess.run([options.program, "-p", options.build, "--quiet", "--warnings-as-errors=*", path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return "" if done.returncode == 0 else done.stdout or f"{path}: clang-tidy ended with {done.returncode}\n"


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
        known = {entry["file"] for entry in json.load(file) if entry["file"].endswith(".cpp")}
    known = {path for path in known if path.startswith(options.source) and "/kernels/cuda/" not in path}
    paths = sorted(known) if options.all else chosen(options.source, known)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        said = list(pool.map(lambda path: look(path, options, start), paths))
    findings = sorted({line for text in said if text for line in text.splitlines() if ": error:" in line or "ended" in line})
    print("\n".join(findings))
    print(f"{len(paths) - said.count(None)} of {len(paths)} sources in {time.monotonic() - start:.0f} s: "
          f"{len(findings)} findings")
    return 1 if findings or any(said) else 0


if __name__ == "__main__":
    sys.exit(main())
