# SPDX-License-Identifier: BSD-3-Clause
"""A browser of a few lines, for browser_test.sh: HTTP and WebSocket by the standard library alone."""
import base64
import json
import os
import queue
import socket
import struct
import sys
import threading
import time


class Line:
    """One WebSocket. Frames are answered as the page does, unless it is asked to be slow."""

    def __init__(self, port, cookie, name=None, origin=None, host=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        host = host or f"127.0.0.1:{port}"
        origin = f"http://{host}" if origin is None else origin
        name = name or os.urandom(8).hex()
        lines = [f"GET /line?{name} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        lines += [f"Origin: {origin}"] if origin else []
        lines += [f"Cookie: {cookie}"] if cookie else []
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            got = self.socket.recv(4096)
            if not got:
                break
            answer += got
        head, _, self.rest = answer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.bytes = self.frames = self.largest = 0
        self.size, self.status_words, self.told = (0, 0), {}, []
        self.files = []

    def take(self, count):
        while len(self.rest) < count:
            got = self.socket.recv(1 << 16)
            if not got:
                raise ConnectionError("the line has ended")
            self.rest += got
        made, self.rest = self.rest[:count], self.rest[count:]
        return made

    def raw(self, opcode, payload, fin=True, masked=True, claimed=None):
        size = len(payload) if claimed is None else claimed
        head = bytes([(0x80 if fin else 0) | opcode])
        mask_bit = 0x80 if masked else 0
        if size < 126:
            head += bytes([mask_bit | size])
        elif size < 65536:
            head += bytes([mask_bit | 126]) + struct.pack(">H", size)
        else:
            head += bytes([mask_bit | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4) if masked else b""
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if masked else payload
        self.socket.sendall(head + mask + body)

    def say(self, **message):
        self.raw(1, json.dumps(message).encode())

    def hear_until(self, met, seconds):
        """All that comes until it is so, for so long at most."""
        end = time.time() + seconds
        while not met() and time.time() < end:
            self.hear(0.05)

    def rests(self):
        """Whether the last picture was without loss: it follows when nothing moves."""
        return bool(self.files) and self.files[-1] == "png"

    def hear(self, seconds, answer=True):
        """All that comes for so long."""
        end = time.time() + seconds
        while (left := end - time.time()) > 0:
            self.socket.settimeout(left)
            try:
                first, second = self.take(2)
            except TimeoutError:
                break
            self.socket.settimeout(20)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            body = self.take(size)
            self.bytes += size
            if first & 15 == 8:
                raise ConnectionError("the line was closed")
            if first & 15 == 1:
                message = json.loads(body)
                self.told.append(message)
                if message["t"] == "status":
                    self.status_words = message
            if first & 15 == 2:
                self.largest = max(self.largest, size)
                self.frame(body)
                if answer:
                    self.say(t="drawn", frame=struct.unpack_from("<I", body)[0])
        self.socket.settimeout(20)

    def frame(self, body):
        _, width, height, count = struct.unpack_from("<4I", body)
        self.size, self.frames, at = (width, height), self.frames + 1, 16
        for _ in range(count):
            x, y, nx, ny, size = struct.unpack_from("<5I", body, at)
            assert x + nx <= width and y + ny <= height, "a part beyond the picture"
            start = body[at + 20:at + 24]
            self.files.append("png" if start == b"\x89PNG" else "jpeg" if start[:2] == b"\xff\xd8" else "?")
            at += 20 + size
        assert at == len(body), "a frame of another length than its parts"

    def closed(self):
        try:
            while True:
                self.hear(5)
        except (ConnectionError, OSError):
            return True


class SlowWay:
    """A proxy at a port of its own: what comes is passed on after a while, and at a rate. It takes all that is sent at once,
    so what waits in it is what the viewer sent ahead."""

    def __init__(self, port, bytes_per_second, delay):
        self.rate, self.delay, self.waiting, self.most = bytes_per_second, delay, 0, 0
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.to = port
        threading.Thread(target=self.pass_on, daemon=True).start()

    def pass_on(self):
        near, _ = self.door.accept()
        far = socket.create_connection(("127.0.0.1", self.to))
        for source, sink, counted in ((near, far, False), (far, near, True)):
            coming = queue.Queue()
            threading.Thread(target=self.read, args=(source, coming, counted), daemon=True).start()
            threading.Thread(target=self.write, args=(sink, coming, counted), daemon=True).start()

    def read(self, source, coming, counted):
        try:
            while got := source.recv(1 << 16):
                if counted:
                    self.waiting += len(got)
                    self.most = max(self.most, self.waiting)
                coming.put((time.time() + self.delay, got))
        except OSError:
            pass
        coming.put((time.time(), b""))

    def write(self, sink, coming, counted):
        try:
            while True:
                due, part = coming.get()
                time.sleep(max(0, due - time.time()))
                if not part:
                    return sink.shutdown(socket.SHUT_RDWR)  # another thread reads of it: close() would wait
                for at in range(0, len(part), 4096):
                    piece = part[at:at + 4096]
                    sink.sendall(piece)
                    if counted:
                        time.sleep(len(piece) / self.rate)
                        self.waiting -= len(piece)
        except OSError:
            pass


def request(port, target, host=None, cookie=None, method="GET", origin=None, body=None, claimed=None):
    """Status, headers in one text, and body.   claimed: its length as it is said"""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}"]
        lines += [f"Cookie: {cookie}"] if cookie else []
        lines += [f"Origin: {origin}"] if origin else []
        lines += [f"Content-Length: {len(body) if claimed is None else claimed}"] if body is not None else []
        answer = b""
        try:
            line.sendall("\r\n".join(lines + ["", ""]).encode() + (body or b""))
        except ConnectionError:
            pass
        try:
            while got := line.recv(1 << 16):
                answer += got
        except ConnectionError:
            pass  # what it refuses to read is reset
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode(), body.decode("latin-1")


def enter(port, token):
    status, head, _ = request(port, f"/?token={token}")
    assert status == 303 and "\r\nLocation: ./" in head, head
    return next(line[12:].split(";")[0] for line in head.split("\r\n") if line.startswith("Set-Cookie: "))


def refusals(port, token, cookie):
    wrong = "0" * 32
    for target, host, sent, wanted in [
            ("/", None, None, 403), (f"/?token={wrong}", None, None, 403), ("/?token=", None, None, 403),
            (f"/?token={token}", "evil.example", None, 403), ("/", f"evil.example:{port}", cookie, 403),
            ("/", None, cookie.split("=")[0] + "=" + wrong, 403), ("/etc/passwd", None, cookie, 404),
            ("/line?a", None, cookie, 404), ("/", None, cookie, 200), ("/", f"localhost:{port}", cookie, 200)]:
        status, head, body = request(port, target, host, sent)
        assert status == wanted, (target, host, status, wanted)
        assert token not in head + body, f"the token stands in the answer to {target}"
    assert request(port, "/", None, cookie, "POST")[0] == 405
    for given in [{"cookie": None}, {"cookie": cookie, "origin": "http://evil.example"}, {"cookie": cookie, "origin": ""},
                  {"cookie": cookie, "origin": "http://localhost:1"}, {"cookie": cookie, "host": f"evil.example:{port}"}]:
        assert Line(port, **given).status != 101, f"a line was opened with {given}"


def hostile(port, cookie):
    """Each ends its own line; the viewer goes on."""
    deep = b'{"t":' + b"[" * 100000
    for name, send in {
            "no JSON": lambda line: line.raw(1, b"move"),
            "another kind": lambda line: line.say(t="format"),
            "a list": lambda line: line.raw(1, b"[1,2]"),
            "deep": lambda line: line.raw(1, deep),
            "far away": lambda line: line.say(t="move", x=1e300, y=0),
            "too large a number": lambda line: line.raw(1, b'{"t":"move","x":1e999,"y":0}'),
            "a huge window": lambda line: line.say(t="size", width=10 ** 9, height=10, scale=1),
            "no UTF-8": lambda line: line.raw(1, b'{"t":"clipboard","text":"\xff\xfe"}'),
            "binary": lambda line: line.raw(2, b"\0" * 100),
            "no mask": lambda line: line.raw(1, b'{"t":"drive"}', masked=False),
            "a kind of frame that is none": lambda line: line.raw(5, b""),
            "a continuation of nothing": lambda line: line.raw(0, b"x"),
            "a long ping": lambda line: line.raw(9, b"x" * 200),
            "2^62 bytes": lambda line: line.raw(1, b"x", claimed=1 << 62),
            "2 MiB": lambda line: line.raw(1, b" " * (2 << 20), claimed=2 << 20)}.items():
        line = Line(port, cookie)
        assert line.status == 101, name
        try:
            send(line)
        except OSError:
            pass
        assert line.closed(), f"{name}: the line stays open"
        assert request(port, "/", cookie=cookie)[0] == 200, f"{name}: the viewer is gone"


def session(port, cookie):
    one = Line(port, cookie, "one")
    start = time.time()
    one.hear_until(lambda: one.frames > 0, 20)
    print(f"first picture after {time.time() - start:.2f} s")
    assert one.status_words["drives"]
    one.say(t="size", width=1000, height=700, scale=1)
    one.hear_until(lambda: one.size == (1000, 700), 8)
    one.hear(0.6)
    one.hear_until(one.rests, 8)
    assert one.size == (1000, 700), one.size
    assert one.files[-1] == "png", "what rests is not whole"
    one.hear(1)
    before = one.bytes
    one.hear(2)
    assert one.bytes == before, f"{one.bytes - before} bytes at rest"
    # Panning: a drag of many steps.
    one.say(t="move", x=500, y=350)
    one.say(t="button", button=0, down=True)
    frames, sent, begin = one.frames, one.bytes, time.time()
    step = 0
    while time.time() < begin + 3:
        step += 1
        one.say(t="move", x=500 + 3 * (step % 60), y=350 + 2 * (step % 40))
        one.hear(0.015)
    one.say(t="button", button=0, down=False)
    rate = (one.frames - frames) / (time.time() - begin)
    print(f"panning: {rate:.1f} frames/s, {(one.bytes - sent) / 3e6:.2f} MB/s")
    assert rate >= 4, "frames while panning"
    assert "jpeg" in one.files
    one.hear(0.5)
    one.hear_until(one.rests, 8)

    # Another looks on, asks, and gets the wheel.
    two = Line(port, cookie, "two")
    two.hear_until(lambda: two.frames > 0 and two.status_words, 8)
    assert two.frames > 0 and not two.status_words["drives"] and two.status_words["browsers"] == 2
    two.say(t="size", width=600, height=500, scale=1)
    two.hear(1)
    assert two.size == (1000, 700), "one that looks on has changed the size"
    two.say(t="drive")
    one.hear_until(lambda: any(each["t"] == "asked" for each in one.told), 8)
    assert any(each["t"] == "asked" for each in one.told)
    one.say(t="hand over")
    two.hear_until(lambda: two.status_words["drives"], 8)
    one.hear_until(lambda: not one.status_words["drives"], 8)
    assert two.status_words["drives"] and not one.status_words["drives"]
    two.say(t="size", width=600, height=500, scale=1)
    two.hear_until(lambda: two.size == (600, 500), 8)
    assert two.size == (600, 500)

    # A line that is lost without a word: the same page comes back and drives on, with what was open.
    again = Line(port, cookie, "two")
    again.hear_until(lambda: again.frames > 0 and again.status_words, 8)
    assert again.status_words["drives"] and again.size == (600, 500) and again.frames > 0
    assert two.closed()
    # A slow one does not pile frames up: none answered, no more than two come.
    again.hear(1)
    slow = again.frames
    for step in range(40):
        again.say(t="wheel", x=0, y=1 if step % 2 else -1)
        again.hear(0.05, answer=False)
    assert again.frames - slow <= 2, f"{again.frames - slow} frames to one that does not draw"
    one.socket.close()
    again.socket.close()


def files(port, cookie, folder):
    """What the one that drives sends lies in the folder and is opened; all else is refused, and nothing is replaced."""
    line = Line(port, cookie, "files")
    line.hear_until(lambda: line.status_words.get("key"), 8)
    key, most, home = line.status_words["key"], line.status_words["most"], f"http://127.0.0.1:{port}"
    looks_on = Line(port, cookie, "onlooker")
    looks_on.hear_until(lambda: looks_on.status_words, 8)
    assert "key" not in looks_on.status_words, "one that looks on may send files"
    looks_on.socket.close()
    sky = open(os.path.join(folder, "sky.fits"), "rb").read()

    def send(name, body, given=key, origin=home, sent=cookie, claimed=None):
        return request(port, f"/upload?key={given}&name={name}", None, sent, "POST", origin, body, claimed)

    for wrong in ({"given": "0" * 32}, {"given": ""}, {"origin": "http://evil.example"}, {"origin": None}, {"sent": None}):
        assert send("wrong.fits", b"", **wrong)[0] == 405, wrong
    for name in ("", ".hidden", "..", "a%0Ab", "x" * 300, "%zz", "%2"):
        assert send(name, b"x")[0] == 409, name
    assert send("sky.fits", b"x")[0] == 409, "a file was replaced"
    assert send("large", b"x", claimed=most + 1)[0] == 413
    assert send("%2e%2e%2f%2e%2e%2fsent%20%c3%a9.fits", sky)[0] == 200
    assert send("b%5c..%5csent.txt", b"hello")[0] == 200
    wide = os.urandom(1 << 20) * 8
    assert send("wide.bin", wide)[0] == 200 and open(os.path.join(folder, "wide.bin"), "rb").read() == wide
    os.remove(os.path.join(folder, "wide.bin"))
    for name, body in (("sent \u00e9.fits", sky), ("sent.txt", b"hello")):
        assert open(os.path.join(folder, name), "rb").read() == body, name
    assert open(os.path.join(folder, "sky.fits"), "rb").read() == sky
    assert sorted(os.listdir(folder)) == sorted(["sky.fits", "link.fits", "sent \u00e9.fits", "sent.txt"]), os.listdir(folder)
    for target in ("/file?key=" + "0" * 32, "/file?", "/file?key="):
        assert request(port, target, None, cookie)[0] == 404, target
    # Fetched through the dialog, which the palette opens.
    def tap(code, name="", **mods):
        for down in (True, False):
            line.say(t="key", key=name, code=code, down=down, **mods)

    def write(text):
        for letter in text:
            line.say(t="text", code=ord(letter))

    def ask(path):
        line.told.clear()
        write(path)
        line.hear(0.5)
        tap("Enter")
        line.hear_until(lambda: any(each["t"] == "fetch" for each in line.told), 4)
        return [each["key"] for each in line.told if each["t"] == "fetch"]

    tap("KeyP", "p", ctrl=True, shift=True)
    line.hear(0.5)
    write("Files of the browser")
    line.hear(0.5)
    tap("Enter")
    line.hear(1)
    secret, = ask(os.path.join(folder, "sent.txt"))
    status, head, body = request(port, "/file?key=" + secret, None, None)
    assert status != 200, "a file was given to one without a cookie"
    status, head, body = request(port, "/file?key=" + secret, None, cookie)
    assert status == 200 and body == "hello" and "attachment; filename*=UTF-8''sent.txt" in head, head
    assert request(port, "/file?key=" + secret, None, cookie)[0] == 404, "a secret counts twice"
    tap("KeyA", "a", ctrl=True)
    assert not ask(os.path.join(folder, "link.fits")), "a file outside of the folders was offered"
    tap("Escape")
    line.hear(0.3)
    line.socket.close()


def slow_lines(port, cookie):
    """Over a line that is slow the picture moves with fewer frames, and none of them waits behind old ones."""
    rates = []
    for rate, least in ((8e6, 2), (0.4e6, 0.5)):
        way = SlowWay(port, rate, 0.02)
        line = Line(way.port, cookie, f"slow{rate:.0f}")
        line.hear_until(lambda: line.status_words.get("drives"), 8)
        assert line.status_words["drives"], line.status_words
        line.say(t="size", width=1000, height=700, scale=1)
        line.hear_until(lambda: line.size == (1000, 700) and line.rests(), 15)
        line.say(t="move", x=500, y=350)
        line.say(t="button", button=0, down=True)
        line.hear(1)
        line.largest = way.most = 0
        frames, begin, step = line.frames, time.time(), 0
        while time.time() < begin + 4:
            step += 1
            line.say(t="move", x=500 + 3 * (step % 60), y=350 + 2 * (step % 40))
            line.hear(0.02)
        line.say(t="button", button=0, down=False)
        rates.append((line.frames - frames) / (time.time() - begin))
        print(f"{rate / 1e6} MB/s and 20 ms: {rates[-1]:.1f} frames/s of {line.largest / 1e3:.0f} KB at most, "
              f"{way.most / 1e3:.0f} KB waiting at most")
        assert rates[-1] >= least, "the picture stands still"
        assert way.most <= 2 * line.largest + 8192, "more than two frames were under way"
        line.hear(0.5)
        line.hear_until(line.rests, 10)
        assert line.files[-1] == "png", "what rests is not whole"
        line.socket.close()
        time.sleep(0.5)


if __name__ == "__main__":
    address = sys.argv[1]
    the_port, the_token = int(address.split(":")[2].split("/")[0]), address.split("token=")[1]
    the_cookie = enter(the_port, the_token)
    refusals(the_port, the_token, the_cookie)
    session(the_port, the_cookie)
    slow_lines(the_port, the_cookie)
    hostile(the_port, the_cookie)
    files(the_port, the_cookie, sys.argv[2])  # what was sent is open then
    third = Line(the_port, the_cookie, "three")
    third.hear(2)
    assert third.status_words["drives"] and third.frames > 0, "after all this the viewer no longer shows anything"
    print("served")
