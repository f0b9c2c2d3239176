#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A sector as Rapthor filters it, timed: rapthor.py [--size 18000] [--sources 17000] [--threads 15] [--runs 3]

Simulates a sector and its flat-noise image, then makes the calls of LSMTool's filter_skymodel with Rapthor's settings on
reber.bdsf: search with three wavelets and adaptive boxes, catalogue of sources, both noise maps, island mask, sky models,
number of sources. The flat-noise image is searched for its noise alone. What was found is held against the truth.
PYTHONPATH names the package; CUDA_VISIBLE_DEVICES= (empty) hides the card from it. --keep FOLDER leaves the files there; images that are there are used again.
"""
import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import reber
from reber import bdsf

# filter_skymodel_image of Rapthor: thresholds of its later cycles, and LSMTool's defaults.
SETTINGS = {"mean_map": "zero", "rms_box": (150, 50), "thresh_pix": 5.0, "thresh_isl": 3.0, "thresh": "hard",
            "adaptive_rms_box": True, "adaptive_thresh": 75.0, "rms_box_bright": (35, 7), "rms_map": True, "quiet": True}


def simulate(program, folder, size, sources):
    """(true sky, flat noise, truth): the same sources; the noise of the first rises from its centre."""
    paths = [os.path.join(folder, name) for name in ("true_sky.fits", "flat_noise.fits", "truth.fits")]
    for path, rise, more in ((paths[0], "0.75", ["--truth", paths[2]]), (paths[1], "0", [])):
        if not os.path.exists(path):
            subprocess.run([program, "simulate", path, "--size", str(size), "--sources", str(sources), "--rms-rise", rise,
                            "--pixel", "1.5", "--beam", "6,6,0", "--brightest", "1", "--extended", str(sources // 100),
                            "--quiet", "--overwrite", *more], check=True)
    return paths


class Clock:
    def __init__(self):
        self.parts = {}

    @contextlib.contextmanager
    def part(self, name):
        begin = time.perf_counter()
        yield
        self.parts[name] = self.parts.get(name, 0) + time.perf_counter() - begin


def sector(true_sky, flat_noise, out, threads):
    """All files of one sector; (seconds of each part, number of sources). A part's time is the clock's."""
    clock = Clock()
    name = os.path.join(out, "sector.")
    with clock.part("search of the true sky"):
        found = bdsf.process_image(true_sky, atrous_do=True, atrous_jmax=3, ncores=threads, **SETTINGS)
    with clock.part("catalogue"):
        found.write_catalog(outfile=name + "source_catalog.fits", format="fits", catalog_type="srl", clobber=True,
                            force_output=True)
    with clock.part("noise of the true sky"):
        found.export_image(outfile=name + "true_sky_rms.fits", img_type="rms", clobber=True)
    with clock.part("mask"):
        found.export_image(outfile=name + "mask.fits", img_type="island_mask", clobber=True)
    with clock.part("sky models"):
        for model in ("true_sky.txt", "apparent_sky.txt"):
            found.write_catalog(outfile=name + model, format="bbs", bbs_patches="source", clobber=True)
    with clock.part("diagnostics"), open(name + "image_diagnostics.json", "w") as file:
        json.dump({"nsources": found.nsrc}, file)
    with clock.part("noise of the flat image"):
        flat = bdsf.process_image(flat_noise, stop_at="isl", ncores=threads, **SETTINGS)
        flat.export_image(outfile=name + "flat_noise_rms.fits", img_type="rms", clobber=True)
    return clock.parts, found.nsrc


def against_truth(out, truth):
    """What reber.match tells of the catalogue and the truth, within a beam."""
    pairs = reber.match(os.path.join(out, "sector.source_catalog.fits"), truth, radius=6)
    return {"matched": len(pairs.pairs), "not in the truth": len(pairs.only_a), "summary": pairs.summary}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--size", type=int, default=18000)
    options.add_argument("--sources", type=int, default=17000)
    options.add_argument("--threads", type=int, default=15)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--keep")
    options.add_argument("--json")
    options.add_argument("--reber", default=os.path.join(os.path.dirname(reber.__file__), "bin", "reber"))
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or temporary
        os.makedirs(folder, exist_ok=True)
        true_sky, flat_noise, truth = simulate(asked.reber, folder, asked.size, asked.sources)
        walls = []
        for run in range(asked.runs):
            begin, busy = time.perf_counter(), time.process_time()
            parts, sources = sector(true_sky, flat_noise, folder, asked.threads)
            walls.append(time.perf_counter() - begin)
            busy = time.process_time() - busy
            told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in parts.items())
            print(f"run {run}: {walls[-1]:.2f} s, {walls[-1] / asked.size**2 * 1e6:.4f} s per Mpixel, of all threads "
                  f"{busy:.2f} s, {sources} sources; {told}", flush=True)
        truth_told = against_truth(folder, truth)
        fluxes = truth_told["summary"]["total_flux_ratio"]
        print(f"against the truth: {truth_told['matched']} matched, {truth_told['not in the truth']} not in it; median ratio of "
              f"total fluxes {fluxes['median']:.4f}", flush=True)
        sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.startswith("sector.")}
        print("files:", json.dumps(sizes))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"most memory {most:.0f} MiB; best {min(walls):.2f} s, median {np.median(walls):.2f} s", flush=True)
        if asked.json:
            with open(asked.json, "w") as file:
                json.dump({"size": asked.size, "sources": sources, "seconds": walls, "parts": parts, "truth": truth_told}, file)
    sys.exit(0)


if __name__ == "__main__":
    main()
