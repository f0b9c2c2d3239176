#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of a page from a document of `reber bench --json` or of peers.py.

usage: table.py BENCH.json [--into PAGE.md...]
With --into the table takes the place of what stands between the lines <!-- bench --> and <!-- /bench --> of each page.
Beside it stand, for the card and the size that the document is of, the aims in targets.json, and for rows that miss theirs or
stay below 75 % of their floor what bounds them: bounds.json, which counters.py writes.
"""
import argparse
import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REACHED = 0.75  # rows below this are explained
PARTS = {"clip": "clip to convergence", "mesh": "mesh 64 px", "label": "label 8, 5 sigma", "measure": "measure"}
STALE = 1.15  # times as long or as short as when the counters were read: said beside them
MARKS = re.compile(r"(<!-- bench -->\n).*?(<!-- /bench -->)", re.DOTALL)


def number(value):
    """Three digits that matter, at most three decimals."""
    if value < 1:
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def time_of(row):
    """The device's time; with the wall clock where the host takes a part of it that counts."""
    wall = row["wall_ms"]["median"]
    return number(row["ms"]) + (f" (wall {number(wall)})" if wall > 1.2 * row["ms"] else "")


def rate(row):
    if "tflop_s" in row:
        return f"{number(row['tflop_s'])} TFLOP/s"
    return f"{row['gb_s']:.0f} GB/s" if row["gb_s"] >= 10 else f"{number(row['gb_s'])} GB/s"


def peer(row, name):
    """ "31.5 (13x)"; ~ for what was estimated and not run, ! where the result is another one."""
    found = row.get("peers", {}).get(name)
    if found is None:
        return "-"
    if "error" in found:
        return "fails"
    if "ms" not in found:
        return f"~{number(found['estimate_ms'])}"
    return f"{number(found['ms'])} ({number(found['ratio'])}x)" + ("" if found["agrees"] else " !")


def limits(backend):
    rates = backend["limits"]
    text = f"{backend['device']}: copy {rates['copy_gb_s']:.0f} GB/s, read {rates['read_gb_s']:.0f} GB/s, "
    text += f"multiply-add {number(rates['fma_tflop_s'])} TFLOP/s"
    return text + (f"; {backend['threads']} threads" if "threads" in backend else "")


def card_of(backend):
    return backend["device"].split(" (")[0]


def of_card(name, backend):
    """What bench/NAME.json holds for the backend's card."""
    with open(FOLDER / f"{name}.json", encoding="utf-8") as file:
        return json.load(file).get(card_of(backend), {})


def targets_of(document, backend):
    return of_card("targets", backend).get(str(document["size"]), {})


def missed(row, targets):
    return row["ms"] > targets.get(row["operation"], float("inf"))


def target_of(row, targets):
    aim = targets.get(row["operation"])
    return "-" if aim is None else f"{aim:g}" + (" missed" if missed(row, targets) else "")


def bound_of(row, rows, bounds):
    """Why a row is far above its floor: the counters of its kernels, or for a chain the times of its parts."""
    name = row["operation"]
    if name in bounds:
        found = bounds[name]
        stale = not 1 / STALE < found["ms"] / row["ms"] < STALE
        return found["bound"] + (f" (counters of a run of {number(found['ms'])} ms)" if stale else "")
    times = {one["operation"]: one["ms"] for one in rows}
    parts = [PARTS.get(part) for part in name.split(" + ")]
    if len(parts) > 1 and all(part in times for part in parts):
        rest = row["ms"] - sum(times[part] for part in parts)
        return "; ".join(f"{part} {number(times[part])}" for part in parts) + f"; the rest {rest:.2f} ms"
    return "no counters read: `bench/counters.py`"


def reasons(document, backend):
    """The rows below REACHED or above their aim, and what bounds them."""
    bounds, targets = of_card("bounds", backend), targets_of(document, backend)
    rows = [row for row in document["rows"] if row["backend"] == backend["name"] and "ms" in row]
    short = [row for row in rows if row["reached"] < REACHED or missed(row, targets)]
    if not bounds or not short:
        return []
    lines = [["below 75 % or above the target", "reached", "what bounds it, by the profiler's counters"], ["---", "---:", "---"]]
    lines += [[row["operation"], f"{100 * row['reached']:.0f} %", bound_of(row, rows, bounds)] for row in short]
    return [""] + ["| " + " | ".join(line) + " |" for line in lines]


def table(document, backend):
    peers = document.get("peers", {})
    names = [name for name, one in peers.items() if one["compared_with"] == backend["name"]]
    rows = [row for row in document["rows"] if row["backend"] == backend["name"] and "ms" in row]
    with_cpu = any("cpu_ms" in row for row in rows)
    targets = targets_of(document, backend)
    head = ["operation", "ms"] + (["target"] if targets else []) + ["floor", "reached", "rate"]
    head += (["CPU", "agreement"] if with_cpu else []) + names
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for row in rows:
        cells = [row["operation"], time_of(row)] + ([target_of(row, targets)] if targets else [])
        cells += [f"{number(row['floor_ms'])} {row['floor_by']}", f"{100 * row['reached']:.0f} %", rate(row)]
        if with_cpu:
            cells += [number(row["cpu_ms"]) if "cpu_ms" in row else "-", row.get("agreement", "-")]
        lines.append(cells + [peer(row, name) for name in names])
    return ["| " + " | ".join(line) + " |" for line in lines]


def markdown(document):
    text = [f"{document['size']} x {document['size']} pixels, {document['program']}, `--suite {document['suite']}`. "
            + "; ".join(limits(b) for b in document["backends"] if b["name"] != "reference") + "."]
    peers = document.get("peers", {})
    if peers:
        text.append("Beside it, wall clock, in the same run: " + "; ".join(p["version"] for p in peers.values()) + ".")
    for index, backend in enumerate(document["backends"]):
        compared = any(one["compared_with"] == backend["name"] for one in peers.values())
        if index == 0 or compared:
            text += ["", f"*{backend['name']}*", ""] + table(document, backend) + reasons(document, backend)
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", help="document of reber bench --json or of peers.py --json")
    parser.add_argument("--into", nargs="+", default=[], metavar="PAGE", help="pages with <!-- bench --> marks")
    options = parser.parse_args()
    with open(options.bench, encoding="utf-8") as file:
        text = markdown(json.load(file))
    if not options.into:
        print(text, end="")
    for page in options.into:
        with open(page, encoding="utf-8") as file:
            old = file.read()
        if not MARKS.search(old):
            sys.exit(f"{page}: no lines <!-- bench --> and <!-- /bench -->")
        with open(page, "w", encoding="utf-8") as file:
            file.write(MARKS.sub(lambda marks: marks.group(1) + text + marks.group(2), old))
    return 0


if __name__ == "__main__":
    sys.exit(main())
