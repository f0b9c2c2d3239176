# SPDX-License-Identifier: BSD-3-Clause
"""What the README shows, made by someone who has the wheel alone: used by wheel_test.py, or by hand

    readme_alone.py README PYTHON REBER FOLDER KEPT     KEPT: a clone, whose sample image and picture are compared

The README is the text that an index of packages shows. FOLDER is new; nothing but PYTHON, REBER and the system's programs
is on the path. Needs NumPy and Pillow in the Python that runs it.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

SAMPLE = "sample_data/galactic_plane_150mhz.fits"


def pixels(path):
    """The pixels of a plain FITS image of floats: behind the block in which the header ends."""
    data = Path(path).read_bytes()
    end = next(at for at in range(0, len(data), 80) if data[at:at + 80].rstrip() == b"END")
    size = [int(re.search(rf"{key} += +(\d+)".encode(), data[:end])[1]) for key in ("NAXIS2", "NAXIS1")]
    start = (end // 2880 + 1) * 2880
    return np.frombuffer(data, ">f4", size[0] * size[1], start).reshape(size).astype(float)


def check_sky(made, kept):
    """Blanks are the same; pixels to 1e-5 of their value, or of the noise of 7 mJy where that is more. NaN fails."""
    one, two = pixels(made), pixels(kept)
    assert (np.isnan(one) == np.isnan(two)).all(), "other blanks"
    there = ~np.isnan(two)
    assert there.sum() > 900_000
    far = (abs(one - two) / np.maximum(abs(two), .007))[there].max()
    assert far <= 1e-5, f"the sample image differs by {far}"
    return far


def check_picture(made, kept):
    """The picture of a run is the README's, which is smaller and has fewer colours: .2 % of its pixels may have another.

    Ten of 171 ellipses at other places are .6 %, the whole picture moved by a pixel 3 %.
    """
    two = Image.open(kept).convert("RGB")
    one = Image.open(made).convert("RGB").resize(two.size, Image.Resampling.LANCZOS)
    share = (abs(np.asarray(one).astype(int) - np.asarray(two)).max(axis=-1) > 48).mean()
    assert share <= .002, f"{share:.2%} of the picture's pixels have another colour: docs/images/figures draws it anew"
    return share


def follow(text, python, reber, folder, kept):
    """Its commands in their order; every line of output that it shows is in the output."""
    (folder / "home").mkdir(parents=True)
    alone = {"PATH": f"{Path(reber).parent}:/usr/bin:/bin", "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}

    def run(*words):
        done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=alone)
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout + done.stderr

    (make,) = re.findall(r"^```\n(mkdir .*\nreber simulate (?:.*\n)+?)```", text, re.M)
    run("sh", "-ec", make)
    far = check_sky(folder / SAMPLE, kept / SAMPLE)
    shown, wrong = 0, []
    (block,) = re.findall(r"^## Three commands\n\n```\n(.*?)^```", text, re.M | re.S)
    for command, lines in re.findall(r"^\$ (reber .*)\n((?: .*\n|\n)*)", block, re.M):
        said = " ".join(run(*command.split()).split())
        for line in (" ".join(line.split()) for line in lines.splitlines()):
            if line not in ("", "..."):
                shown += 1
                wrong += [f"`{command}` does not say: {line}"] * (line not in said)
    assert not wrong, "\n".join(wrong)
    assert shown >= 15, shown
    (lines,) = re.findall(r"```python\n(import reber\n.*?)```", text, re.S)
    said = run(python, "-c", lines)
    assert int(re.match(r"(\d+) components", said)[1]) > 100, said
    run("reber", "run", SAMPLE, "-o", "results", "--quiet")
    share = check_picture(folder / "results/galactic_plane_150mhz.png", kept / "docs/images/galactic_plane.png")
    return f"{shown} lines of output as shown; the sample's pixels to {far:.1e}; {share:.2%} of the picture's have another colour"


if __name__ == "__main__":
    readme, python, reber, folder, kept = sys.argv[1:]
    print(follow(Path(readme).read_text(), os.path.abspath(python), os.path.abspath(reber), Path(folder).resolve(), Path(kept).resolve()))
