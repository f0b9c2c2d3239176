#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Gaussian fits add to `find` on a card, and who solves them: 150 seconds on 16 cores and an H200.

usage: fits.py --reber BIN [--before BIN] [--backend cuda|cpu] [--seconds 150] [--repeats 5] [--folder DIR] [--largest 18000]

Per sky: the run of `find --fit none`, of `find`, and its stage of fits, by the program's own report; medians in ms, the ways
interleaved. `card` is the same program with REBER_CUDA_FITS=card (no fit on the host's threads), `before` another program. Every
way's catalogue is compared with that of the cpu backend, byte for byte. Then the stage in a process that is warm (the fifth of a
batch of five, by its report), and 100 000 fits alone. Exit status 1 where a command failed or catalogues differ.
"""
import argparse
import filecmp
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Side and sources put in: those of bench/programs.py at 2048, more and fewer.
SKIES = ((2048, 40), (2048, 400), (2048, 4000), (4096, 1600), (16384, 2560))


class Fits:
    def __init__(self, options, folder):
        self.options, self.folder, self.failed, self.begun = options, Path(folder), False, time.perf_counter()

    def left(self):
        return self.options.seconds - (time.perf_counter() - self.begun)

    def call(self, program, *arguments, **environment):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})
        if done.returncode != 0:
            self.failed = True
            print(f"failed ({done.returncode}): {program} {' '.join(map(str, arguments))}\n{done.stderr[-500:]}", flush=True)
        return done

    def sky(self, size, sources):
        path = self.folder / f"{size}_{sources}.fits"
        begin = time.perf_counter()
        self.call(self.options.reber, "simulate", path, "--size", size, "--sources", sources, "--seed", 5, "--quiet")
        return path, time.perf_counter() - begin

    def ways(self):
        ways = {"no fits": (self.options.reber, ["--fit", "none"], {}), "fits": (self.options.reber, [], {}),
                "card": (self.options.reber, [], {"REBER_CUDA_FITS": "card"})}
        if self.options.before:
            ways["before"] = (self.options.before, [], {})
            ways["before, no fits"] = (self.options.before, ["--fit", "none"], {})
        return ways

    def find(self, sky, program, chosen, environment, backend, catalogue):
        """Milliseconds of the run and of its stage of fits; None where it failed."""
        report = self.folder / "report.json"
        done = self.call(program, "find", sky, "-o", catalogue, "--json", report, "--backend", backend, "--overwrite", "--quiet",
                         *chosen, **environment)
        if done.returncode != 0:
            return None
        document = json.loads(report.read_text())
        return document["wall_ms"], sum(stage["wall_ms"] for stage in document["stages"] if stage["name"].startswith("fit"))

    def measure(self, size, sources):
        sky, seconds = self.sky(size, sources)
        if self.failed:
            return
        truth = self.folder / "cpu.csv"
        self.find(sky, self.options.reber, [], {}, "cpu", truth)
        rows = max(sum(1 for _ in truth.open()) - 1, 0)
        times = {name: [] for name in self.ways()}
        same = True
        for _ in range(self.options.repeats):
            for name, (program, chosen, environment) in self.ways().items():
                catalogue = self.folder / f"{name.replace(' ', '_')}.csv"
                got = self.find(sky, program, chosen, environment, self.options.backend, catalogue)
                if got is None:
                    return
                times[name].append(got)
                if not chosen:
                    same = same and filecmp.cmp(truth, catalogue, shallow=False)
        self.failed = self.failed or not same
        run = {name: statistics.median(one[0] for one in of) for name, of in times.items()}
        stage = {name: statistics.median(one[1] for one in of) for name, of in times.items()}
        added = {"fits": run["fits"] - run["no fits"], "card": run["card"] - run["no fits"]}
        if "before" in run:
            added["before"] = run["before"] - run["before, no fits"]
        print(f"{size} x {size}, {sources} put in, {rows} rows (simulated in {seconds:.1f} s): no fits {run['no fits']:.1f}; "
              + "; ".join(f"{name} +{ms:.1f} (stage {stage[name]:.1f})" for name, ms in added.items())
              + ("; catalogues of cpu and cuda: the same file" if same else "; CATALOGUES DIFFER"), flush=True)

    def warm(self):
        """The stage of fits in a process that has fitted before."""
        sky, out = self.folder / "2048_400.fits", self.folder / "batch"
        names = self.folder / "list"
        names.mkdir(exist_ok=True)
        for i in range(5):
            os.link(sky, names / f"image_{i}.fits")
        reports = self.folder / "batch.json"
        done = self.call(self.options.reber, "run", str(names / "*.fits"), "-o", out, "--products", "csv", "--lanes", 1, "--backend",
                         self.options.backend, "--json", reports, "--quiet")
        if done.returncode == 0:
            stages = json.loads(reports.read_text())[-1]["stages"]
            print("warm, 2048 x 2048, 400 put in: " + ", ".join(f"{one['name']} {one['wall_ms']:.1f}" for one in stages), flush=True)

    def alone(self):
        """100 000 fits of one batch."""
        target = self.folder / "bench.json"
        for name, environment in (("shared with the host", {}), ("by the card", {"REBER_CUDA_FITS": "card"})):
            done = self.call(self.options.reber, "bench", "--size", 8192, "--only", "100000 Gaussians", "--backend", self.options.backend,
                             "--json", target, "--overwrite", **environment)
            if done.returncode != 0:
                return
            for row in json.loads(target.read_text())["rows"]:
                if row["operation"] == "fit 100000 Gaussians":
                    print(f"{row['operation']} {name}: {row['ms']:.1f} ms, wall {row['wall_ms']['median']:.1f} ms, first "
                          f"{row['first_ms']:.1f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--before")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder")
    parser.add_argument("--largest", type=int, default=18000, help="side of the last sky, 17 000 sources; 0: none")
    options = parser.parse_args()
    if b"REBER_CUDA_FITS" not in Path(options.reber).read_bytes():
        parser.error(f"{options.reber} does not read REBER_CUDA_FITS: build it with -DREBER_TEST_HOOKS=ON")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        fits = Fits(options, folder)
        for size, sources in SKIES:
            if fits.left() > 15:
                fits.measure(size, sources)
            else:
                print(f"{size} x {size}, {sources} put in: no time was left")
        if (fits.folder / "2048_400.fits").exists():
            fits.warm()
        if fits.left() > 15:
            fits.alone()
        if options.largest and fits.left() > 45:
            options.repeats = min(options.repeats, 2)
            fits.measure(options.largest, 17000)
    return 1 if fits.failed else 0


if __name__ == "__main__":
    sys.exit(main())
