# SPDX-License-Identifier: BSD-3-Clause
"""Runs docs/examples/ten_minutes.ipynb: notebook_test.py REBER SOURCE_FOLDER. Exit code 77 where Jupyter's nbclient and
kernel, matplotlib, pandas or astropy are not installed."""
import base64
import importlib.util
import os
import pathlib
import sys

MISSING = [name for name in ("nbclient", "ipykernel", "matplotlib", "pandas", "astropy", "numpy") if importlib.util.find_spec(name) is None]
try:
    import reber  # noqa: F401
except ImportError:
    MISSING.append("reber")
if MISSING:
    print("skipped:", ", ".join(MISSING), "not installed")
    sys.exit(77)

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

SOURCE = pathlib.Path(sys.argv[2])
LEAST_PICTURES, LEAST_BYTES = 4, 4000


def pictures(cell):
    """PNGs that a cell left, by themselves or within HTML."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            yield base64.b64decode(data["image/png"])
        for part in data.get("text/html", "").split("data:image/png;base64,")[1:]:
            yield base64.b64decode(part.split("'")[0].split('"')[0])


def main():
    notebook = nbformat.read(SOURCE / "docs/examples/ten_minutes.ipynb", 4)
    kept = [len(list(pictures(cell))) for cell in notebook.cells]
    os.environ["PYTHONPATH"] = os.pathsep.join(one for one in sys.path if one)
    NotebookClient(notebook, timeout=250, kernel_name="python3", resources={"metadata": {"path": str(SOURCE)}}).execute()
    drawn = [list(pictures(cell)) for cell in notebook.cells]
    assert [len(one) for one in drawn] == kept, "the page as it is stored has other pictures"
    every = [one for cell in drawn for one in cell]
    assert len(every) >= LEAST_PICTURES and all(len(one) > LEAST_BYTES for one in every), [len(one) for one in every]
    print(len(notebook.cells), "cells,", len(every), "pictures")


main()
