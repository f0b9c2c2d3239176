#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every preset of CMakePresets.json, configured and compiled.

    check_presets.py SOURCE SCRATCH [--jobs N] [--nvcc PATH] [--every | --whole] [--preset NAME ...]

Each preset is configured into SCRATCH/NAME; each option it sets must be one that the project has, with a value that the
option takes. Then, without precompiled headers:
  host  the smallest source of each library once, and the smallest of each preset with that preset's flags.
  CUDA  the largest .cu and those that differ from the main line, or include a header that does: for the oldest card that
        the presets name, down to machine code, and for the newest one, down to PTX.
--every compiles the smallest source of each library with the flags of each preset, and every .cu for both cards.
The optimiser is off, which saves two thirds of the time, and nothing is linked.
--whole builds every target of every preset instead, as its build preset does. Exit code: 0, or 1 with a line per breach.
Without an nvcc the presets that demand one and the .cu files are left out, and this is said.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from check_tidy import changed

ON_OFF = {"ON", "OFF", "TRUE", "FALSE", "YES", "NO", "1", "0"}
# Programs, tests and what serves them.
NOT_LIBRARIES = re.compile("^reber$|^reber-view$|test|bench|fake")
BUILD_TYPES = {"Debug", "Release", "RelWithDebInfo", "MinSizeRel"}


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def tail(text, lines=12):
    return "\n".join("    " + line for line in text.strip().splitlines()[-lines:])


def presets_of(source):
    """Configure presets by name, with what they inherit; hidden ones left out."""
    with open(os.path.join(source, "CMakePresets.json"), encoding="utf-8") as file:
        every = {preset["name"]: preset for preset in json.load(file)["configurePresets"]}

    def variables(name):
        preset = every[name]
        parents = preset.get("inherits", [])
        found = {}
        for parent in reversed([parents] if isinstance(parents, str) else parents):
            found.update(variables(parent))
        found.update(preset.get("cacheVariables", {}))
        return found

    return {name: variables(name) for name, preset in every.items() if not preset.get("hidden")}


def cache_of(folder):
    entries = {}
    with open(os.path.join(folder, "CMakeCache.txt"), encoding="utf-8") as file:
        for line in file:
            found = re.match(r"([^#/][^:=]*):([A-Z]+)=(.*)$", line.rstrip("\n"))
            if found:
                entries[found[1]] = (found[2], found[3])
    return entries


def option_breaches(name, wanted, cache):
    for variable, value in wanted.items():
        value = value["value"] if isinstance(value, dict) else value
        kind = cache.get(variable, ("UNINITIALIZED", ""))[0]
        if kind == "UNINITIALIZED":
            yield f"preset {name}: the project has no option {variable}"
        elif kind == "BOOL" and str(value).upper() not in ON_OFF:
            yield f"preset {name}: {variable} is ON or OFF, not {value}"
        elif variable == "CMAKE_BUILD_TYPE" and value not in BUILD_TYPES:
            yield f"preset {name}: there is no build type {value}"
        choices = cache.get(variable + "-STRINGS", ("", ""))[1]
        if choices and value not in choices.split(";"):
            yield f"preset {name}: {variable} is one of {choices}, not {value}"


def configure(name, wanted, options):
    folder = os.path.join(options.scratch, name)
    environment = dict(os.environ)
    if options.nvcc:
        environment["CUDACXX"] = options.nvcc
    done = run(["cmake", "-S", options.source, "--preset", name, "-B", folder, "-DREBER_TEST_DATA=",
                "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], cwd=options.source,
               env=environment)
    if done.returncode != 0:
        return [f"preset {name} does not configure:\n{tail(done.stdout)}"]
    return list(option_breaches(name, wanted, cache_of(folder)))


def whole(name, options):
    folder = os.path.join(options.scratch, name)
    done = run(["cmake", "--build", folder, "-j", str(options.jobs)])
    return [] if done.returncode == 0 else [f"preset {name} does not build:\n{tail(done.stdout, 30)}"]


def without_output(command):
    """The words of a compile command, less `-o FILE` and `-c`."""
    words, kept = shlex.split(command), []
    while words:
        word = words.pop(0)
        if word == "-o":
            words.pop(0)
        elif word != "-c":
            kept.append(word)
    return kept


def host_jobs(names, options):
    """(label, command, folder): the smallest source of each target; commands that differ in the build folder alone are one."""
    jobs, seen = {}, set()  # seen: targets and presets that have a job
    for name in names:
        folder = os.path.join(options.scratch, name)
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            entries = json.load(file)
        smallest = {}  # of each target and set of flags
        for entry in entries:
            target = re.search(r"CMakeFiles/([^/ ]+)\.dir/", entry["command"])
            if target and entry["file"].endswith(".cpp") and not NOT_LIBRARIES.search(target[1]):
                size = os.path.getsize(entry["file"])
                flags = [w for w in without_output(entry["command"]) if w != entry["file"]]
                key = (target[1], " ".join(flags))
                if key not in smallest or size < smallest[key][0]:
                    smallest[key] = (size, entry)
        for (target, _), (_, entry) in sorted(smallest.items(), key=lambda item: item[1][0]):
            if not options.every and target in seen and name in seen:
                continue
            seen.update((target, name))
            command = without_output(entry["command"])
            # A precompiled header is not made here: its text is read instead.
            command = [word for word in command if word != "-Winvalid-pch"] + ["-O0", "-c", "-o", os.devnull]
            same = " ".join(command).replace(folder, "BUILD")
            source = os.path.relpath(entry["file"], options.source)
            jobs.setdefault(same, (f"preset {name}: {target}: {source}", command, entry["directory"]))
    return list(jobs.values())


def card_numbers(architectures, nvcc):
    """Compute capabilities that a value of REBER_CUDA_ARCHITECTURES stands for, like [75, 80, 90]."""
    if architectures in ("all", "all-major"):
        known = sorted(int(n) for n in re.findall(r"compute_(\d+)$", run([nvcc, "--list-gpu-arch"]).stdout, re.M))
        if architectures == "all":
            return known
        return [n for at, n in enumerate(known) if at == 0 or n // 10 != known[at - 1] // 10]
    return sorted(int(re.match(r"\d+", a)[0]) for a in architectures.split(";"))


def touched(source, files):
    """Of these files those that differ from the main line, or include a header that does."""
    known = {}

    def is_touched(path):
        if path not in known:
            known[path] = path in differing  # a circle of includes ends here
            if os.path.exists(os.path.join(source, path)):
                text = Path(source, path).read_text(encoding="utf-8")
                known[path] |= any([is_touched(other) for other in re.findall(r'#include "([^"]+)"', text)])
        return known[path]

    differing = set(changed(source))
    return {file for file in files if is_touched(os.path.relpath(file, source))}


def cuda_jobs(names, options):
    """(label, command, folder): the .cu files for the oldest and the newest card of all presets."""
    cards, commands = {}, {}
    for name in names:
        folder = os.path.join(options.scratch, name)
        cache = cache_of(folder)
        if "CMAKE_CUDA_COMPILER" not in cache:
            continue
        for card in card_numbers(cache["REBER_CUDA_ARCHITECTURES"][1], options.nvcc):
            cards.setdefault(card, name)
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            commands.update({entry["file"]: entry for entry in json.load(file) if entry["file"].endswith(".cu")})
    if not cards:
        return []
    jobs = []
    oldest, newest = min(cards), max(cards)
    by_size = sorted(commands.items(), key=lambda item: -os.path.getsize(item[0]))
    looked_at = set(commands) if options.every else touched(options.source, commands) | {by_size[0][0]}
    for file, entry in by_size:
        if file not in looked_at:
            continue
        command = [w for w in without_output(entry["command"]) if not re.match(r"--?(generate-code|gencode|arch)=", w)]
        quick = command + ["-w", "-Xcicc", "-O0", "-Xptxas", "-O0", "-o", os.devnull]
        source = os.path.relpath(file, options.source)
        jobs.append((f"preset {cards[oldest]}: {source} for compute capability {oldest / 10}",
                     quick + ["-cubin", f"-arch=sm_{oldest}"], entry["directory"]))
        if newest != oldest:
            jobs.append((f"preset {cards[newest]}: {source} for compute capability {newest / 10}",
                         quick + ["-ptx", f"-arch=compute_{newest}"], entry["directory"]))
    return jobs


def compile_one(job):
    label, command, folder = job
    done = run(command, cwd=folder)
    return [] if done.returncode == 0 else [f"{label}: does not compile:\n{tail(done.stdout)}"]


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=os.path.abspath)
    parser.add_argument("scratch", type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--preset", action="append")
    options = parser.parse_args()
    options.nvcc = options.nvcc or os.environ.get("CUDACXX") or shutil.which("nvcc") or ""
    return options


def main():
    options = parse()
    start = time.monotonic()
    presets = presets_of(options.source)
    if options.preset:
        presets = {name: presets[name] for name in options.preset}
    if not options.nvcc:
        for name in [name for name, wanted in presets.items() if wanted.get("REBER_CUDA") == "ON"]:
            print(f"left out: preset {name}: no nvcc here")
            del presets[name]
    for name, compiler in [(name, wanted.get("CMAKE_CXX_COMPILER")) for name, wanted in presets.items()]:
        if compiler and not shutil.which(compiler):
            print(f"left out: preset {name}: no {compiler} here")
            del presets[name]
    shutil.rmtree(options.scratch, ignore_errors=True)
    os.makedirs(options.scratch)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        bad = sum(pool.map(lambda name: configure(name, presets[name], options), presets), [])
        print(f"{len(presets)} presets configured ({', '.join(presets)}): {time.monotonic() - start:.0f} s")
        ready = [name for name in presets if os.path.exists(os.path.join(options.scratch, name, "build.ninja"))]
        if options.whole:
            bad += sum((whole(name, options) for name in ready), [])
        else:
            host, cuda = host_jobs(ready, options), cuda_jobs(ready, options)
            bad += sum(pool.map(compile_one, cuda + host), [])
            print(f"{len(host)} host sources and {len(cuda)} CUDA sources compiled: {time.monotonic() - start:.0f} s")
            if not cuda:
                print("left out: the .cu files: no nvcc here")
    print("\n".join(bad) if bad else "presets hold")
    shutil.rmtree(options.scratch, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
