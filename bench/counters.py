#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bounds each row of `reber bench` on a card: hardware counters of its kernels, by NVIDIA's profiler ncu.

usage: counters.py [--rows PROGRAM] [--size 16384] [--only EXPRESSION] [--into bench/bounds.json] [ROW...]
Without names: the rows of the quick suite (those that the regular expression finds), but `load`, which is the bus:
more than a minute on an H200, since ncu repeats each kernel with its memory restored. The rows are timed, then run once under
ncu (`--clock-control none`), some at a time. Printed: for each kernel its share of the row's time, how busy issue
slots, multiply-adders, memory and shared memory were, warps, and what its warps waited for most; and the sentence
that bench/table.py puts beside rows that stay far above their floor. --into adds them to that file, under the card's
name. ncu must be allowed to read counters (root, or the driver's NVreg_RestrictProfilingToAdminUsers=0).
"""
import argparse
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from table import number
from tune import columns, run_rows

SOURCE = Path(__file__).resolve().parent.parent
# The backend's NVTX ranges whose kernels are counted; MARK stands between two rows.
RANGES = ("statistics", "clip", "mesh", "label", "measure", "fit", "convolve", "convolve each", "snr")
MARK = "render"
# Parts of what the hardware can do, in percent.
BUSY = {
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
    "fma": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "fp64": "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_elapsed",
}
TIME = "gpu__time_duration.sum"
LATENCY = "smsp__average_warp_latency_per_inst_issued.ratio"  # cycles from one instruction of a warp to its next
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = {
    "long_scoreboard": "loads from memory", "short_scoreboard": "loads from shared memory", "barrier": "barriers",
    "wait": "fixed latencies", "math_pipe_throttle": "a busy pipe", "mio_throttle": "the shared memory's queue",
    "lg_throttle": "the memory's queue", "dispatch_stall": "dispatch", "no_instruction": "instructions to be fetched",
    "imc_miss": "the constant cache",
}
NAMES = {"issue": "issue slots", "fma": "multiply-adders", "fp64": "double-precision pipe", "dram": "memory",
         "L2": "L2 cache", "shared": "shared memory"}
FULL = 70  # percent from which something counts as the limit
TOGETHER = 6  # rows in one run of ncu: what it found is kept before the next
SECOND = 0.15  # of the row's time, from which the second kernel is named too
BETWEEN = 0.25  # of the row's time outside kernels, from which that is named


def kernel_of(line, units, metrics):
    """One line of ncu's table."""
    named = re.search(r"\b(k_\w+|Device\w+)", line["Kernel Name"])  # ours, CUB's
    kernel = {"kernel": named.group() if named else line["Kernel Name"].split("(")[0][:40]}
    for metric in metrics:
        text = line.get(metric, "").replace(",", "")
        kernel[metric] = float(text) if text not in ("", "n/a") else 0.0
    # ncu picks a unit that suits the value.
    unit = units[TIME].removesuffix("econd")
    kernel["ms"] = kernel[TIME] * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[unit]
    return kernel


def profile(options, rows):
    """{row: its kernels in order, as {metric: value}} of one run of the rows and of those that they start from."""
    metrics = [TIME, LATENCY, *BUSY.values(), *(STALL.format(name) for name in STALLS)]
    command = [options.ncu, "--clock-control", "none", "--nvtx"]
    for part in (*RANGES, MARK):
        command += ["--nvtx-include", f"reber {part}/"]
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as log:
        command += ["--metrics", ",".join(metrics), "--csv", "--page", "raw", "--log-file", log.name]
        command += [str(options.rows), "--once", "--size", str(options.size), *rows]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = log.read().splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None or done.returncode:
        told = [line for line in lines + done.stderr.splitlines() if "ERROR" in line or "WARNING" in line]
        sys.exit((told or [done.stderr or "ncu profiled no kernel"])[0])
    names = [json.loads(line)["row"] for line in done.stdout.splitlines() if line.startswith('{"row"')]
    table = list(csv.DictReader(io.StringIO("\n".join(lines[begin:]))))
    ranges = next(name for name in table[0] if "Push/Pop_Range" in name)
    pieces = []
    for line in table[1:]:
        if f":reber {MARK}:" in line[ranges]:
            pieces.append([])
        elif pieces:  # what comes before is the image being loaded
            pieces[-1].append(kernel_of(line, table[0], metrics))
    if len(pieces) != len(names):
        sys.exit(f"ncu saw {len(pieces)} rows where {len(names)} were run")
    return dict(zip(names, pieces))


def merged(kernels):
    """One entry a kernel's name: times added, the rest weighted by them; the longest first."""
    found = {}
    for one in kernels:
        entry = found.setdefault(one["kernel"], {"kernel": one["kernel"], "launches": 0, "ms": 0.0})
        entry["launches"] += 1
        entry["ms"] += one["ms"]
        for key, value in one.items():
            if isinstance(value, float) and key not in ("ms", TIME):
                entry[key] = entry.get(key, 0.0) + value * one["ms"]
    for entry in found.values():
        for key in entry:
            if "__" in key:
                entry[key] /= entry["ms"]
    return sorted(found.values(), key=lambda entry: -entry["ms"])


def stalls_of(kernel):
    """[(why, cycles)] that a warp waits for each instruction, the longest first."""
    waits = [(why, kernel[STALL.format(name)]) for name, why in STALLS.items()]
    return sorted(waits, key=lambda wait: -wait[1])


def busiest(kernel):
    return max(((name, kernel[BUSY[name]]) for name in NAMES), key=lambda entry: entry[1])


def reason(kernel):
    """What keeps one kernel from being faster, with the counters that say so."""
    name, percent = busiest(kernel)
    busy = f"{NAMES[name]} {percent:.0f} % busy"
    if name == "issue":
        busy += f", multiply-adders {kernel[BUSY['fma']]:.0f} %"
    if percent >= FULL:
        return busy
    why, cycles = stalls_of(kernel)[0]
    return (f"warps ({kernel[BUSY['warps']]:.0f} % of the most) wait for {why}, {cycles:.1f} of {kernel[LATENCY]:.1f} "
            f"cycles; {busy}")


def sentence(kernels, row_ms):
    """For the table: what bounds the row."""
    inside = sum(one["ms"] for one in kernels)
    parts = []
    if row_ms - inside > BETWEEN * row_ms:
        launches = sum(one["launches"] for one in kernels)
        parts.append(f"{100 * (1 - inside / row_ms):.0f} % outside its {launches} kernels (copies, the host)")
    first = kernels[0]
    if first["ms"] > 0.8 * inside:
        parts.append(reason(first))
    else:
        for one in [first] + [one for one in kernels[1:2] if one["ms"] > SECOND * row_ms]:
            parts.append(f"{one['kernel']} {100 * one['ms'] / row_ms:.0f} %: {reason(one)}")
    return "; ".join(parts)


def table_of(row, row_ms, kernels):
    lines = [[row, "launches", "ms", "% of row", *BUSY, "waits for, cycles an instruction"]]
    for one in kernels:
        waits = ", ".join(f"{why} {cycles:.1f}" for why, cycles in stalls_of(one)[:3])
        lines.append([one["kernel"], str(one["launches"]), f"{one['ms']:.3f}", f"{100 * one['ms'] / row_ms:.0f}",
                      *(f"{one[metric]:.0f}" for metric in BUSY.values()), waits])
    return columns(lines)


def report(row, row_ms, kernels, size):
    """Prints a row's table; its entry for bounds.json."""
    kernels = merged(kernels)
    text = sentence(kernels, row_ms)
    print(table_of(row, row_ms, kernels), f"{row}: {number(row_ms)} ms; {text}\n", sep="\n", flush=True)
    counters = [{"kernel": one["kernel"], "launches": one["launches"], "ms": round(one["ms"], 4),
                 **{name: round(one[metric], 1) for name, metric in BUSY.items()}} for one in kernels[:3]]
    return {"bound": text, "ms": round(row_ms, 4), "size": size, "kernels": counters}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", nargs="*", help="rows of reber bench; default: those of the quick suite")
    parser.add_argument("--rows", type=Path, default=SOURCE / "build/dev/bench/reber_bench_rows")
    parser.add_argument("--ncu", default="ncu", help="the profiler")
    parser.add_argument("--size", type=int, default=16384, help="pixels on a side")
    parser.add_argument("--only", default="", help="rows of the quick suite that match this regular expression")
    parser.add_argument("--into", type=Path, help="file of bounds to add to")
    options = parser.parse_args()
    options.rows = options.rows.resolve()
    return options


def main():
    options = parse()
    timed = run_rows(options.rows, ["--size", str(options.size), "--runs", "7"], options.row)
    if "error" in timed[-1]:
        sys.exit(timed[-1]["error"])
    card, times = timed[0]["device"].split(" (")[0], {one["row"]: one.get("ms") for one in timed[1:]}
    rows = options.row or [row for row in times if row != "load" and re.search(options.only, row)]
    document = json.loads(options.into.read_text(encoding="utf-8")) if options.into and options.into.exists() else {}
    failed = 0
    for i in range(0, len(rows), TOGETHER):
        profiled = profile(options, rows[i : i + TOGETHER])
        for row in rows[i : i + TOGETHER]:
            if times.get(row) and profiled.get(row):
                document.setdefault(card, {})[row] = report(row, times[row], profiled[row], options.size)
            else:
                print(f"{row}: no kernels", file=sys.stderr)
                failed = 1
        if options.into:
            options.into.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
