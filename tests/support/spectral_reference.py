#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random headers with a spectral axis, and the frequency of one pixel of each by the formulas of FITS paper III.

Greisen et al. 2006, A&A 446, 747: table 1 (types), sect. 3 (relations), eq. 5 (log), sect. 3.2 (non-linear axes:
X2P axes are linear in X, with the derivative of the reference value). No library of coordinates takes part.
  spectral_reference.py [--seed N] [--count M] > tests/support/spectral_reference.txt
Each header is lines of cards; the line after them is "= frequency in Hz, then the 1-based pixel".
"""
import argparse
import math
import random

C = 299792458.0
H = 6.6260755e-34  # the value of 1986 that paper III's implementation has

UNITS = {
    "FREQ": [("Hz", 1), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9), ("GHZ", 1e9), ("MHZ", 1e6), ("mhz", 1e6), ("", 1)],
    "WAVE": [("m", 1), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("nm", 1e-9), ("Angstrom", 1e-10), ("", 1)],
    "V": [("m/s", 1), ("km/s", 1e3), ("km.s-1", 1e3), ("km s-1", 1e3), ("km s^-1", 1e3), ("KM/S", 1e3), ("cm/s", 1e-2),
          ("m s-1", 1), ("km*s**-1", 1e3), ("M/S", 1), ("", 1)],
    "WAVN": [("m-1", 1), ("cm-1", 1e2), ("1/m", 1), ("mm^-1", 1e3)],
    "ENER": [("J", 1)],
    "AFRQ": [("rad/s", 1), ("rad.s-1", 1)],
    "ONE": [("", 1)],
}
KIND = {"VRAD": "V", "VOPT": "V", "VELO": "V", "ZOPT": "ONE", "BETA": "ONE"}


def to_frequency(kind, value, rest):
    """Hz of a coordinate in SI units."""
    if kind == "FREQ":
        return value
    if kind == "AFRQ":
        return value / (2 * math.pi)
    if kind == "ENER":
        return value / H
    if kind == "WAVN":
        return C * value
    if kind == "WAVE":
        return C / value
    if kind == "VRAD":
        return rest * (1 - value / C)
    if kind == "VOPT":
        return rest / (1 + value / C)
    if kind == "ZOPT":
        return rest / (1 + value)
    beta = value if kind == "BETA" else value / C
    return rest * math.sqrt((1 - beta) / (1 + beta))


def from_frequency(kind, f, rest):
    if kind == "FREQ":
        return f
    if kind == "AFRQ":
        return 2 * math.pi * f
    if kind == "ENER":
        return H * f
    if kind == "WAVN":
        return f / C
    if kind == "WAVE":
        return C / f
    if kind == "VRAD":
        return C * (1 - f / rest)
    if kind == "VOPT":
        return C * (rest / f - 1)
    if kind == "ZOPT":
        return rest / f - 1
    ratio = (f / rest) ** 2
    beta = (1 - ratio) / (1 + ratio)
    return beta if kind == "BETA" else C * beta


BASIC = {"F": "FREQ", "W": "WAVE", "V": "VELO"}  # the variables that the codes of sect. 3.2 name


def derivative(function, at):
    step = abs(at) * 1e-4 or 1e-4
    # Richardson: the error is of order step^4.
    one = (function(at + step) - function(at - step)) / (2 * step)
    half = (function(at + step / 2) - function(at - step / 2)) / step
    return (4 * half - one) / 3


def value_at(kind, code, reference, offset, rest):
    """SI coordinate `offset` (SI, along the linear axis) from the reference value."""
    if code == "":
        return reference + offset
    if code == "LOG":
        return reference * math.exp(offset / reference)
    x = BASIC[code[0]]  # the axis is linear in this variable
    to_x = lambda value: from_frequency(x, to_frequency(kind, value, rest), rest)
    at = to_x(reference) + offset * derivative(to_x, reference)
    return from_frequency(kind, to_frequency(x, at, rest), rest)


def draw(rng):
    kind = rng.choice(["FREQ", "FREQ", "WAVE", "VRAD", "VOPT", "VELO", "ZOPT", "BETA", "WAVN", "ENER", "AFRQ"])
    natural = {"FREQ": "F", "AFRQ": "F", "ENER": "F", "WAVN": "F", "VRAD": "F", "WAVE": "W", "VOPT": "W", "ZOPT": "W",
               "VELO": "V", "BETA": "V"}[kind]
    codes = ["", "", ""] + [f"{x}2{natural}" for x in "FWV" if x != natural]
    if kind in ("FREQ", "WAVE"):
        codes.append("LOG")
    code = rng.choice(codes)
    aips = rng.random() < 0.15 and code == ""
    rest = rng.uniform(1e8, 4e11)
    near_rest = kind in KIND or "V" in code
    frequency = rest * rng.uniform(0.9, 1.1) if near_rest else rng.uniform(5e7, 9e11)
    reference = from_frequency(kind, frequency, rest)
    far = from_frequency(kind, frequency * (1 + rng.choice([-1, 1]) * rng.uniform(1e-6, 1e-4)), rest)
    unit, scale = rng.choice(UNITS[KIND.get(kind, kind)])
    step = (far - reference) / scale
    axes = rng.choice([(1, 2, 3), (1, 2, 4), (2, 3, 1), (1, 3, 2)])
    spectral = axes[2]
    ctype = f"{kind}-{code}" if code else kind
    velref = None
    if aips:
        if kind == "FREQ":
            ctype = rng.choice(["FREQ-LSR", "FREQ-HEL", "FREQ-OBS"])
        elif kind in ("VRAD", "VOPT"):
            ctype = rng.choice(["VELO-LSR", "VELO-HEL", "VELO-OBS"])
            velref = {"VRAD": 257, "VOPT": rng.choice([1, 2, 3, None])}[kind]
    cards = [f"CTYPE{axes[0]}  = 'RA---SIN'", f"CTYPE{axes[1]}  = 'DEC--SIN'",
             f"CRVAL{axes[0]}  = {rng.uniform(0, 360):.6f}", f"CRVAL{axes[1]}  = {rng.uniform(-80, 80):.6f}",
             f"CRPIX{axes[0]}  = 16.0", f"CRPIX{axes[1]}  = 16.0"]
    if spectral == 4:
        cards += ["CTYPE3  = 'STOKES'", "CRVAL3  = 1.0", "CRPIX3  = 1.0"]
    elif max(axes) < 4 and rng.random() < 0.3:
        cards += ["CTYPE4  = 'STOKES'", "CRVAL4  = 1.0", "CRPIX4  = 1.0", "CDELT4  = 1.0"]
    crpix = round(rng.uniform(-20, 40), 3)
    reference_text, step_text = f"{reference / scale:.15G}", f"{step:.12G}"
    cards += [f"CTYPE{spectral}  = '{ctype}'", f"CRPIX{spectral}  = {crpix}", f"CRVAL{spectral}  = {reference_text}"]
    matrix = rng.choice(["CDELT", "CDELT", "PC", "CD", "CDELT and CD"])
    factor = 1.0
    if matrix in ("CDELT", "PC"):
        for axis in axes[:2]:
            cards.append(f"CDELT{axis}  = {rng.choice([-1, 1]) * 5e-4}")
        if spectral == 4:
            cards.append("CDELT3  = 1.0")
        cards.append(f"CDELT{spectral}  = {step_text}")
        if matrix == "PC":
            factor = rng.choice([2.0, -1.0, 0.5])
            cards.append(f"PC{spectral}_{spectral}   = {factor}")
    else:
        for axis in axes[:2]:
            cards.append(f"CD{axis}_{axis}   = {rng.choice([-1, 1]) * 5e-4}")
        if spectral == 4:
            cards.append("CD3_3   = 1.0")
        cards.append(f"CD{spectral}_{spectral}   = {step_text}")
        if matrix == "CDELT and CD":
            cards.append(f"CDELT{spectral}  = 1.0")
    if unit:
        cards.append(f"CUNIT{spectral}  = '{unit}'")
    rest_text = f"{rest:.14G}"
    if KIND.get(kind) in ("V", "ONE") or "V" in code or rng.random() < 0.3:
        cards.append(f"{rng.choice(['RESTFRQ ', 'RESTFREQ'])}= {rest_text}")
    if velref:
        cards.append(f"VELREF  = {velref}")
    rng.shuffle(cards)
    pixel = [16.0, 16.0, 1.0, 1.0]
    pixel[spectral - 1] = float(rng.randint(1, 64))
    offset = (pixel[spectral - 1] - crpix) * float(step_text) * factor * scale
    value = value_at(kind, code, float(reference_text) * scale, offset, float(rest_text))
    frequency = to_frequency(kind, value, float(rest_text))
    return cards, frequency, pixel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=600)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"# spectral_reference.py --seed {options.seed} --count {options.count}")
    for _ in range(options.count):
        cards, frequency, pixel = draw(rng)
        print("\n".join(cards))
        print("=", repr(frequency), *pixel)


if __name__ == "__main__":
    main()
