#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`reber find` of an image in a frame of blank pixels, its rows moved back: what a catalogue owes to where the mesh's cells fall.

usage: REBER=BIN REBER_FRAME=37 science.py --reber bench/framed.py ...      (other_sky.py and strange_sky.py likewise)
Other commands go to the program as they are. `find` takes a FITS image of floats, and one CSV after -o. Needs NumPy only.
"""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np

MOVED = ("Xposn", "Yposn", "X_max", "Y_max", "X_min", "Y_min")


def framed(path, out, width):
    with open(path, "rb") as file:
        data = file.read()
    cards, at = [], 0
    while not data[at : at + 80].startswith(b"END     "):
        cards.append(data[at : at + 80].decode())
        at += 80
    values = {card[:8].strip(): card[10:].split("/")[0].strip() for card in cards}
    shape = int(values["NAXIS2"]), int(values["NAXIS1"])
    kind = {"-32": ">f4", "-64": ">f8"}[values["BITPIX"]]
    image = np.frombuffer(data, kind, shape[0] * shape[1], (at // 2880 + 1) * 2880).reshape(shape)
    image = np.pad(image, width, constant_values=np.nan)
    new = {"NAXIS1": image.shape[1], "NAXIS2": image.shape[0], "CRPIX1": float(values["CRPIX1"]) + width,
           "CRPIX2": float(values["CRPIX2"]) + width}
    text = "".join(f"{card[:8]}= {new[card[:8].strip()]:>20}".ljust(80) if card[:8].strip() in new else card for card in cards)
    text += "END".ljust(80)
    with open(out, "wb") as file:
        file.write(text.ljust(-(-len(text) // 2880) * 2880).encode())
        pixels = image.tobytes()
        file.write(pixels + b"\0" * (-len(pixels) % 2880))


def move_back(path, width):
    with open(path, newline="") as file:
        lines = list(file)
    notes = [line for line in lines if line.startswith("#")]
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    for k in [rows[0].index(name) for name in MOVED if name in rows[0]]:
        for row in rows[1:]:
            row[k] = repr(float(row[k]) - width)
    with open(path, "w", newline="") as file:
        file.writelines(notes)
        csv.writer(file, lineterminator="\n").writerows(rows)


def main():
    program, width, arguments = os.environ["REBER"], int(os.environ.get("REBER_FRAME", "0")), sys.argv[1:]
    if arguments[:1] != ["find"] or width == 0:
        return subprocess.run([program, *arguments], check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, os.path.basename(arguments[1]))
        framed(arguments[1], image, width)
        done = subprocess.run([program, "find", image, *arguments[2:]], check=False)
    if done.returncode == 0:
        move_back(arguments[arguments.index("-o") + 1], width)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
