#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Contrast of text in a page's style sheet: at least 4.5 (WCAG 2.2, 1.4.3), light, dark and on paper.

usage: check_contrast.py PAGE.html

Colours are the variables of :root. A rule with a colour and a background is a pair; a colour without one lies on the page
and on its cards. Prints the least contrast of each palette; exit status 1 where one is too low.
"""
import re
import sys


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * one for one in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    style = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
    palettes = {}
    for before, body in re.findall(r"(@media[^{]*\{)?:root\{([^}]*)\}", style):
        name = "dark" if "dark" in before else "paper" if "print" in before else "light"
        palettes[name] = {**palettes.get("light", {}), **dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{3,6})", body))}
    pairs = set()
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        front = re.search(r"(?:^|;|\s)color:var\(--([\w-]+)\)", body)
        back = re.search(r"background:\s*var\(--([\w-]+)\)", body)
        if front and ":root" not in selector:
            pairs |= {(front[1], one) for one in ([back[1]] if back else ["page", "card"])}
    assert len(palettes) == 3 and len(pairs) > 8, (list(palettes), pairs)
    wrong = 0
    for name, colours in palettes.items():
        by_pair = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
        worst = min(by_pair, key=by_pair.get)
        print(f"{name}: at least {by_pair[worst]:.2f}, {worst[0]} on {worst[1]}")
        wrong += not by_pair[worst] >= 4.5
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
