#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a clean build of the program costs, in seconds of the processor, held against a table.

    check_build_seconds.py SOURCE SCRATCH [--jobs N] [--write]

Builds app/reber as `./dev demo` does (Release, for the CPU alone, no compiler cache) into SCRATCH; the compiler is started
by this script, which notes what each call took. The sums of each target may be 15 % above those of
tests/support/build_seconds.json, scaled by what one fixed source costs here and cost there. --write makes the table anew.
Exit code: 0, or 1 with a line per breach.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "build_seconds.json")
BAND = 1.15
LEAST_SECONDS = 2  # smaller targets are noise
YARDSTICK = "".join(f"#include <{name}>\n" for name in ("algorithm", "filesystem", "functional", "map", "regex", "string")) + """
int count(const std::string& text) {
  const std::regex word("[a-z]+");
  std::map<std::string, int> words;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) ++words[at->str()];
  return static_cast<int>(words.size());
}
"""


def seconds_of(command):
    """Exit code, and seconds of the processor of the command with all its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def launch(log, command):
    code, seconds = seconds_of(command)
    target = next((found[1] for word in command if (found := re.search(r"CMakeFiles/([^/]+)\.dir/", word))), "?")
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{target} {seconds:.3f}\n")
    return code


def yardstick():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "yardstick.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(YARDSTICK)
        tries = [seconds_of(["c++", "-std=c++20", "-O2", "-c", source, "-o", os.devnull]) for _ in range(3)]
    if any(code != 0 for code, _ in tries):
        sys.exit("the yardstick does not compile")
    return min(seconds for _, seconds in tries)


def build(options):
    shutil.rmtree(options.scratch, ignore_errors=True)
    os.makedirs(options.scratch)
    log = os.path.join(options.scratch, "seconds.log")
    launcher = ";".join([sys.executable, os.path.abspath(__file__), "--launch", log])
    subprocess.run(["cmake", "-S", options.source, "-B", options.scratch, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DREBER_HARDEN=ON", "-DREBER_CUDA=OFF", "-DREBER_TESTS=OFF", "-DCMAKE_CXX_COMPILER_LAUNCHER=" + launcher],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", options.scratch, "-j", str(options.jobs), "app/reber"], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, CCACHE_DISABLE="1"))
    sums = collections.Counter()
    with open(log, encoding="utf-8") as file:
        for line in file:
            target, seconds = line.split()
            sums[target] += float(seconds)
    return {target: round(seconds, 1) for target, seconds in sums.most_common()}


def breaches(now, scale, table):
    for target, seconds in {**now, "all": sum(now.values())}.items():
        known = table.get(target, 0) if target != "all" else sum(table.values())
        most = BAND * scale * max(known, LEAST_SECONDS)
        print(f"{target:24} {seconds:8.1f} s   {known * scale:8.1f} s by the table")
        if seconds > most:
            yield f"{target}: {seconds:.0f} s of the processor, at most {most:.0f} by build_seconds.json"


def main():
    if sys.argv[1:2] == ["--launch"]:
        return launch(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=os.path.abspath)
    parser.add_argument("scratch", type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    here, now = yardstick(), build(options)
    shutil.rmtree(options.scratch, ignore_errors=True)
    if options.write:
        with open(TABLE, "w", encoding="utf-8") as file:
            json.dump({"yardstick": round(here, 3), "targets": now}, file, indent=1)
            file.write("\n")
        return 0
    with open(TABLE, encoding="utf-8") as file:
        table = json.load(file)
    bad = list(breaches(now, here / table["yardstick"], table["targets"]))
    print("\n".join(bad) if bad else "a build takes no longer than it did")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
