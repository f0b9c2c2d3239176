#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of check_layers.py fails on a breach planted in a copy of the tree, and the tree itself breaks none.

    check_layers_test.py SOURCE
"""
import os
import shutil
import sys
import tempfile

import check_layers

HEAD = check_layers.FIRST_LINE + "\n// A breach.\n"
ANY_INCLUDE = HEAD + '#include "{}"\n'

# rule, file, its text, words of the message
BREACHES = [
    ("core sees no kernels", "core/sky/model/planted.hpp", ANY_INCLUDE.format("kernels/backends.hpp"), "core/sky/model sees core/base"),
    ("a room sees only those to its left", "core/files/io/planted.hpp", ANY_INCLUDE.format("core/files/fits/fits_image.hpp"), "core/files/io sees"),
    ("the oracle has rules of its own", "kernels/reference/planted.hpp", ANY_INCLUDE.format("kernels/shared/pixel_rules.hpp"),
     "kernels/reference sees"),
    ("kernels see no gui", "kernels/cpu/planted.hpp", ANY_INCLUDE.format("gui/viewer.hpp"), "kernels/cpu sees"),
    ("ways to convolve do not see each other", "kernels/cuda/convolve/fft/planted.hpp",
     ANY_INCLUDE.format("kernels/cuda/convolve/direct/direct.hpp"), "kernels/cuda/convolve/fft sees"),
    ("panels do not see the view", "gui/panels/planted.hpp", ANY_INCLUDE.format("gui/view/canvas.hpp"), "gui/panels sees"),
    ("commands see no panel", "app/commands/planted.hpp", ANY_INCLUDE.format("gui/ui/panel.hpp"), "app/commands sees"),
    ("a folder has a row", "core/cellar/planted.hpp", HEAD, "has no row"),
    ("CUDA headers", "core/base/planted.hpp", HEAD + "#include <cuda_runtime.h>\n", "CUDA headers live"),
    ("OpenGL headers", "gui/model/planted.hpp", HEAD + "#include <GL/gl.h>\n", "OpenGL lives"),
    ("names read as commands", "core/files/fits/planted.hpp", HEAD + "inline void f() { fits_open_file(); }\n", "calls that read names"),
    ("raw handles", "kernels/cuda/maps/planted.hpp", HEAD + "inline void f() { cudaMalloc(); }\n", "handles are made"),
    ("what clang lacks", "core/base/planted.hpp", HEAD + "inline void f(std::vector<int>& v) { (void)std::ranges::unique(v); }\n",
     "clang 14 has none"),
    ("reductions of newer cards", "kernels/cuda/statistics/planted.cuh", HEAD + "inline void f() { __reduce_add_sync(1, 2); }\n",
     "older cards"),
    ("variables of the environment", "core/base/planted.hpp", HEAD + 'inline const char* f() { return std::getenv("REBER_PLANTED"); }\n',
     "are named in core/base/environment.cpp"),
    ("threads that answer", "core/base/planted.hpp", HEAD + "inline void f() { std::jthread thread([] {}); }\n",
     "threads start in"),
    ("connections", "core/files/io/planted.hpp", HEAD + "inline int f() { return ::socket(2, 1, 0); }\n", "alone opens a connection"),
    ("doors to write: a stream", "core/run/batch/planted.hpp", HEAD + "inline void f() { std::ofstream file(name); }\n", "alone open files to write"),
    ("doors to write: a call", "gui/model/planted.hpp", HEAD + "inline int f() { return ::open(name, O_WRONLY | 01000); }\n",
     "alone open files to write"),
    ("one door to read", "core/sky/mask/planted.hpp", HEAD + "inline void f() { std::ifstream file(name); }\n", "never waits"),
    ("one door to parse", "core/sky/mask/planted.hpp", HEAD + "inline void f() { (void)Json::parse(text, nullptr, false); }\n", "bounds its depth"),
    ("a source without a header of its stem", "core/seam/plan/planted.cpp", HEAD, "no header of its stem"),
    ("a kernel without a header of its stem", "core/base/planted.cu", HEAD, "no header of its stem"),
    ("the licence", "core/base/planted.hpp", "#pragma once\n", "the first line is not"),
    ("the purpose", "tests/unit/planted_test.cpp", check_layers.FIRST_LINE + "\n#include <vector>\n", "what the file is for"),
    ("a type of its own", "gui/model/planted.hpp", HEAD + "namespace reber {\nstruct Rect {\n};\n}  // namespace reber\n",
     "reber::Rect is another type in core/"),
    ("the length", "tests/unit/planted_test.cpp", HEAD + "\n" * check_layers.LONGEST, "several ideas"),
]


def said_of(root, path, text):
    """What check_layers says about one more file."""
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)
    said = list(check_layers.breaches(root))
    os.remove(full)
    return said


def main():
    source, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as root:
        for top in ("core", "kernels", "gui", "app", "modules", "tests"):
            shutil.copytree(os.path.join(source, top), os.path.join(root, top),
                            ignore=lambda folder, names: [n for n in names if os.path.isfile(os.path.join(folder, n))
                                                          and not n.endswith((*check_layers.SOURCES, "coverage_set.txt"))])
        whole = list(check_layers.breaches(root))
        for rule, path, text, words in BREACHES:
            more = [line for line in said_of(root, path, text)
                    if line not in whole and not line.startswith(check_layers.WARNING)]
            if len(more) != 1 or words not in more[0] or not more[0].startswith(path):
                failed += 1
                print(f"{rule}: planted in {path}, found {more}")
        for at in range(check_layers.FULLEST):
            with open(os.path.join(root, f"core/base/planted_{at}.hpp"), "w", encoding="utf-8") as file:
                file.write(HEAD)
        if not any("core/base: " in line and "no room any more" in line for line in check_layers.breaches(root)):
            failed += 1
            print("the fullest folder: not found")
        with open(os.path.join(root, "tests/support/coverage_set.txt"), "a", encoding="utf-8") as file:
            file.write("reader core/base/nowhere.cpp\n")
        if not any("nowhere.cpp is not there" in line for line in check_layers.breaches(root)):
            failed += 1
            print("a source of coverage_set.txt that is gone: not found")
    print(f"{len(BREACHES) + 2} breaches planted, {failed} of them not found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
