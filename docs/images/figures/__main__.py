# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures that explain the algorithms, from results of the program.

    python3 docs/images/figures --reber BIN [NAME ...]      writes docs/images/NAME.png; all without names

Needs NumPy, astropy, matplotlib and Pillow: pip install -r docs/images/figures/requirements.txt. The trace of a card is
h200_trace.json; `--trace FILE` makes it anew of a file that `reber find --trace` wrote.
"""
import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from astropy.io import fits

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import computing  # noqa: E402
import finding  # noqa: E402
import imaging  # noqa: E402
import measuring  # noqa: E402
import style  # noqa: E402

FIGURES = {"background": finding.background, "thresholds": finding.thresholds, "deblending": finding.deblending,
           "fit_ladder": finding.ladder, "forced": measuring.forced, "pulls": measuring.pulls,
           "common_beam": measuring.common_beam, "overlap": computing.overlap, "fft_tiles": computing.fft_tiles,
           "streaming": computing.streaming, "mosaic": imaging.mosaic, "moments": imaging.moments}


class Reber:
    """The program in a folder of its own, on the sample image."""

    sample = str(HERE.parents[2] / "sample_data/galactic_plane_150mhz.fits")
    beam_deg = 66 / 3600

    def __init__(self, program, folder):
        self.program, self.folder = str(Path(program).resolve()), Path(folder)

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"reber {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def find(self, image, *words):
        return self.run("find", image, "-o", "found.csv", "--overwrite", "--backend", "cpu", *words)

    def map(self, path):
        with fits.open(self.folder / path) as file:
            return next(np.squeeze(hdu.data).astype(float) for hdu in file if hdu.data is not None)

    def table(self, path="found.csv"):
        """Rows as dictionaries, numbers as floats."""
        def value(text):
            try:
                return float(text)
            except ValueError:
                return text
        lines = [line for line in (self.folder / path).read_text().splitlines() if not line.startswith("#")]
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--trace")
    parser.add_argument("names", nargs="*", choices=[[], *FIGURES, "galactic_plane"])
    asked = parser.parse_args()
    if asked.trace:
        computing.keep_trace(asked.trace, HERE / "h200_trace.json")
    for name in asked.names or [*FIGURES, "galactic_plane"]:
        with tempfile.TemporaryDirectory() as folder:
            reber = Reber(asked.reber, folder)
            if name == "galactic_plane":  # the README's: the picture of a run
                reber.run("run", reber.sample, "-o", "results")
                style.keep(Path(folder, "results/galactic_plane_150mhz.png"), HERE.parent / f"{name}.png")
            else:
                style.save(FIGURES[name](reber), HERE.parent / f"{name}.png", 105 if name in ("fft_tiles", "mosaic") else 140)
        print(f"docs/images/{name}.png  {(HERE.parent / f'{name}.png').stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
