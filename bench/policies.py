# SPDX-License-Identifier: BSD-3-Clause
"""The compile-time policies that tune.py searches: where each row of a policy table stands, what its numbers are called,
which values are worth trying, and which row of `reber bench` shows the effect. A table that is added to a kernel needs an
entry here and nothing else."""
import itertools
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Policy:
    """One table. `line` is a regular expression whose one group holds the numbers; {key} is the row's key."""

    source: str
    line: str
    row: str  # of reber bench, "{key}" in it
    keys: tuple
    names: tuple
    choices: dict = field(default_factory=dict)  # a name's values
    rows: tuple = ()  # or whole rows, where the numbers hang together

    def candidates(self, now, every):
        """Rows to try: those that differ from the present one in a single number, or all combinations."""
        if self.rows:
            return [row for row in self.rows if row != now]
        if every:
            return [row for row in itertools.product(*(self.choices[name] for name in self.names)) if row != now]
        found = []
        for i, name in enumerate(self.names):
            found += [now[:i] + (value,) + now[i + 1 :] for value in self.choices[name] if value != now[i]]
        return found


POLICIES = {
    "direct_march": Policy(
        "kernels/cuda/direct_march.cu",
        r"struct MarchPolicy<{key}> : March<{key}, (\d+(?:, \d+)*)(?:, true)?>",
        "direct {key}x{key}",
        (3, 5, 7, 9),
        ("threads", "together", "batch", "stages", "blocks"),
        {"threads": (64, 128, 256), "together": (1, 2, 4), "batch": (4, 8), "stages": (2, 3), "blocks": (2, 3, 4, 6, 8)},
    ),
    "separable_march": Policy(
        "kernels/cuda/separable_march.cu",
        r"struct SeparablePolicy<{key}> : SeparableMarch<{key}, ([\d, ]+)>",
        "separable {key} taps",
        (17, 25, 33, 49, 65),
        ("warps", "columns", "together", "buffers", "blocks"),
        {"warps": (4, 8, 16), "columns": (1, 2, 4), "together": (4, 8, 16), "buffers": (1, 2), "blocks": (1, 2, 3, 4)},
    ),
    "mesh": Policy(
        "kernels/cuda/mesh_sift.cu",
        r"using UsualCells = SiftPolicy<(\d+(?:, \d+)*)>",
        "mesh {key} px",
        (64,),
        ("threads", "blocks"),
        {"threads": (64, 128, 256), "blocks": (2, 4, 6, 8, 9, 10)},
    ),
}
