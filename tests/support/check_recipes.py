#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every recipe of docs/recipes.md, applied to a copy of the tree; what it touches compiles.

    check_recipes.py ROOT BUILD [--nvcc NVCC]      exit 1 and the compiler's words where one does not

BUILD holds compile_commands.json. The CUDA code of docs/learn/six-kernels.md compiles as well: by nvcc, or by the
compiler of the host, with threads and blocks as plain numbers.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = ("app", "core", "gui", "kernels", "modules")
STEP = re.compile(r"^(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, (?P<side>after|before) `(?P<anchor>[^\n]+)`):\n\n"
                  r"```cpp\n(?P<code>.*?)^```$", re.M | re.S)
HOST = """#include <cmath>
using std::fmaf;
#define __global__
struct Three { int x, y, z; };
inline Three threadIdx, blockIdx, blockDim, gridDim;
"""


def apply(root, recipe):
    """Writes a recipe's files below root.   returns those that it touched; complaints where it does not fit"""
    touched, bad = [], []
    for step in STEP.finditer(recipe):
        name = step["new"] or step["old"]
        path = root / name
        touched.append(name)
        if step["new"]:
            if path.exists():
                bad.append(f"{name} is there already")
            path.write_text(step["code"])
            continue
        text = path.read_text() if path.is_file() else ""
        if text.count(step["anchor"]) != 1:
            bad.append(f"{name} has {text.count(step['anchor'])} lines with: {step['anchor']}")
            continue
        at = text.index(step["anchor"])
        at = text.index("\n", at) + 1 if step["side"] == "after" else text.rindex("\n", 0, at) + 1
        path.write_text(text[:at] + step["code"] + text[at:])
    return touched, bad


def command_for(name, root, copy, commands):
    """How the build compiles a source, or one of its folder; for the copy, without code."""
    whole = str(root / name)
    told = commands.get(whole) or next((commands[one] for one in sorted(commands) if Path(one).parent == Path(whole).parent), None)
    if told is None:
        return None
    words = shlex.split(told["command"])
    words = words[1:] if Path(words[0]).name == "ccache" else words
    for option in ("-include", "-o"):  # no header compiled in advance: it may be of the tree
        while option in words:
            at = words.index(option)
            if option == "-include":
                header = Path(words[at + 1]).read_text() if Path(words[at + 1]).is_file() else ""
                if str(root) + "/" not in re.sub(r"#pragma.*|/\*.*?\*/", "", header):
                    break
            del words[at:at + 2]
    words = words[:words.index("-c")]
    words = [word.replace(f"-I{root}", f"-I{copy}") if word == f"-I{root}" else word for word in words]
    return [*words, "-Wno-invalid-pch", "-fsyntax-only", str(copy / name)]


def compiled(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def cuda_check(text, folder, nvcc, compiler):
    """The code blocks of CUDA of a page."""
    blocks = re.findall(r"^```cuda\n(.*?)^```$", text, re.M | re.S)
    if not blocks:
        return 1, "no code in CUDA"
    source = folder / ("page.cu" if nvcc else "page.cpp")
    source.write_text(("" if nvcc else HOST) + "\n".join(blocks))
    return compiled([nvcc, "-cuda", "-o", str(folder / "page.ii"), str(source)] if nvcc else
                    [*compiler, "-std=c++20", "-Wall", "-Werror", "-fsyntax-only", str(source)], folder)


def main():
    root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    nvcc = sys.argv[sys.argv.index("--nvcc") + 1] if "--nvcc" in sys.argv else None
    commands = {one["file"]: one for one in json.loads((build / "compile_commands.json").read_text())}
    page = (root / "docs/recipes.md").read_text()
    recipes = [(part.split("\n")[0], part) for part in re.split(r"^## ", page, flags=re.M)[1:]]
    bad, jobs, counted = [], [], 0
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for number, (title, recipe) in enumerate(recipes):
            if not STEP.search(recipe):
                continue
            counted += 1
            copy = Path(place) / str(number)
            for folder in FOLDERS:
                shutil.copytree(root / folder, copy / folder)
            touched, complaints = apply(copy, recipe)
            bad += [f"{title}: {one}" for one in complaints]
            for name in sorted({one for one in touched if one.endswith(".cpp")}):
                words = command_for(name, root, copy, commands)
                if words:  # the viewer may be left out of a build
                    jobs.append((f"{title}: {name}", pool.submit(compiled, words, build)))
        first = next(iter(commands.values()))["command"].split()
        compiler = [word for word in first[:2] if Path(word).name != "ccache"][:1]
        jobs.append(("docs/learn/six-kernels.md", pool.submit(
            cuda_check, (root / "docs/learn/six-kernels.md").read_text(), Path(place), nvcc, compiler)))
        for what, job in jobs:
            code, words = job.result()
            if code != 0:
                bad.append(f"{what} does not compile:\n{words}")
    if counted < 6:
        bad.append(f"{counted} recipes with steps, expected six")
    print("\n".join(bad) if bad else f"{counted} recipes, {len(jobs)} sources compile")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
