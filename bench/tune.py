#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Searches the policy tables for the card at hand: what `auto` chooses by, and the numbers that kernels are compiled with.

usage: tune.py auto [--rows PROGRAM] [--size 16384] [--json F]
       tune.py policy [NAME...] [--build FOLDER] [--key N,...] [--all] [--jobs N] [--json F]
       tune.py policy [NAME...] --build-only DIR ...      then, perhaps on another machine:   tune.py policy --run-only DIR
       tune.py list

list     the policies and their present rows.
auto     times direct, separable and FFT convolution over the sizes of kernels, by each variant too, beside the costs
         that the backend predicts. Shows what `--algorithm auto` takes, what it loses by that, and by which factor
         each table of costs is off. Needs no compiler.
policy   compiles copies of a kernel's source with other rows in its policy table (bench/policies.py), several at once and
         beside the build folder, runs each, checks its results against the cpu backend, and prints the times and the
         line to change where a row is faster than the present one by more than both spreads. --all: every combination
         of the choices, not only rows that differ in one number.
Both run `reber_bench_rows` (ninja reber_bench_rows), which needs neither the viewer nor the FITS library's friends: a folder
that --build-only made runs where only the driver is installed.
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
from pathlib import Path

from policies import POLICIES
from table import number

SOURCE = Path(__file__).resolve().parent.parent
DIRECT, TAPS = (3, 5, 7, 9, 11, 13, 15, 21, 31), (9, 17, 25, 33, 49, 65, 97, 129, 145, 257)
FFT = (5, 7, 9, 11, 13, 15, 21, 31, 45, 63, 101, 129, 257, 513, 1025)
# Where a cost that turns out wrong is to be changed.
COSTS = {
    "cuda": {
        "direct/march": "kernels/cuda/convolve/direct/direct_march.cu, kReached",
        "direct/tile": "kernels/cuda/convolve/direct/direct_tile.cu, kReached",
        "direct/plain": "kernels/cuda/convolve/direct/direct.cu, kLoopsPart and kLoopsSlower",
        "separable": "kernels/cuda/convolve/separable/separable.cu, kReached",
        "separable/ring": "kernels/cuda/convolve/separable/separable.cu, kReachedOfMarch",
        "separable/two_pass": "kernels/cuda/convolve/separable/separable_two_pass.cu, kFmaPart",
        "fft/tile": "kernels/cuda/convolve/fft/fft_tile.cu, kPolicies",
        "fft/lines": "kernels/cuda/convolve/fft/fft_lines.cu, make_policies",
        "fft/library": "kernels/cuda/convolve/fft/fft_library.cpp, quote_fft_library",
    },
    "cpu": {
        "direct": "kernels/cpu/convolve/direct.cpp, quote_direct",
        "separable": "kernels/cpu/convolve/separable.cpp, quote_separable",
        "fft": "kernels/cpu/convolve/fft.cpp, choose_tiling",
    },
}
REACHED = re.compile(r"constexpr ReachedPart kReached\[\] = \{(\{.*?\})\};", re.DOTALL)
CHECK = 1500  # pixels on a side of the image that results are compared on


def run_rows(program, arguments, rows, libraries=None):
    """The lines of reber_bench_rows; a row that fails ends the list, and its message is the last entry."""
    environment = dict(os.environ)
    if libraries:
        environment["LD_LIBRARY_PATH"] = f"{libraries}:{environment.get('LD_LIBRARY_PATH', '')}"
    done = subprocess.run([program, *arguments, *rows], capture_output=True, text=True, check=False, env=environment)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        lines.append({"error": (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[0]})
    return lines


def columns(lines):
    """A table, its columns aligned: the first to the left."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        f"{line[0]:<{widths[0]}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(line[1:], widths[1:]))
        for line in lines
    )


# ---- auto


def measure_auto(options):
    rows = [f"direct {n}x{n}" for n in DIRECT] + [f"separable {n} taps" for n in TAPS]
    rows += [f"fft {n}x{n}" for n in sorted({*FFT, *TAPS}) if n < options.size]
    arguments = ["--backend", options.backend, "--size", str(options.size), "--runs", str(options.runs), "--variants"]
    lines = run_rows(options.rows, arguments, rows)
    if "device" not in lines[0] or "error" in lines[-1]:
        sys.exit(f"{options.rows}: {lines[-1].get('error', 'no answer')}")
    return lines


def times_of(lines):
    """{algorithm or variant ("fft/lines"): {size of the kernel: line}}"""
    found = {}
    for line in lines[1:]:
        algorithm, size = line["row"].split()[:2]
        found.setdefault(algorithm, {})[int(size.split("x")[0])] = line
    return found


def cell(line):
    if line is None or "ms" not in line:
        return "-"
    return f"{number(line['ms'])} [{number(line['predicted_ms'])}]"


def choice_table(found, first, names, sizes):
    """One line a kernel size: times and predictions, what auto takes and what the fastest is."""
    lines = [[first, *names, "auto takes", "fastest", "lost"]]
    worst = 0
    for size in sizes:
        timed = {name: found[name][size] for name in names if "ms" in found.get(name, {}).get(size, {})}
        if not timed:
            continue
        taken = min(timed, key=lambda name: timed[name]["predicted_ms"])
        best = min(timed, key=lambda name: timed[name]["ms"])
        lost = timed[taken]["ms"] / timed[best]["ms"] - 1
        worst = max(worst, lost)
        cells = [cell(found.get(name, {}).get(size)) for name in names]
        lines.append([str(size), *cells, taken, best, f"{100 * lost:.0f} %" if lost > 0.005 else ""])
    return columns(lines) + f"\nmost that is lost: {100 * worst:.1f} %"


def factors(found, backend):
    """Measured over predicted, for each table of costs and each kind of tiles in it."""
    text = []
    for name, where in COSTS[backend].items():
        kinds = {}
        for size, line in sorted(found.get(name, {}).items()):
            if "ms" in line and line.get("predicted_ms"):
                tiles = re.search(r"tiles of (\d+ x \d+)", line.get("description", "")) if "fft/" in name else None
                kinds.setdefault(tiles.group(1) if tiles else "", []).append((size, line["ms"] / line["predicted_ms"]))
        for kind, ratios in kinds.items():
            values = " ".join(f"{size}: {ratio:.2f}" for size, ratio in ratios)
            text.append(f"  {where}{', tiles of ' + kind if kind else ''}\n    {values}")
            if where.endswith("kReached"):
                text += reached(where.split(",")[0], dict(ratios))
    return "\n".join(["measured / predicted, by the size of the kernel, and tables that would predict these times:"] + text)


def reached(source, ratios):
    """The table of the parts of the peak rate that a source holds, with what was measured here."""
    path = SOURCE / source
    match = REACHED.search(path.read_text(encoding="utf-8")) if path.exists() else None
    if match is None:
        return []
    rows = [(int(size), float(part)) for size, part in re.findall(r"\{(\d+), ([\d.]+)\}", match.group(1))]
    return ["    " + ", ".join(f"{{{size}, {part / ratios.get(size, 1):.3f}}}" for size, part in rows)]


def auto(options):
    lines = measure_auto(options)
    found = times_of(lines)
    text = [f"{lines[0]['device']}, {options.size} x {options.size} pixels: device ms, median of {options.runs} "
            "[predicted]", "", "Kernels that are no product of a row and a column:"]
    text += [choice_table(found, "side", ("direct", "fft"), sorted({*DIRECT, *FFT}))]
    text += ["", "Kernels that are:", choice_table(found, "taps", ("separable", "fft"), TAPS)]
    for algorithm, sizes in (("direct", DIRECT), ("separable", TAPS), ("fft", FFT)):
        variants = [name for name in found if name.startswith(algorithm + "/")]
        if len(variants) > 1:
            text += ["", f"Variants of {algorithm}:", choice_table(found, "side", variants, sizes)]
    print("\n".join([*text, "", factors(found, options.backend)]))
    save(options, lines)
    return 0


# ---- policy


def row_text(row):
    return ", ".join(str(value) for value in row)


def present_row(policy, text, key):
    """The numbers in the source and the match that holds them, group after group."""
    match = re.search(policy.pattern(key), text)
    if match is None:
        sys.exit(f"{policy.source}: nothing matches {policy.pattern(key)}; bench/policies.py is behind")
    return tuple(int(value) for group in match.groups() for value in group.split(",")), match


def changed(policy, text, rows):
    """The source with other rows. rows: {key: numbers}"""
    for key, row in rows.items():
        _, match = present_row(policy, text, key)
        groups, last = len(match.groups()), len(row)
        for group in range(groups, 0, -1):
            first = last - match.group(group).count(",") - 1 if groups > 1 else 0
            text = text[: match.start(group)] + row_text(row[first:last]) + text[match.end(group) :]
            last = first
    return text


def variants_of(name, options):
    """Number 0 is the present table; each other one changes the rows of all keys at once."""
    policy = POLICIES[name]
    text = (SOURCE / policy.source).read_text(encoding="utf-8")
    keys = [key for key in policy.keys if not options.key or key in options.key]
    now = {key: present_row(policy, text, key)[0] for key in keys}
    lists = {key: policy.candidates(key, now[key], options.all) for key in keys}
    count = max((len(rows) for rows in lists.values()), default=0)
    variants = [{"policy": name, "number": 0, "rows": now}]
    for i in range(count):
        rows = {key: rows[i] for key, rows in lists.items() if i < len(rows)}
        variants.append({"policy": name, "number": i + 1, "rows": rows})
    return variants


def compile_command(build, source):
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            if entry["file"].endswith("/" + source):
                return shlex.split(entry["command"])
    sys.exit(f"{build}: {source} is not in compile_commands.json")


def link_command(build):
    told = subprocess.run(["ninja", "-C", build, "-t", "commands", "bench/reber_bench_rows"], check=True, text=True,
                          capture_output=True).stdout
    return told.splitlines()[-1].removeprefix(": && ").removesuffix(" && :")


def compile_variant(variant, options):
    """Sets variant["program"], or variant["error"] where a row does not compile."""
    policy, build = POLICIES[variant["policy"]], options.build
    stem = f"{variant['policy']}-{variant['number']}"
    text = changed(policy, (SOURCE / policy.source).read_text(encoding="utf-8"), variant["rows"])
    # A changed header stands in a folder that is searched first.
    folder = options.folder / f"{stem}.include"
    place = folder / policy.source if policy.units else options.folder / f"{stem}{Path(policy.source).suffix}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    objects = []
    for unit in policy.units or (policy.source,):
        made = options.folder / f"{stem}-{Path(unit).stem}.o"
        command = compile_command(build, unit)
        command[command.index("-o") + 1] = str(made)
        if policy.units:
            command.insert(next(i for i, word in enumerate(command) if word.startswith("-I")), f"-I{folder}")
        else:
            command[command.index("-c") + 1] = str(place)
        objects.append(str(made))
        done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
        if done.returncode:
            break
    if done.returncode == 0:
        # In front of the libraries: the linker takes them in place of theirs.
        program = options.folder / stem
        link = link_command(build).replace(" -o bench/reber_bench_rows", f" {' '.join(objects)} -s -o {program}")
        done = subprocess.run(link, cwd=build, shell=True, capture_output=True, text=True, check=False)
        variant["program"] = stem
    if done.returncode:
        variant.pop("program", None)
        wrong = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
        variant["error"] = "does not compile: " + (wrong or ["?"])[0][-100:]
    for made in objects:
        Path(made).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    if not policy.units:
        place.unlink(missing_ok=True)
    print(f"  built {stem}" if "program" in variant else f"  {stem} {variant['error']}", file=sys.stderr, flush=True)
    return variant


def build_variants(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    # The variants are linked with the folder's objects, which must be of one age: else they crash or measure old code.
    subprocess.run(["ninja", "-C", options.build, "reber_bench_rows"], check=True, stdout=sys.stderr)
    variants = [one for name in options.names for one in variants_of(name, options)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        variants = list(pool.map(lambda one: compile_variant(one, options), variants))
    for one in variants:
        one["rows"] = {str(key): list(row) for key, row in one["rows"].items()}
    libraries = options.folder / "lib"
    libraries.mkdir(exist_ok=True)
    told = subprocess.run(["ldd", options.build / "bench/reber_bench_rows"], check=True, text=True, capture_output=True)
    for line in told.stdout.splitlines():
        path = line.split("=>")[-1].split("(")[0].strip()
        # glibc and the compiler's library are those of the machine that runs it.
        if path.startswith("/") and not re.search(r"/(ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so)", path):
            shutil.copy(path, libraries)
    (options.folder / "variants.json").write_text(json.dumps(variants, indent=1), encoding="utf-8")
    return variants


def run_variant(variant, options):
    """Adds variant["times"] = {key: line} and variant["agrees"] = {key: words}."""
    policy, program = POLICIES[variant["policy"]], str(options.folder / variant["program"])
    rows = {policy.row_of(key): key for key in variant["rows"]}
    libraries = options.folder / "lib"
    checked = run_rows(program, ["--check", str(CHECK)], rows, libraries)
    timed = run_rows(program, ["--size", str(options.size), "--runs", str(options.runs)], rows, libraries)
    variant["device"] = timed[0].get("device", "")
    variant["times"] = {rows[line["row"]]: line for line in timed if "row" in line}
    variant["agrees"] = {rows[line["row"]]: line for line in checked if "row" in line}
    wrong = [line["error"] for line in checked + timed if "error" in line]
    if wrong:
        variant["error"] = wrong[0]


def policy_report(name, variants, options):
    """The table of one policy, and the lines to change."""
    policy = POLICIES[name]
    device = next((one["device"] for one in variants if one.get("device")), "no card")
    text, patch = [f"{policy.source} on {device}, {options.size} x {options.size} pixels"], []
    for key in variants[0]["rows"]:
        found = []
        for one in variants:
            line, agrees = one.get("times", {}).get(key, {}), one.get("agrees", {}).get(key, {})
            if key in one["rows"]:
                right = line.get("ms") is not None and agrees.get("agrees", False)
                words = one.get("error") or agrees.get("agreement", "no result")
                found.append((line.get("ms") if right else None, line.get("spread", 0), one["rows"][key], words,
                              one["number"] == 0))
        now = next(one for one in found if one[4])
        found.sort(key=lambda one: (one[0] is None, one[0] or 0))
        lines = [["", "ms", "spread", ", ".join(policy.names), "agreement"]]
        for ms, spread, row, words, present in found:
            mark = "*" if ms is not None and ms == found[0][0] else ""
            lines.append([mark, number(ms) if ms else "-", f"{100 * spread:.1f} %", row_text(row),
                          words + (", the present row" if present else "")])
        text += ["", policy.row_of(key), columns(lines)]
        best = found[0]
        if best[0] and now[0] and best[0] < now[0] * (1 - max(0.01, best[1], now[1])):
            patch.append((key, best, now))
    source = (SOURCE / policy.source).read_text(encoding="utf-8") if (SOURCE / policy.source).exists() else ""
    for key, best, now in patch:
        match = re.search(policy.pattern(key), source)
        place = f"{policy.source}:{source.count(chr(10), 0, match.start()) + 1}" if match else policy.source
        text += ["", f"{place}: {100 * (1 - best[0] / now[0]):.1f} % less time with", f"-  {row_text(now[2])}",
                 f"+  {row_text(best[2])}"]
    return "\n".join(text + ([] if patch else ["", "The present rows stand."]))


def policy_search(options):
    if options.run_only:
        variants = json.loads((options.folder / "variants.json").read_text(encoding="utf-8"))
    else:
        variants = build_variants(options)
    if options.build_only:
        print(f"{sum('program' in one for one in variants)} programs in {options.folder}")
        return 0
    for one in variants:
        if "program" in one:
            run_variant(one, options)
    for name in dict.fromkeys(one["policy"] for one in variants):
        print(policy_report(name, [one for one in variants if one["policy"] == name], options), end="\n\n")
    save(options, variants)
    return 0


def save(options, document):
    if options.json:
        Path(options.json).write_text(json.dumps(document, indent=1), encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("auto", "policy", "list"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="policies; default: all")
    parser.add_argument("--build", type=Path, default=SOURCE / "build/dev", help="a build folder; default: build/dev")
    parser.add_argument("--rows", type=Path, help="reber_bench_rows; default: that of the build folder")
    parser.add_argument("--backend", default="cuda", choices=("cuda", "cpu"), help="auto: whose costs")
    parser.add_argument("--size", type=int, default=16384, help="pixels on a side")
    parser.add_argument("--runs", type=int, default=11, help="timed runs of each row")
    parser.add_argument("--key", type=lambda text: [int(n) for n in text.split(",")], help="only these rows of a table")
    parser.add_argument("--all", action="store_true", help="every combination of the choices")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="compilers at a time")
    parser.add_argument("--build-only", type=Path, metavar="DIR", help="leave the programs there and end")
    parser.add_argument("--run-only", type=Path, metavar="DIR", help="run the programs that are there")
    parser.add_argument("--json", help="all that was measured")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.rows = (options.rows or options.build / "bench/reber_bench_rows").resolve()
    options.names = options.names or list(POLICIES)
    unknown = set(options.names) - set(POLICIES)
    if unknown:
        parser.error(f"unknown policy {', '.join(sorted(unknown))}; known: {', '.join(POLICIES)}")
    options.folder = (options.build_only or options.run_only or options.build / "tune").resolve()
    return options


def main():
    options = parse()
    if options.what == "list":
        for name, policy in POLICIES.items():
            print(f"{name}: {policy.source}, of {', '.join(name or '...' for name in policy.names)}")
            text = (SOURCE / policy.source).read_text(encoding="utf-8")
            for key in policy.keys:
                print(f"  {policy.row_of(key):<26} {row_text(present_row(policy, text, key)[0])}")
        return 0
    return auto(options) if options.what == "auto" else policy_search(options)


if __name__ == "__main__":
    sys.exit(main())
