#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast `reber view --browser` shows an image: first picture, frames while it is panned, bytes at rest.

usage: served.py --view BIN IMAGE [--size 1920x1080]...
A client of the standard library takes what a browser would, on this host and behind a line of 8 MB/s with a round trip of 20 ms.
"""
import argparse
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "gui"))
import browser  # noqa: E402

LINES = (("this host", None), ("8 MB/s, 20 ms", 8e6))


def drawn_by(viewer):
    """What draws: the driver's library, or Mesa's."""
    with open(f"/proc/{viewer.pid}/maps", encoding="utf-8") as file:
        found = sorted(set(re.findall(r"lib(?:nvidia-eglcore|gallium|swrast_dri|EGL_mesa)[^\s]*", file.read())))
    return ", ".join(found) or "not known"


def panned(line, width, height, seconds=4):
    """Frames and bytes a second while the image is dragged."""
    x, y = width // 2, height // 2
    line.say(t="move", x=x, y=y)
    line.say(t="button", button=0, down=True)
    frames, sent, began, step = line.frames, line.bytes, time.time(), 0
    while time.time() < began + seconds:
        step += 1
        line.say(t="move", x=x + 3 * (step % 60), y=y + 2 * (step % 40))
        line.hear(0.01)
    line.say(t="button", button=0, down=False)
    took = time.time() - began
    return (line.frames - frames) / took, (line.bytes - sent) / took


def measure(view, image, size):
    width, height = (int(one) for one in size.split("x"))
    command = [view, "--browser", "--no-settings", "--folder", os.path.dirname(os.path.abspath(image)), image]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as viewer:
        try:
            address = next(line.split()[-1] for line in viewer.stdout if "token=" in line)
            port, token = int(address.split(":")[2].split("/")[0]), address.split("token=")[1]
            cookie = browser.enter(port, token)
            for name, rate in LINES:
                way = browser.SlowWay(port, rate, 0.02) if rate else None
                line, began = browser.Line(way.port if way else port, cookie), time.time()
                line.hear_until(lambda line=line: line.frames > 0, 30)
                first = time.time() - began
                line.say(t="size", width=width, height=height, scale=1)
                line.hear_until(lambda line=line: line.size == (width, height) and line.rests(), 20)
                frames, sent = panned(line, width, height)
                line.hear(0.5)
                line.hear_until(line.rests, 15)
                line.hear(2)
                rest = line.bytes
                line.hear(2)
                print(f"{size:>10}  {name:14} {first:12.2f} {frames:9.1f} {sent / 1e6:7.2f} {line.bytes - rest:13d}", flush=True)
                line.socket.close()
                time.sleep(1)
            print(f"drawn by {drawn_by(viewer)}")
        finally:
            viewer.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--view", required=True, help="reber-view")
    parser.add_argument("image")
    parser.add_argument("--size", action="append", metavar="WxH", help="of the picture; 1000x700 and 1920x1080 without it")
    options = parser.parse_args()
    print("   picture  line            first s   frames/s    MB/s   bytes in 2 s of rest")
    for size in options.size or ("1000x700", "1920x1080"):
        measure(options.view, options.image, size)


if __name__ == "__main__":
    main()
