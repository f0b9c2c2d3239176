#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults of one line, planted one at a time: does the suite notice?

    mutations.py ROOT --check                    each line to be changed is in its file, once
    mutations.py ROOT BUILD [--only N,N] [--jobs J] [--labels "unit|conformance|golden"]

Works in a copy of ROOT beside BUILD (BUILD/mutants), which is built once. Each fault is planted there, what depends on it
is built again, and the tests run until one fails. Prints a line per fault and how many were found. Exit code 1 where
fewer than 95 of 100 were.
"""
import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

FAULTS = [
    ("core/sources/deblend.cpp", "rise > options_.prominence * rms", "rise > 0.5 * options_.prominence * rms"),
    ("core/sources/deblend.cpp", "rise > 2 * options_.contrast * brightest", "rise > options_.contrast * brightest"),
    ("core/sources/deblend.cpp", "return standing > 1;", "return standing > 2;"),
    ("core/sources/deblend.cpp", "return va != vb ? va > vb : a < b;", "return va != vb ? va < vb : a < b;"),
    ("core/sources/source.cpp", "std::log2(peak / threshold) >", "std::log(peak / threshold) >"),
    ("core/sources/source.cpp", "return y != other_y ? y < other_y : x < other_x;", "return y != other_y ? y > other_y : x < other_x;"),
    ("core/sources/source.cpp", "kResolvedBias * log_error * log_error +", "kResolvedBias * log_error -"),
    ("core/sources/fit_ladder.cpp", "rest.rise >= kLeastRise", "rest.rise <= kLeastRise"),
    ("core/sources/fit_ladder.cpp", "if (!(held_chi2_ - outcome.chi2 > kLeastGain * together)) return false;", "if (!(held_chi2_ - outcome.chi2 > 0)) return false;"),
    ("core/sources/fit_ladder.cpp", "< least_apart) return false;", "< 0) return false;"),
    ("core/sources/shape_errors.cpp", "std::min(error / (2 * root), std::sqrt(error))", "std::min(error / root, std::sqrt(error))"),
    ("core/sources/shape_errors.cpp", "const std::array<double, 3> g{wx * zx, wx * zy + wy * zx, wy * zy};", "const std::array<double, 3> g{wx * zx, wx * zy, wy * zy};"),
    ("kernels/shared/cell_clip.hpp", "fabs(mean - median) < 0.3 * rms", "fabs(mean - median) < 0.03 * rms"),
    ("kernels/shared/cell_clip.hpp", "return variance > 0 ? sqrt(variance) : 0.0;", "return variance > 0 ? sqrt(variance * 1.001) : 0.0;"),
    ("kernels/shared/cell_clip.hpp", "const bool above = strict ? value > limit : value >= limit;", "const bool above = value >= limit;"),
    ("kernels/shared/pixel_rules.hpp", "return j < n ? j : period - 1 - j;", "return j < n ? j : period - j;"),
    ("kernels/shared/pixel_rules.hpp", "return rms > 0.0f ? above / rms : blank_value();", "return above / rms;"),
    ("kernels/shared/pixel_rules.hpp", "return fmaf(weight, b - a, a);", "return fmaf(weight, a - b, a);"),
    ("kernels/shared/pixel_rules.hpp", "return negative ? -difference : difference;", "return difference;"),
    ("kernels/shared/pixel_rules.hpp", "return sum * (total / weight);", "return sum;"),
    ("kernels/shared/pixel_rules.hpp", "static_cast<float>(zero + scale * stored)", "static_cast<float>(zero - scale * stored)"),
    ("core/fits/fits_guard.hpp", "kMaxAxes = 9", "kMaxAxes = 12"),
    ("core/fits/fits_file.cpp", "if (format.scale == 0) throw", "if (false) throw"),
    ("core/fits/fits_file.cpp", "if (head.size() == 4 && (head.substr(1) == \"LON\"", "if (head.size() == 5 && (head.substr(1) == \"LON\""),
    ("core/model/sky_list.cpp", "if (c >= 'A' && c <= 'Z') c =", "if (c >= 'B' && c <= 'Z') c ="),
    ("core/catalogue/catalogue_read_text.cpp", "const std::string base = columns.empty() ? \"col\" : columns.back().name;", "const std::string base = \"col\";"),
    ("core/pipeline/bright_pixels.cpp", "excess += statistics.median - place;", "excess += place;"),
    ("core/pipeline/bright_pixels.cpp", "if (boundary_index(-i, n, boundary) == at) found.push_back(-i);", "if (boundary_index(-i, n, boundary) == at) found.push_back(i);"),
    ("core/cube/plane_runs.cpp", "if (!lane.backend) throw CardError(*failure);", "if (!lane.backend) return true;"),
    ("core/cube/plane_runs.cpp", "return ended_ || turn_ == taken.index;", "return true;"),
    ("core/batch/record.hpp", "return plane < 0 ? path : path + '\\n' + std::to_string(plane);", "return path;"),
    ("kernels/cpu/label.cpp", "strip.run = unpacked.next<rules::Run>();", "(void)unpacked.next<rules::Run>();"),
    ("kernels/cpu/mesh.cpp", "std::ranges::copy(unpacked.next<float>(), cells.rms.begin() + at);", "std::ranges::copy(unpacked.next<float>(), cells.rms.begin());"),
    ("kernels/cpu/fit.cpp", "for (std::size_t i = who; i < order.size(); i += count) {", "for (std::size_t i = 0; i < order.size(); i += count) {"),
    ("core/batch/folder_exchange.cpp", "if (!text->ends_with('\\n' + identity)) other = who;", ""),
    ("core/cube/joined_catalogue.cpp", "joined_.frequency_hz = kNaN;", "joined_.frequency_hz = 0;"),
    ("core/plan/algorithm_choice.cpp", "exact->cost_ms <= 20 * best->cost_ms", "exact->cost_ms <= 0 * best->cost_ms"),
    ("core/fits/decoder_cage.cpp", "without_code(SYS_mmap);", "jump(static_cast<std::uint32_t>(SYS_mmap), 0, 1), add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);"),
    ("core/fits/decoder_cage.cpp", "add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);\n  }\n  [[nodiscard]]", "add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);\n  }\n  [[nodiscard]]"),
    ("core/catalogue/catalogue_votable.cpp", "letter(unit[i - 1])) out += \"**\";", "letter(unit[i - 1])) out += \"\";"),
    ("core/io/atomic_file.cpp", "if (done == 0) fail(\"write\", ENOSPC);", ""),
    ("core/io/atomic_file.cpp", "input.st_dev == followed.st_dev && input.st_ino == followed.st_ino", "input.st_dev == followed.st_dev && false"),
    ("core/fits/header_beam.cpp", "if (!(beam.minor_deg <= beam.major_deg * (1 + 1e-12)))", "if (beam.minor_deg > 10 * beam.major_deg)"),
    ("core/model/common_beam.cpp", "least_eigenvalue(c - all[i]) <= kTouching * trace(c)", "least_eigenvalue(c - all[i]) >= kTouching * trace(c)"),
    ("core/studies/match.cpp", "return system_of(a) == system_of(b) || (modern(a) && modern(b));", "return system_of(a) == system_of(b);"),
    ("core/studies/match.cpp", "if (values.size() % 2 == 1) return upper;", "return upper;"),
    ("core/request/parameter_rules.cpp", "r.detect && !(r.detect->flood <= r.detect->seed)", "r.detect && !(r.detect->flood <= 2 * r.detect->seed)"),
]


def check(root):
    bad = []
    for number, (path, old, new) in enumerate(FAULTS):
        times = (root / path).read_text(encoding="utf-8").count(old) if (root / path).exists() else 0
        if times != 1 or old == new:
            bad.append(f"fault {number}: {path} holds {times} times: {old}")
    print("\n".join(bad) if bad else f"{len(FAULTS)} faults can be planted")
    return 1 if bad else 0


def run(command, folder, limit):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit,
                              check=False)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, stdout=str(late.stdout or ""))


def first_failure(text):
    return next((line.split("-", 1)[1].strip() for line in text.splitlines() if "(Failed)" in line or "(Timeout)" in line), "?")


class Trial:
    """A copy of the tree with a build of its own."""

    def __init__(self, options):
        self.options = options
        self.copy, self.build = options.build / "mutants/tree", options.build / "mutants/build"

    def prepare(self):
        files = subprocess.run(["git", "-C", self.options.root, "ls-files", "-co", "--exclude-standard"], capture_output=True,
                               text=True, check=True).stdout.split("\n")
        for name in filter(None, files):
            source, to = self.options.root / name, self.copy / name
            if source.is_file() and not (to.exists() and to.read_bytes() == source.read_bytes()):
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, to)
        made = run(["cmake", "-S", self.copy, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1", "-DREBER_CUDA=OFF",
                    f"-DREBER_TEST_DATA={self.options.data}"], self.copy, 600)
        return made.returncode == 0 and self.compile() and self.tests().returncode == 0

    def compile(self):
        return run(["cmake", "--build", self.build, "-j", str(self.options.jobs)], self.copy, 7200).returncode == 0

    def tests(self):
        return run(["ctest", "-j", str(self.options.jobs), "--stop-on-failure", "-L", self.options.labels, "-E",
                    "^docs$|^mutations"], self.build, 1800)

    def plant(self, fault):
        path, old, new = fault
        whole = (self.copy / path).read_text(encoding="utf-8")
        (self.copy / path).write_text(whole.replace(old, new, 1), encoding="utf-8")
        try:
            if not self.compile():
                return "does not compile"
            done = self.tests()
            return "" if done.returncode == 0 else "found by " + first_failure(done.stdout)
        finally:
            (self.copy / path).write_text(whole, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=lambda text: Path(text).resolve())
    parser.add_argument("build", type=lambda text: Path(text).resolve(), nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--labels", default="unit|conformance|golden")
    parser.add_argument("--data", default="")
    options = parser.parse_args()
    if options.check or not options.build:
        return check(options.root)
    trial = Trial(options)
    if not trial.prepare():
        print("the tree as it is does not build or fails its tests")
        return 2
    chosen = [int(word) for word in options.only.split(",")] if options.only else range(len(FAULTS))
    found = 0
    for number in chosen:
        start, fault = time.monotonic(), FAULTS[number]
        said = trial.plant(fault)
        found += bool(said)
        print(f"{number:3} {said or 'NOT NOTICED'}: {fault[0]}: {fault[1]}  ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{found} of {len(chosen)} found")
    return 0 if found >= 0.95 * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
