#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A simulated 4096 x 4096 sky with known truth: completeness and reliability of the whole program, mesh background, 5 sigma.
# Needs the simulator and the scorer beside the test data and Python with astropy and scipy; skipped (77) without them.
set -u
reber=$1
data=${REBER_TEST_DATA:-${3:-}}
[ -n "$data" ] || { echo "skipped: REBER_TEST_DATA is empty"; exit 77; }
tools=$data/../tools
[ -r "$tools/simulate_sky.py" ] || { echo "skipped: no $tools/simulate_sky.py"; exit 77; }
python3 -c 'import astropy, scipy' 2>/dev/null || { echo "skipped: python3 has no astropy and scipy"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 "$tools/simulate_sky.py" 4096 "$work" || exit 1
"$reber" find "$work/sky.fits" -o "$work/catalogue.csv" --background mesh --threshold 5 --quiet || exit 1
python3 "$tools/score_catalogue.py" "$work" "$work/catalogue.csv" --json "$work/score.json" > /dev/null || exit 1
python3 - "$work/score.json" <<'PY'
import json, sys
score = json.load(open(sys.argv[1]))
print(f"{score['n']} sources, completeness {score['completeness']:.4f}, reliability {score['reliability']:.4f}")
checks = {"completeness >= 0.92": score["completeness"] >= 0.92, "reliability >= 0.998": score["reliability"] >= 0.998}
for low in ("snr 10-20", "snr 20-inf"):
    bin_ = score[low]
    checks[f"{low}: total flux within 2 %"] = abs(bin_["total_ratio"] - 1) <= 0.02
    # The median of the fainter ones has an error of .4 %.
    checks[f"{low}: peak within 1.5 %"] = abs(bin_["peak_ratio"] - 1) <= 0.015
    for pull in ("pull_x", "pull_y"):
        checks[f"{low}: {pull} {bin_[pull]:.2f} in 0.85-1.15"] = 0.85 <= bin_[pull] <= 1.15
for text, ok in checks.items():
    print("ok  " if ok else "FAIL", text)
sys.exit(0 if all(checks.values()) else 1)
PY
