#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names of variables for tests are in a program that was built for them, and in none that is installed.

    check_hooks.py ROOT REBER OBJECT...     exit 1 where REBER lacks one, or an OBJECT built without hooks has one
"""
import re
import sys
from pathlib import Path


def main():
    root, reber, *objects = sys.argv[1:]
    source = (Path(root) / "core/base/environment.cpp").read_text()
    names = re.findall(r'"(REBER_\w+)"', re.search(r"#ifdef REBER_TEST_HOOKS(.*?)#endif", source, re.S)[1])
    program = Path(reber).read_bytes()
    bad = [] if len(names) >= 6 else ["core/base/environment.cpp: where are the variables for tests?"]
    bad += [f"{reber} was built for tests and lacks {name}" for name in names if name.encode() not in program]
    for path in objects:
        built = Path(path).read_bytes()
        bad += [f"{path}: {word} is in what is installed" for word in [*names, "plan_fault", "get_stuck"] if word.encode() in built]
    print("\n".join(bad) if bad else f"{len(names)} variables for tests, none of them in what is installed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
