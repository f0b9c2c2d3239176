# SPDX-License-Identifier: BSD-3-Clause
"""The compile-time policies that tune.py searches: where each row of a policy table stands, what its numbers are called,
which values are worth trying, and which row of `reber bench` shows the effect. A table that is added to a kernel needs an
entry here and nothing else. Values that do not compile (a static_assert, too much shared memory) are reported as such."""
import itertools
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Policy:
    """One table. `line` is a regular expression whose groups hold the numbers; {key} is the row's key."""

    source: str
    line: str
    row: object  # of reber bench, "{key}" in it; or {key: row} where one is not named after the other
    keys: tuple
    names: tuple
    choices: dict = field(default_factory=dict)  # a name's values
    rows: object = ()  # or whole rows, where the numbers hang together; {key: rows} where they differ
    units: tuple = ()  # what is compiled where the source is a header; else the source

    def pattern(self, key):
        return self.line.replace("{key}", str(key))

    def row_of(self, key):
        """A key may have become text on its way through a file."""
        if isinstance(self.row, dict):
            return next(row for one, row in self.row.items() if str(one) == str(key))
        return self.row.format(key=key)

    def candidates(self, key, now, every):
        """Rows to try: those that differ from the present one in a single number, or all combinations."""
        whole = self.rows.get(key, ()) if isinstance(self.rows, dict) else self.rows
        if self.rows:
            return [row for row in whole if row != now]
        if every:
            return [row for row in itertools.product(*(self.choices[name] for name in self.names)) if row != now]
        found = []
        for i, name in enumerate(self.names):
            found += [now[:i] + (value,) + now[i + 1 :] for value in self.choices[name] if value != now[i]]
        return found


POLICIES = {
    "direct_march": Policy(
        "kernels/cuda/convolve/direct/direct_march.cu",
        r"struct MarchPolicy<{key}> : March<{key}, (\d+(?:, \d+)*)(?:, true)?>",
        "direct {key}x{key}",
        (3, 5, 7, 9),
        ("threads", "together", "batch", "stages", "blocks"),
        {"threads": (64, 128, 256), "together": (1, 2, 4), "batch": (4, 8, 12), "stages": (2, 3),
         "blocks": (2, 3, 4, 6, 8)},
    ),
    "separable_march": Policy(
        "kernels/cuda/convolve/separable/separable_march.cu",
        r"struct SeparablePolicy<{key}> : SeparableMarch<{key}, ([\d, ]+)>",
        "separable {key} taps",
        (17, 25, 33, 49, 65),
        ("warps", "columns", "together", "buffers", "blocks"),
        # Of a batch's 16 / columns rows, as many together as registers allow; 12 or 16 warps a multiprocessor.
        rows=tuple((warps, *shape, buffers, blocks)
                   for shape in ((1, 8), (1, 16), (2, 8), (4, 4))
                   for buffers in (1, 2)
                   for warps, blocks in ((4, 3), (4, 4), (8, 2), (16, 1))),
    ),
    "mesh": Policy(
        "kernels/cuda/mesh/mesh_sift.cu",
        r"constexpr auto kDivideUsual = k_divide_cells<kUsualThreads, (\d+)>",
        "mesh {key} px",
        (64,),
        ("blocks",),
        {"blocks": (6, 8, 9, 10, 11, 12)},
    ),
    "fit": Policy(
        "kernels/cuda/fit/fit.cpp",
        r"constexpr Step kSteps\[\] = \{\{1024, (\d+)\}, +\{1536, (\d+)\}, +\{2048, (\d+)\}, +\{3072, (\d+)\},",
        "fit 100000 Gaussians",
        (0,),
        ("threads to 1024 doubles", "to 1536", "to 2048", "to 3072"),
        rows=((32, 64, 64, 64), (32, 32, 64, 64), (32, 32, 32, 64), (64, 64, 64, 128), (96, 96, 96, 96)),
    ),
    "fft_rows": Policy(
        "kernels/cuda/convolve/fft/fft_lines.cu",
        r"using Rows{key} = fft::Line<([\d, ]+)>",
        {512: "fft/lines 31x31", 1024: "fft/lines 101x101", 2048: "fft/lines 513x513", 4096: "fft/lines 1025x1025"},
        (1024, 2048, 4096),
        ("radices", "", "", "threads a row"),
        rows={1024: ((32, 32, 1, 32), (16, 8, 8, 64), (8, 8, 16, 128)),
              2048: ((32, 8, 8, 64), (16, 16, 8, 256)),
              4096: ((32, 16, 8, 128), (16, 16, 16, 512))},
    ),
    "fft_columns": Policy(
        "kernels/cuda/convolve/fft/fft_lines.cu",
        r"using Columns{key} = fft::Line<([\d, ]+)>",
        {512: "fft/lines 31x31", 1024: "fft/lines 101x101", 2048: "fft/lines 513x513", 4096: "fft/lines 1025x1025"},
        (1024, 2048, 4096),
        ("radices", "", "", "threads a column", "columns beside", "blocks"),
        rows={1024: ((32, 32, 1, 32, 16, 1), (32, 32, 1, 32, 4, 4), (32, 32, 1, 32, 8, 1)),
              2048: ((32, 8, 8, 64, 4, 2), (16, 16, 8, 128, 4, 1), (32, 8, 8, 64, 8, 2)),
              4096: ((16, 16, 16, 256, 4, 1), (32, 16, 8, 128, 2, 2))},
    ),
    "fft_tile": Policy(
        "kernels/cuda/convolve/fft/fft_tile.cu",
        r"fft::TileShape<{key}, (\d+, \d+, \d+)>",
        {"16, 4, 8": "fft/tile 15x15", "32, 4, 8": "fft/tile 31x31"},
        ("16, 4, 8", "32, 4, 8"),
        ("last radix", "threads", "blocks"),
        rows=((16, 128, 4), (16, 128, 3), (16, 256, 1), (16, 256, 2), (16, 256, 3), (16, 512, 1), (16, 512, 2)),
    ),
    "direct_tile": Policy(
        "kernels/cuda/convolve/direct/direct_tile.cu",
        r"warps = (\d+), columns = 8, rows = (\d+), .*\n.*blocks = Side <= 15 \? (\d+) :",
        "direct {key}x{key}",
        (15,),
        ("warps", "rows", "blocks"),
        {"warps": (4, 8), "rows": (2, 4, 6, 8), "blocks": (2, 3, 4)},
    ),
    "direct_tile_large": Policy(
        "kernels/cuda/convolve/direct/direct_tile.cu",
        r"warps = (\d+), columns = 8, rows = (\d+), .*\n.*blocks = Side <= 15 \? \d+ : (\d+);",
        "direct {key}x{key}",
        (31,),
        ("warps", "rows", "blocks"),
        {"warps": (4, 8), "rows": (2, 4, 6), "blocks": (1, 2, 3)},
    ),
    "direct_any": Policy(
        "kernels/cuda/convolve/direct/direct.cu",
        r"constexpr int kLanes = 32, kWarps = (\d+), kCols = 8, kRows = (\d+);",
        "direct/plain {key}x{key}",
        (33,),
        ("warps", "rows"),
        {"warps": (4, 8, 16), "rows": (2, 4, 6)},
    ),
    "separable_ring": Policy(
        "kernels/cuda/convolve/separable/separable_ring.cuh",
        r"constexpr int kMaxWarps = (\d+), kWarpsPerSm = (\d+);",
        "separable/ring {key} taps",
        (65, 129),
        ("warps a block", "warps a multiprocessor"),
        rows=((8, 16), (12, 12), (16, 32), (20, 20), (8, 24), (12, 24)),
        units=("kernels/cuda/convolve/separable/separable.cu",),
    ),
    "label_tile": Policy(
        "kernels/cuda/islands/label_work.cuh",
        r"inline constexpr int kTileRows = (\d+);\n(?:.*\n)?inline constexpr int kAtOnce = (\d+);",
        {"dense": "label 8, 0 sigma (dense)", "sparse": "label 8, 5 sigma"},
        ("dense", "sparse"),
        ("rows of a tile", "loads under way"),
        rows=((8, 8), (32, 8), (16, 4), (16, 16)),
        units=("kernels/cuda/islands/label.cu", "kernels/cuda/islands/island_runs.cu"),
    ),
    "mean_and_std": Policy(
        "kernels/cuda/statistics/moments.cu",
        r"constexpr int kBlocksEach = (\d+);.*\nconstexpr int kPiece = (\d+);",
        {"all": "mean and std"},
        ("all",),
        ("blocks", "pixels of a warp"),
        {"blocks": (4, 6, 8, 12), "pixels of a warp": (256, 512, 1024)},
    ),
    "sift": Policy(
        "kernels/cuda/statistics/sift.cu",
        r"constexpr int kThreads = (\d+);\n(?:.*\n)constexpr int kPiece = (\d+);.*\nconstexpr int kRoom = (\d+);",
        {"all": "clip to convergence"},
        ("all",),
        ("threads", "pixels of a warp", "keys collected"),
        {"threads": (128, 256, 512), "pixels of a warp": (256, 512, 1024), "keys collected": (256, 512, 1024)},
    ),
    "snr_map": Policy(
        "kernels/cuda/maps/render.cu",
        r"constexpr int kRows = (\d+);\nconstexpr int kTogether = (\d+);\nconstexpr int kBlocks = (\d+);",
        {"all": "mesh + S/N map"},
        ("all",),
        ("rows", "rows together", "blocks"),
        {"rows": (8, 16, 32), "rows together": (2, 4, 8), "blocks": (3, 4, 5)},
    ),
}
