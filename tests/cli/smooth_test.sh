#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Common beams of images and cubes, CASA's table of beams in and out, batches with failures.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)

# Unresolved sources of 1 Jy/beam in images of 2 arcsec pixels; a cube with a beam for each plane, one of them blank.
cat >make.py <<'E2'
import math, struct, sys
N, PIX = 96, 2.0
def card(key, value):
    if isinstance(value, bool):
        text = "%20s" % ("T" if value else "F")
    elif isinstance(value, str):
        text = "'%-8s'" % value
    else:
        text = "%20s" % repr(value)
    return ("%-8s= %s" % (key, text)).ljust(80)
def blocks(cards):
    text = "".join(cards) + "END".ljust(80)
    return (text + " " * (-len(text) % 2880)).encode()
def padded(data):
    return data + b"\0" * (-len(data) % 2880)
def gaussian(beam, x0=47, y0=48):
    a, b, pa = beam[0] / PIX, beam[1] / PIX, math.radians(beam[2])
    out = []
    for y in range(N):
        for x in range(N):
            e, n = -(x - x0), y - y0
            u, v = e * math.sin(pa) + n * math.cos(pa), e * math.cos(pa) - n * math.sin(pa)
            out.append(math.exp(-4 * math.log(2) * (u * u / a / a + v * v / b / b)))
    return struct.pack(">%df" % (N * N), *out)
def sky(axes):
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", len(axes))]
    cards += [card("NAXIS%d" % (i + 1), n) for i, n in enumerate(axes)]
    cards += [card("CTYPE1", "RA---SIN"), card("CTYPE2", "DEC--SIN"), card("CRVAL1", 150.0), card("CRVAL2", 2.0),
              card("CRPIX1", 48.0), card("CRPIX2", 49.0), card("CDELT1", -PIX / 3600), card("CDELT2", PIX / 3600)]
    if len(axes) > 2:
        cards += [card("CTYPE3", "FREQ"), card("CRVAL3", 1.4e9), card("CRPIX3", 1.0), card("CDELT3", 1e6)]
    return cards + [card("BUNIT", sys.argv[1] if len(sys.argv) > 1 else "Jy/beam")]
def image(name, beam):
    keys = [card(k, v) for k, v in zip(("BMAJ", "BMIN", "BPA"), (beam[0] / 3600, beam[1] / 3600, float(beam[2])))]
    open(name, "wb").write(blocks(sky([N, N]) + keys) + padded(gaussian(beam)))
def cube(name, beams):
    blank = struct.pack(">%df" % (N * N), *[math.nan] * (N * N))
    planes = b"".join(gaussian(b) if b[0] > 0 else blank for b in beams)
    rows = b"".join(struct.pack(">fffii", *b, i, 0) for i, b in enumerate(beams))
    table = [card("XTENSION", "BINTABLE"), card("BITPIX", 8), card("NAXIS", 2), card("NAXIS1", 20),
             card("NAXIS2", len(beams)), card("PCOUNT", 0), card("GCOUNT", 1), card("TFIELDS", 5)]
    for i, (n, f, u) in enumerate([("BMAJ", "1E", "arcsec"), ("BMIN", "1E", "arcsec"), ("BPA", "1E", "deg"), ("CHAN", "1J", ""), ("POL", "1J", "")]):
        table += [card("TTYPE%d" % (i + 1), n), card("TFORM%d" % (i + 1), f), card("TUNIT%d" % (i + 1), u)]
    table += [card("EXTNAME", "BEAMS")]
    open(name, "wb").write(blocks(sky([N, N, len(beams)]) + [card("CASAMBM", True)]) + padded(planes) + blocks(table) + padded(rows))
image("a.fits", (10, 8, 30))
image("b.fits", (12, 6, 60))
image("c.fits", (11, 7, -40))
cube("cube.fits", [(10, 8, 30), (0, 0, 0), (12, 6, 60), (11, 7, -40)])
cube("other.fits", [(12, 6, 60), (10, 8, 30), (12, 6, 60), (9, 9, 0)])
E2
python3 make.py
cat >read.py <<'E2'
import math, struct
def hdus(path):
    data = open(path, "rb").read()
    at, out = 0, []
    while at < len(data):
        cards = []
        while not data[at:at + 80].startswith(b"END "):
            cards.append(data[at:at + 80].decode())
            at += 80
        at = (at + 80 + 2879) // 2880 * 2880
        v = {c[:8].strip(): c[10:].split("/")[0].strip().strip("'").strip() for c in cards if c[8:10] == "= "}
        size = abs(int(v["BITPIX"])) // 8
        for i in range(int(v["NAXIS"])):
            size *= int(v["NAXIS%d" % (i + 1)])
        out.append((v, data[at:at + size]))
        at = (at + size + 2879) // 2880 * 2880
    assert at == len(data)
    return out
def peak(path, plane=0):
    v, data = hdus(path)[0]
    n = 96 * 96
    values = struct.unpack(">%df" % n, data[4 * n * plane:4 * n * (plane + 1)])
    return max(values, key=lambda p: -1 if math.isnan(p) else p), all(math.isnan(p) for p in values)
E2
check() {  # TEXT PYTHON
  checks=$((checks + 1))
  python3 -c "import sys; sys.path.insert(0, '.')
from read import *
$2" 2>err || report "$1"
}

run smooth a.fits b.fits c.fits "${cpu[@]}" --common --dry-run --json plan.json
expect_status 0
expect_in out "common beam 12.1757 x 10.7596, 78.11" limits
expect_no_file a_smoothed.fits
expect_json plan.json 'len(d) == 3 and abs(d[0]["planes"][0]["target"]["major_arcsec"] - 12.175717) < 1e-6'
expect_json plan.json '[p["planes"][0]["limiting"] for p in d] == [False, True, True] and all(p["planes"][0]["noise_factor"] > 1 for p in d)'
run smooth a.fits b.fits c.fits "${cpu[@]}" --common -o res --json done.json
expect_status 0
expect_file res/a_smoothed.fits res/b_smoothed.fits res/c_smoothed.fits
expect_in out "3 of 3 files smoothed"
expect_json done.json 'all(len(f["reports"]) == 1 and f["output"] for f in d)'
what="unresolved sources after smoothing to the common beam"
check "expected a peak of 1 Jy/beam and the common beam in each" '
for name in "abc":
    v, _ = hdus("res/%s_smoothed.fits" % name)[0]
    assert abs(float(v["BMAJ"]) * 3600 - 12.175717) < 1e-6 and abs(float(v["BPA"]) - 78.108615) < 1e-5, v
    assert abs(peak("res/%s_smoothed.fits" % name)[0] - 1) < 2e-5, peak("res/%s_smoothed.fits" % name)'

run smooth cube.fits "${cpu[@]}" --common -o res --json cube.json
expect_status 0
expect_json cube.json 'len(d) == 1 and len(d[0]["planes"]) == 4 and d[0]["planes"][1]["blank"] and len(d[0]["reports"]) == 3'
check "expected a cube with a table of beams, a blank plane and peaks of 1" '
(v, _), (t, rows) = hdus("res/cube_smoothed.fits")
assert v["NAXIS3"] == "4" and v["CASAMBM"] == "T" and v["CTYPE3"] == "FREQ" and t["EXTNAME"] == "BEAMS" and abs(float(v["BMAJ"]) * 3600 - 12.175717) < 1e-5
beams = [struct.unpack(">fffii", rows[20 * i:20 * i + 20]) for i in range(4)]
assert beams[1][:3] == (0, 0, 0) and [b[3] for b in beams] == [0, 1, 2, 3]
assert all(abs(beams[i][0] - 12.175717) < 1e-5 for i in (0, 2, 3)), beams
assert all(abs(peak("res/cube_smoothed.fits", i)[0] - 1) < 2e-5 for i in (0, 2, 3))
assert peak("res/cube_smoothed.fits", 1)[1]'
run info res/cube_smoothed.fits "${cpu[@]}" --plane 2
expect_status 0
expect_in out "12.18\" x 10.76\""
run info cube.fits "${cpu[@]}" --plane 2
expect_in out "12\" x 6\""
run info cube.fits "${cpu[@]}" --plane 1
expect_in out "none for plane 1"
run convolve cube.fits plane2.fits "${cpu[@]}" --plane 2 --to-beam 14,14,0
expect_status 0
expect_in out "12 x 6 arcsec"
run convolve cube.fits plane1.fits "${cpu[@]}" --plane 1 --to-beam 14,14,0
expect_status 2
expect_no_file plane1.fits
run smooth cube.fits other.fits "${cpu[@]}" --common --per-plane -o each
expect_status 0
check "expected a beam of its own for each plane" '
rows = hdus("each/cube_smoothed.fits")[1][1]
beams = [struct.unpack(">fffii", rows[20 * i:20 * i + 20])[:2] for i in range(4)]
assert abs(beams[0][0] - 12.211359) < 1e-5 and abs(beams[2][0] - 12) < 1e-5 and abs(beams[2][1] - 6) < 1e-5, beams
rows = hdus("each/other_smoothed.fits")[1][1]
assert abs(struct.unpack(">f", rows[20:24])[0] - 10) < 1e-5'

run smooth a.fits cube.fits "${cpu[@]}" --to-beam 14,13,20 -o given
expect_status 0
check "expected the given beam" '
assert abs(float(hdus("given/a_smoothed.fits")[0][0]["BMAJ"]) * 3600 - 14) < 1e-9'
run convolve a.fits a14.fits "${cpu[@]}" --to-beam 14,13,20
expect_status 0
run convolve a.fits a14k.fits "${cpu[@]}" --kernel beam:14,13,20
check "expected --to-beam and --kernel beam: to be the same" '
assert hdus("a14.fits")[0][1] == hdus("a14k.fits")[0][1] == hdus("given/a_smoothed.fits")[0][1]'
run convolve a.fits x.fits "${cpu[@]}" --to-beam 14,13,20 --kernel gaussian:3
expect_status 2
expect_in err "--image-beam"
run convolve a.fits x.fits "${cpu[@]}" --to-beam 14,13,20 --image-beam 13,12,20
expect_status 0
expect_in out "13 x 12 arcsec"

printf 'no FITS' >broken.fits
python3 make.py "furlong" && cp a.fits odd.fits && python3 make.py
run smooth a.fits broken.fits odd.fits b.fits "${cpu[@]}" --to-beam 14,14,0 -o some --json some.json
expect_status 3
expect_in err broken.fits furlong
expect_in out "2 of 4 files smoothed"
expect_file some/a_smoothed.fits some/b_smoothed.fits
expect_no_file some/odd_smoothed.fits some/broken_smoothed.fits
expect_json some.json 'sorted(f.get("exit_code", 0) for f in d) == [0, 0, 2, 3]'
run smooth a.fits odd.fits "${cpu[@]}" --common --dry-run
expect_status 2
expect_in out "common beam 10.0000 x 8.0000, 30.00"
run smooth a.fits b.fits "${cpu[@]}" --to-beam 10.5,8.5,30 -o small
expect_status 2
expect_in err "b.fits" "cannot reach"
expect_file small/a_smoothed.fits
run smooth a.fits b.fits "${cpu[@]}"
expect_status 2
expect_in err --common --to-beam
run smooth a.fits "${cpu[@]}" --common -o res
expect_status 2
expect_in err --overwrite
run smooth a.fits a.fits "${cpu[@]}" --common
expect_status 2
run smooth a.fits "${cpu[@]}" --common --overwrite
expect_status 0
expect_file a_smoothed.fits
check "expected a copy where there is nothing to do" 'assert hdus("a_smoothed.fits")[0][1] == hdus("a.fits")[0][1]'
expect_no_file ./*.tmp* res/*.tmp* some/*.tmp*

# Memory of one plane serves the next: pages are asked of the system for the first planes alone.
cat >pages.py <<'E2'
import os, random, resource, struct, subprocess, sys
N = 1024
def card(key, value):
    return ("%-8s= %20s" % (key, value)).ljust(80)
def cube(name, planes):
    cards = [card("SIMPLE", "T"), card("BITPIX", -32), card("NAXIS", 3), card("NAXIS1", N), card("NAXIS2", N),
             card("NAXIS3", planes), "BUNIT   = 'Jy/beam'".ljust(80)]
    for i, (kind, step) in enumerate((("RA---SIN", -0.0005), ("DEC--SIN", 0.0005), ("FREQ", 1e6))):
        cards += [("CTYPE%d  = '%-8s'" % (i + 1, kind)).ljust(80), card("CRVAL%d" % (i + 1), 30.0),
                  card("CRPIX%d" % (i + 1), 1.0), card("CDELT%d" % (i + 1), step)]
    text = "".join(cards) + "END".ljust(80)
    random.seed(1)
    data = struct.pack(">%df" % N, *(random.gauss(0, 1) for _ in range(N))) * N * planes
    open(name, "wb").write((text + " " * (-len(text) % 2880)).encode() + data + bytes(-len(data) % 2880))
def faults(planes):
    cube("pages%d.fits" % planes, planes)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    subprocess.run([sys.argv[1], "smooth", "pages%d.fits" % planes, "--image-beam", "8,6,20", "--to-beam", "12,9,60", "-o",
                    "pages", "--backend", "cpu", "--threads", "2", "-q"], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
few, many = faults(4), faults(24)
print(few, many)
assert many - few < 20 * 1000 or "REBER_FAULTS" not in os.environ, "pages of new memory: %d for 4 planes, %d for 24" % (few, many)
E2
what="pages of 4 and of 24 planes"
status=0
python3 pages.py "$reber" >out 2>err || status=$?
expect_status 0
finish
