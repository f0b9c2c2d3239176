#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults of one line, planted one at a time: do the tests notice?

    mutations.py ROOT --check                    each line to be changed is in its file, once
    mutations.py ROOT BUILD [--only N,N] [--near] [--kinds] [--programs unit,conformance,golden]

BUILD is a folder of ROOT where the unit, conformance and golden tests are built, by Ninja. ROOT is left as it is: the changed
file stands in BUILD/mutants/N, is compiled there with what includes it, and the test programs are linked anew with those
objects before all others. First run the suites whose sources include the changed file's header, then, without --near, each
program whole. A fault is found where a test fails twice that passes in the program of BUILD.
--kinds: the faults of mutations_of_kinds.json instead, which no test was written against; where no test program notices
one, the scripts of the command line that it names are run with a program of its own.
Prints a line per fault and how many were found. Exit code 1 where fewer than 95 of 100 were.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

FAULTS = [
    ("core/measure/sources/deblend.cpp", "rise > options_.prominence * rms", "rise > 0.5 * options_.prominence * rms"),
    ("core/measure/sources/deblend.cpp", "rise > 2 * options_.contrast * brightest", "rise > options_.contrast * brightest"),
    ("core/measure/sources/deblend.cpp", "return standing > 1;", "return standing > 2;"),
    ("core/measure/sources/deblend.cpp", "return va != vb ? va > vb : a < b;", "return va != vb ? va < vb : a < b;"),
    ("core/seam/compute/island_moments.cpp", "std::log2(peak / threshold) >", "std::log(peak / threshold) >"),
    ("core/measure/sources/source.cpp", "order.emplace_back(rows[k].sums.peak_y,", "order.emplace_back(-rows[k].sums.peak_y,"),
    ("core/measure/sources/source.cpp", "kResolvedBias * log_error * log_error +", "kResolvedBias * log_error -"),
    ("core/measure/sources/fit_ladder.cpp", "rest.rise >= kLeastRise", "rest.rise <= kLeastRise"),
    ("core/measure/sources/fit_ladder.cpp", "if (!(held_chi2_ - outcome.chi2 > least_gain())) return false;", "if (!(held_chi2_ - outcome.chi2 > 0)) return false;"),
    ("core/measure/sources/fit_ladder.cpp", "< least_apart) return false;", "< 0) return false;"),
    ("core/measure/sources/shape_errors.cpp", "std::min(error / (2 * root), std::sqrt(error))", "std::min(error / root, std::sqrt(error))"),
    ("core/measure/sources/shape_errors.cpp", "const std::array<double, 3> g{wx * zx, wx * zy + wy * zx, wy * zy};", "const std::array<double, 3> g{wx * zx, wx * zy, wy * zy};"),
    ("kernels/shared/cell_clip.hpp", "fabs(mean - median) < 0.3 * rms", "fabs(mean - median) < 0.03 * rms"),
    ("kernels/shared/cell_clip.hpp", "return variance > 0 ? sqrt(variance) : 0.0;", "return variance > 0 ? sqrt(variance * 1.001) : 0.0;"),
    ("kernels/shared/cell_clip.hpp", "const bool above = strict ? value > limit : value >= limit;", "const bool above = value >= limit;"),
    ("kernels/shared/pixel_rules.hpp", "return j < n ? j : period - 1 - j;", "return j < n ? j : period - j;"),
    ("kernels/shared/pixel_rules.hpp", "return rms > 0.0f ? above / rms : blank_value();", "return above / rms;"),
    ("kernels/shared/pixel_rules.hpp", "return fmaf(weight, b - a, a);", "return fmaf(weight, a - b, a);"),
    ("kernels/shared/pixel_rules.hpp", "return negative ? -difference : difference;", "return difference;"),
    ("kernels/shared/pixel_rules.hpp", "return sum * (kernel.total / weight);", "return sum;"),
    ("kernels/shared/pixel_rules.hpp", "static_cast<float>(zero + scale * stored)", "static_cast<float>(zero - scale * stored)"),
    ("kernels/shared/pixel_rules.hpp", "return __builtin_nanf(\"\");", "return 0.0f;"),
    ("kernels/shared/pixel_rules.hpp", "return std::isfinite(value) ? value : blank_value();", "return value;"),
    ("kernels/shared/pixel_rules.hpp", "lerp(lerp(n00, n10, wy), lerp(n01, n11, wy), wx)", "lerp(lerp(n00, n10, wx), lerp(n01, n11, wx), wy)"),
    ("kernels/shared/pixel_rules.hpp", "const float difference = pixel - mean;", "const float difference = mean - pixel;"),
    ("kernels/shared/pixel_rules.hpp", "? a - b : blank_value();", "? b - a : blank_value();"),
    ("kernels/shared/pixel_rules.hpp", "PlaneRule::larger ? b > a : b < a;", "PlaneRule::larger ? b < a : b > a;"),
    ("kernels/shared/pixel_rules.hpp", "return std::isfinite(a) && !other ? a : b;", "return !other ? a : b;"),
    ("kernels/shared/pixel_rules.hpp", "return i < 0 ? 0 : n - 1;", "return i < 0 ? 0 : n - 2;"),
    ("kernels/shared/pixel_rules.hpp", "return j < n ? j : period - j;", "return j < n ? j : period - 1 - j;"),
    ("kernels/shared/pixel_rules.hpp", "return ((i % n) + n) % n;", "return ((i % n) + n - 1) % n;"),
    ("kernels/shared/pixel_rules.hpp", "  return -1;", "  return 0;"),
    ("kernels/shared/pixel_rules.hpp", "0.99999f * min_weight", "0.5f * min_weight"),
    ("kernels/shared/kernel_total.hpp", "std::abs(sum) > 1e-6 * absolute", "std::abs(sum) > 0"),
    ("core/seam/compute/background.cpp", "position - centre(k)) / (centre(k + 1)", "position - centre(k)) / (1 + centre(k + 1)"),
    ("core/files/fits/fits_guard.hpp", "kMaxAxes = 9", "kMaxAxes = 12"),
    ("core/files/fits/fits_file.cpp", "if (format.scale == 0) throw", "if (false) throw"),
    ("core/files/fits/card_header.cpp", "if (head.size() == 4 && (head.substr(1) == \"LON\"", "if (head.size() == 5 && (head.substr(1) == \"LON\""),
    ("core/sky/model/sky_list.cpp", "if (c >= 'A' && c <= 'Z') c =", "if (c >= 'B' && c <= 'Z') c ="),
    ("core/files/catalogue/catalogue_read_text.cpp", "const std::string base = columns.empty() ? \"col\" : columns.back().name;", "const std::string base = \"col\";"),
    ("core/run/pipeline/bright_pixels.cpp", "excess += statistics.median - place;", "excess += place;"),
    ("core/run/pipeline/bright_pixels.cpp", "if (boundary_index(-i, n, boundary) == at) found.push_back(-i);", "if (boundary_index(-i, n, boundary) == at) found.push_back(i);"),
    ("core/run/cube/plane_runs.cpp", "if (!lane.backend) throw CardError(*failure);", "if (!lane.backend) return true;"),
    ("core/run/cube/plane_runs.cpp", "return ended_ || turn_ == taken.index;", "return true;"),
    ("core/run/batch/record.hpp", "return plane < 0 ? path : path + '\\n' + std::to_string(plane);", "return path;"),
    ("kernels/banded/label.cpp", "from.next<LabelRuns::Run>()}, count);", "from.next<LabelRuns::Run>()}, count > 0 ? count - 1 : 0);"),
    ("kernels/shared/foretold_nodes.cpp", "if (!same_bits(mean_[k], model.mean[k]) || !same_bits(rms_[k], model.rms[k])) return true;", ""),
    ("kernels/shared/foretold_nodes.cpp", "std::max<std::int64_t>(measured - filter / 2, 0)", "measured"),
    ("kernels/cpu/islands/foretold.cpp", "found_.keeper->give_back(strip);\n  strip = {};", "found_.keeper->give_back(strip);"),
    ("kernels/shared/fit_split.cpp", " || (card_idle && end == least)", ""),
    ("core/seam/plan/algorithm_choice.cpp", "if (about < kFftDynamicRange / kSure) return about;", "return about;"),
    ("kernels/banded/mesh.cpp", "&MeshCells::mean, &MeshCells::rms, &MeshCells::filtered_mean, &MeshCells::filtered_rms})\n    cells", "&MeshCells::rms, &MeshCells::mean, &MeshCells::filtered_mean, &MeshCells::filtered_rms})\n    cells"),
    ("kernels/banded/fit.cpp", "deals[k].results.components = from.next<FittedGaussian>();", "from.next<FittedGaussian>();"),
    ("core/run/batch/folder_exchange.cpp", "if (!text->ends_with('\\n' + identity)) other = who;", ""),
    ("core/run/cube/joined_catalogue.cpp", "joined_.frequency_hz = kNaN;", "joined_.frequency_hz = 0;"),
    ("core/seam/plan/algorithm_choice.cpp", "exact->cost_ms <= 20 * best->cost_ms", "exact->cost_ms <= 0 * best->cost_ms"),
    ("core/files/fits/decoder_cage.cpp", "without(SYS_mmap, 2, PROT_EXEC);  // no memory that may be run", "jump(static_cast<std::uint32_t>(SYS_mmap), 0, 1), add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);"),
    ("core/files/fits/decoder_cage.cpp", "add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);\n  }\n  [[nodiscard]]", "add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);\n  }\n  [[nodiscard]]"),
    ("core/files/catalogue/catalogue_votable.cpp", "letter(unit[i - 1])) out += \"**\";", "letter(unit[i - 1])) out += \"\";"),
    ("core/files/io/atomic_file.cpp", "if (done == 0) fail(\"write\", ENOSPC);", ""),
    ("core/files/io/atomic_file.cpp", "input.st_ino == followed.st_ino;", "input.st_ino != followed.st_ino;"),
    ("core/files/io/kept_files.cpp", "return kept().files.contains(*identity);", "return false;"),
    ("core/files/fits/header_beam.cpp", "if (!(beam.minor_deg <= beam.major_deg * (1 + 1e-12)))", "if (beam.minor_deg > 10 * beam.major_deg)"),
    ("core/sky/model/common_beam.cpp", "least_eigenvalue(c - all[i]) <= kTouching * trace(c)", "least_eigenvalue(c - all[i]) >= kTouching * trace(c)"),
    ("core/sky/model/sky_list.cpp", "return in_system(std::move(list), *other.system);", "return list;"),
    ("core/studies/match.cpp", "if (values.size() % 2 == 1) return upper;", "return upper;"),
    ("core/run/request/parameter_rules.cpp", "r.detect && !(r.detect->flood <= r.detect->seed)", "r.detect && !(r.detect->flood <= 2 * r.detect->seed)"),
]


def faults_of_kinds():
    kinds = json.loads(Path(__file__).with_name("mutations_of_kinds.json").read_text(encoding="utf-8"))
    return [(one["path"], one["old"], one["new"], one["cli"]) for one in kinds]


def check(root):
    bad = []
    faults = FAULTS + faults_of_kinds()
    for number, (path, old, new, *_) in enumerate(faults):
        times = (root / path).read_text(encoding="utf-8").count(old) if (root / path).exists() else 0
        if times != 1 or old == new:
            bad.append(f"fault {number}: {path} holds {times} times: {old}")
    print("\n".join(bad) if bad else f"{len(faults)} faults can be planted")
    return 1 if bad else 0


def run(command, folder, limit, **more):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit,
                              errors="replace", check=False, **more)
    except subprocess.TimeoutExpired as late:
        told = late.stdout or b""
        return subprocess.CompletedProcess(command, 124, stdout=told if isinstance(told, str) else told.decode(errors="replace"))


def failures(text):
    """Names of tests that failed, of what a test program prints; a crash has the name of the test that ran last."""
    failed = dict.fromkeys(re.findall(r"^\[  FAILED  \] ([\w./]+)(?:,| \()", text, re.M))
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
    ended = set(re.findall(r"^\[ *(?:OK|FAILED|SKIPPED) *\] ([\w./]+)", text, re.M))
    failed.update(dict.fromkeys(name for name in begun[-1:] if name not in ended))
    return list(failed)


class Trial:
    """The objects and test programs of one fault."""

    PATIENCE_S = 1800

    def __init__(self, options, number):
        self.root, self.build, self.programs = options.root, options.build, options.programs
        self.path, old, new, *scripts = options.faults[number]
        self.scripts = scripts[0] if scripts else []
        self.folder = options.build / f"mutants/{number}"
        planted = self.folder / self.path
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text((self.root / self.path).read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        self.commands = {entry["output"]: entry for entry in options.commands}
        self.links = {}
        self.changed = {}  # objects of BUILD and those in their place

    def users(self):
        """Objects of BUILD that hold the changed line."""
        source = str(self.root / self.path)
        if self.path.endswith(".cpp"):
            return [output for output, entry in self.commands.items() if entry["file"] == source]
        told, users, output = run(["ninja", "-t", "deps"], self.build, 600).stdout, [], ""
        for line in told.splitlines():
            if line and not line.startswith(" "):
                output = line.split(":")[0]
            elif line.strip() and (self.build / line.strip()).resolve() == Path(source) and output in self.commands:
                users.append(output)
        return users

    def compile(self, output):
        if output in self.changed:
            return True
        entry, made = self.commands[output], self.folder / output
        made.parent.mkdir(parents=True, exist_ok=True)
        words = shlex.split(entry["command"])
        words[words.index("-o") + 1] = str(made)
        if self.path.endswith(".cpp"):
            words[words.index("-c") + 1] = str(self.folder / self.path)
        # A compiled header of tests may hold the line as it was: its text is read instead.
        words.insert(1 if "ccache" not in words[0] else 2, f"-I{self.folder}")
        done = run(words, entry["directory"], 3600)
        if done.returncode == 0:
            self.changed[output] = made
        return done.returncode == 0

    @staticmethod
    def target(program):
        return "app/reber" if program == "reber" else f"tests/reber_{program}_tests"

    def link(self, program):
        """The words that link BUILD's program."""
        if program not in self.links:
            said = run(["ninja", "-t", "commands", self.target(program)], self.build, 600).stdout
            self.links[program] = [word for word in shlex.split(said.strip().splitlines()[-1]) if word not in (":", "&&")]
        return self.links[program]

    def of_library_in(self, output, program):
        """Whether the program links the library that the object is of: those of other programs have a main() each."""
        target = re.search(r"CMakeFiles/(\w+)\.dir/", output)
        return target is not None and f"lib{target[1]}.a" in {Path(word).name for word in self.link(program)}

    def program(self, program):
        """BUILD's program, linked with the changed objects first: those of libraries are then taken from them."""
        words = list(self.link(program))
        # The program looks for its modules beside itself.
        out = self.build / f"app/reber_mutant_{self.folder.name}" if program == "reber" else self.folder / f"reber_{program}_tests"
        words[words.index("-o") + 1] = str(out)
        own = {word for word in words if word in self.changed}
        words = [str(self.changed[word]) if word in own else word for word in words]
        others = [str(made) for output, made in self.changed.items()
                  if output not in own and self.of_library_in(output, program)]
        words[1:1] = others
        return out if run(words, self.build, 600).returncode == 0 else None

    def failed(self, binary, names):
        command = [binary, f"--gtest_filter={names}", "--gtest_fail_fast"]
        return failures(run(command, self.build / "tests", self.PATIENCE_S).stdout)

    def near(self, program):
        """Test sources that include the changed file's header; where none does, those that include one of its folder."""
        texts = {source: source.read_text(encoding="utf-8")
                 for source in sorted((self.root / "tests" / program).glob("*_test.cpp"))}
        path = Path(self.path)
        for wanted in (f'"{path.with_suffix(".hpp")}"', f'"{path.parent}/'):
            if found := [source for source, text in texts.items() if wanted in text]:
                return found
        return []

    def finder(self, near_alone):
        """The test that fails, twice; empty where none does, None where the fault does not compile or link."""
        users = self.users()
        tests = [output for output in users if output.startswith("tests/")]
        programs = [*self.programs, "reber"] if self.scripts else self.programs
        linked = [output for output in users if any(self.of_library_in(output, program) for program in programs)]
        if not users or not all(self.compile(output) for output in linked):
            return None
        for near in [True] if near_alone else [True, False]:
            for program in self.programs:
                sources = self.near(program)
                if near and not sources:
                    continue
                in_it = [output for output in tests if f"/reber_{program}_tests.dir/" in output]
                if not all(self.compile(output) for output in in_it):
                    return None
                suites = [suite for source in sources for suite in
                          re.findall(r"^TEST(?:_[FP])?\((\w+),", source.read_text(encoding="utf-8"), re.M)]
                names = ":".join(f"{suite}.*:*/{suite}.*" for suite in dict.fromkeys(suites)) if near else "*"
                binary = self.program(program)
                if binary is None:
                    return None
                for name in self.failed(binary, names):
                    if self.failed(binary, name) and not self.failed(self.build / f"tests/reber_{program}_tests", name):
                        return name
        return self.failing_script() if self.scripts else ""

    def failing_script(self):
        """Of the command line's tests, one that fails with the fault and passes without it."""
        binary = self.program("reber")
        if binary is None:
            return None
        for name in self.scripts:
            def fails(program, script=self.root / f"tests/cli/{name}_test.sh"):
                return run(["bash", script, program, self.root, ""], self.folder, self.PATIENCE_S).returncode != 0
            if fails(binary) and not fails(self.build / "app/reber"):
                return "cli." + name
        binary.unlink()
        return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=lambda text: Path(text).resolve())
    parser.add_argument("build", type=lambda text: Path(text).resolve(), nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--programs", type=lambda text: text.split(","), default=["unit", "conformance", "golden"])
    options = parser.parse_args()
    options.faults = faults_of_kinds() if options.kinds else FAULTS
    if options.check or not options.build:
        return check(options.root)
    database = run(["ninja", "-t", "compdb"], options.build, 600).stdout
    options.commands = [entry | {"file": str((Path(entry["directory"]) / entry["file"]).resolve())}
                        for entry in json.loads(database) if entry["output"].endswith(".o")]
    chosen = [int(word) for word in options.only.split(",")] if options.only else range(len(options.faults))
    found = 0
    for number in chosen:
        start, fault = time.monotonic(), options.faults[number]
        name = Trial(options, number).finder(options.near)
        said = "does not compile" if name is None else "found by " + name if name else "NOT NOTICED"
        found += bool(name)
        print(f"{number:3} {said}: {fault[0]}: {fault[1]}  ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{found} of {len(chosen)} found")
    return 0 if found >= 0.95 * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
