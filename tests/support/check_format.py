#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every tracked C++ and CUDA source is as clang-format writes it (.clang-format).

    check_format.py SOURCE      exit 0; 1 with the first differences; 77 where there is no clang-format or no git checkout
"""
import os
import shutil
import subprocess
import sys


def main():
    root = sys.argv[1]
    program = shutil.which("clang-format")
    if not program:
        print("skipped: no clang-format here; ./dev test installs it")
        return 77
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.cpp", "*.hpp", "*.cu", "*.cuh"], stdout=subprocess.PIPE,
                            check=False)
    if listed.returncode != 0:
        print("skipped: no git checkout, so no list of tracked sources")
        return 77
    names = [name for name in listed.stdout.decode().split("\0") if name and os.path.exists(os.path.join(root, name))]
    done = subprocess.run([program, "--dry-run", "-Werror", "--ferror-limit=1", *names], cwd=root, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0 or not names:
        print(done.stdout)
        print("clang-format -i FILE mends them")
        return 1
    print(f"{len(names)} sources are formatted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
