#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of a page from a document of `reber bench --json` or of peers.py.

usage: table.py BENCH.json [--into PAGE.md...]
With --into the table takes the place of what stands between the lines <!-- bench --> and <!-- /bench --> of each page.
"""
import argparse
import json
import re
import sys

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


def table(document, backend):
    peers = document.get("peers", {})
    names = [name for name, one in peers.items() if one["compared_with"] == backend["name"]]
    rows = [row for row in document["rows"] if row["backend"] == backend["name"] and "ms" in row]
    with_cpu = any("cpu_ms" in row for row in rows)
    head = ["operation", "ms", "floor", "reached", "rate"] + (["CPU", "agreement"] if with_cpu else []) + names
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for row in rows:
        cells = [row["operation"], time_of(row), f"{number(row['floor_ms'])} {row['floor_by']}",
                 f"{100 * row['reached']:.0f} %", rate(row)]
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
            text += ["", f"*{backend['name']}*", ""] + table(document, backend)
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
