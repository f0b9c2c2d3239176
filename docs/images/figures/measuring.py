# SPDX-License-Identifier: BSD-3-Clause
"""Figures of measuring: forced photometry, pulls, the common beam."""
import json

import matplotlib.pyplot as plt
import numpy as np
from style import AMBER, BLUE, CORAL, FAINT, GREEN, INK, VIOLET, bare, ellipse_points, show

NOISE_UJY = 20


def forced(reber):
    """Fluxes at places that are known, below the noise as well."""
    reber.run("simulate", "field.fits", "--size", 1024, "--sources", 900, "--extended", 0, "--seed", 3, "--rms-rise", 0,
              "--truth", "truth.csv", "--rms", NOISE_UJY, "-q")
    reber.run("measure", "field.fits", "--at", "truth.csv", "-o", "forced.csv", "--backend", "cpu", "-q")
    truth, rows = reber.table("truth.csv"), reber.table("forced.csv")
    true = np.array([one["Total_flux"] for one in truth]) * 1e6
    flux = np.array([one["Total_flux"] for one in rows]) * 1e6
    error = np.array([one["E_Total_flux"] for one in rows]) * 1e6
    clean = np.array([one["Flag"] for one in rows]) .astype(int) & (1 | 2 | 256 | 512) == 0
    limited = flux < 3 * error
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), width_ratios=(1, 1.35))
    image = reber.map("field.fits") * 1e6
    x0, y0, side = 300, 420, 150
    show(left, image[y0:y0 + side, x0:x0 + side], -50, 200, extent=(x0, x0 + side, y0, y0 + side))
    for one, faint in zip(truth, limited):
        if x0 + 5 < one["x"] < x0 + side - 5 and y0 + 5 < one["y"] < y0 + side - 5:
            left.plot(one["x"], one["y"], "o", ms=13, mfc="none", mec=CORAL if faint else GREEN, mew=1.2)
    left.set_title("Places from a list, held")
    left.text(0, -.04, "green: measured     coral: upper limit", transform=left.transAxes, color=FAINT, fontsize=8.5, va="top")
    for chosen, colour, label in ((clean & ~limited, GREEN, "above 3 errors"), (clean & limited, CORAL, "below: has an upper limit too")):
        right.errorbar(true[chosen], flux[chosen], yerr=error[chosen], fmt="o", ms=2.6, color=colour, elinewidth=.5, alpha=.75, label=label)
    line = np.geomspace(30, 3000, 50)
    right.plot(line, line, color=INK, lw=1, label="equal")
    right.set_xscale("log")
    right.set_yscale("symlog", linthresh=100, linscale=.9)
    right.set(xlim=(45, 2500), ylim=(-80, 2600), xlabel="true flux / uJy", ylabel="flux at the true place / uJy")
    ticks = [-50, 0, 50, 100, 300, 1000]
    right.set_yticks(ticks, [str(one) for one in ticks])
    right.set_xticks([50, 100, 300, 1000], ["50", "100", "300", "1000"])
    right.minorticks_off()
    right.set_title(f"No threshold, no bias: {clean.sum()} places, noise {NOISE_UJY} uJy")
    right.legend(loc="upper left")
    return figure


def pulls(reber):
    """(measured - true) / stated error of simulated sources beside the Gaussian of width 1."""
    kinds = {"total flux": [], "x": [], "y": []}
    for seed in range(1, 9):
        reber.run("simulate", "sky.fits", "--size", 1024, "--sources", 400, "--extended", 0, "--seed", seed, "--truth", "truth.csv",
                  "--overwrite", "-q")
        reber.find("sky.fits", "-q")
        reber.run("match", "found.csv", "truth.csv", "-o", "pairs.csv", "--overwrite", "-q")
        for one in reber.table("pairs.csv"):
            if one["snr_2"] < 8 or one["Flag_1"] not in (0, 32):
                continue
            kinds["total flux"].append((one["Total_flux_1"] - one["Total_flux_2"]) / one["E_Total_flux_1"])
            kinds["x"].append((one["Xposn_1"] - one["x_2"]) / one["E_Xposn_1"])
            kinds["y"].append((one["Yposn_1"] - one["y_2"]) / one["E_Yposn_1"])
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.5), sharey=True)
    edges = np.arange(-4.25, 4.5, .5)
    fine = np.linspace(-4.5, 4.5, 200)
    for axes, (name, values), colour in zip(panels, kinds.items(), (AMBER, BLUE, GREEN)):
        values = np.array(values)
        spread = np.diff(np.percentile(values, (15.87, 84.13)))[0] / 2
        axes.hist(values, edges, density=True, color=colour, alpha=.55)
        axes.plot(fine, np.exp(-fine**2 / 2) / np.sqrt(2 * np.pi), color=INK, lw=1.4)
        axes.set(xlim=(-4.4, 4.4), xlabel="(measured - true) / error", yticks=[])
        axes.spines["left"].set_visible(False)
        axes.set_title(name)
        axes.text(.98, .95, f"width {spread:.2f}\n{len(values)} sources", transform=axes.transAxes, ha="right", va="top", color=colour)
    return figure


def common_beam(reber):
    """Beams of several images, the smallest beam that all can reach, and what each is convolved with."""
    beams = ((10, 8, 20), (12, 7, 70), (9, 9, 0), (11, 6, 130))
    names = []
    for k, beam in enumerate(beams):
        names.append(f"image_{k + 1}.fits")
        reber.run("simulate", names[-1], "--size", 64, "--beam", ",".join(map(str, beam)), "-q")
    plan = json.loads(reber.run("smooth", *names, "--common", "--dry-run", "--json", "-"))
    plan = [one["planes"][0] for one in (plan if isinstance(plan, list) else plan["inputs"])]
    target = plan[0]["target"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), width_ratios=(1, 1.3))
    for axes in (left, right):
        axes.set_aspect("equal")
        bare(axes)
    for (major, minor, angle), colour, name in zip(beams, (AMBER, CORAL, GREEN, VIOLET), "1234"):
        left.plot(*ellipse_points(0, 0, major, minor, angle), color=colour, lw=2, label=f"image {name}: {major} x {minor} arcsec")
    left.fill(*ellipse_points(0, 0, target["major_arcsec"], target["minor_arcsec"], target["pa_deg"]), color=INK, alpha=.12)
    left.plot(*ellipse_points(0, 0, target["major_arcsec"], target["minor_arcsec"], target["pa_deg"]), color=INK, lw=2.4,
              label=f"common: {target['major_arcsec']:.1f} x {target['minor_arcsec']:.1f}")
    left.set(xlim=(-8, 8), ylim=(-11.5, 6.6))
    left.legend(loc="lower center", ncol=2, fontsize=8.5, columnspacing=1.2, handlelength=1.3)
    left.set_title("The smallest ellipse that holds all beams")
    for k, (one, colour) in enumerate(zip(plan, (AMBER, CORAL, GREEN, VIOLET))):
        y = -11 * k
        for x, beam, ink in ((0, one["beam"], colour), (17, one["kernel"], FAINT), (34, target, INK)):
            outline = ellipse_points(x, y, beam["major_arcsec"], max(beam["minor_arcsec"], .4), beam["pa_deg"])
            right.fill(*outline, color=ink, alpha=.25)
            right.plot(*outline, color=ink, lw=1.6)
        right.text(8.5, y, "*", ha="center", va="center", fontsize=16, color=FAINT)
        right.text(25.5, y, "=", ha="center", va="center", fontsize=14, color=FAINT)
        right.text(43.5, y, f"Jy/beam x {one['flux_factor']:.2f}\nnoise x {one['noise_factor']:.2f}", va="center", fontsize=8.5, color=FAINT)
    for x, text in ((0, "beam"), (17, "kernel"), (34, "common")):
        right.text(x, 7.5, text, ha="center", color=FAINT)
    right.set(xlim=(-7, 60), ylim=(-40, 10))
    right.set_title("What each image is convolved with")
    return figure
