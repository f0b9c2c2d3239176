# SPDX-License-Identifier: BSD-3-Clause
"""The command `reber` of the wheel: the program that lies beside the module."""
import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "reber")
    try:
        os.execv(program, ["reber", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"reber: {program}: {error.strerror}; this installation holds the module alone")


if __name__ == "__main__":
    main()
