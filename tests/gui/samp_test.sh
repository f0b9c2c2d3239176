#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The viewer takes what other programs send through a hub: images, tables, places and rows; and points them to its own.
#   samp_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
hub=
trap '[ -z "$hub" ] || kill "$hub"; rm -rf "$folder"' EXIT
cd "$folder"
cp "$root/sample_data/galactic_plane_150mhz.fits" 'sky field.fits'
"$reber" find 'sky field.fits' -o rows.vot --backend cpu -q
python3 "$root/tests/support/samp_hub.py" plain 2> hub.err &
hub=$!
for _ in $(seq 200); do [ ! -s plain.samp ] || break; sleep 0.1; done
export SAMP_HUB=std-lockurl:file://$folder/plain.samp

# Who is no hub is not heard; what the hub says comes one after the other, each once the one before was taken.
cat > says.py << 'SAYS'
import json, os, re, sys, time, urllib.request, urllib.error
def told(name):
    for _ in range(600):
        try:
            found = [call for call in json.load(open("told.json")) if call[0] == name]
            if found:
                return found
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    sys.exit(f"the hub was not told {name}")
def say(how, kind, **parameters):
    with open("say.part", "w") as file:
        json.dump([how, kind, parameters], file)
    os.replace("say.part", "say.json")
    for _ in range(200):
        if not os.path.exists("say.json"):
            return
        time.sleep(0.05)
    sys.exit(f"{kind} was not taken")
callback = told("setXmlrpcCallback")[0][2]
assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}", callback), callback
assert "coord.pointAt.sky" in told("declareSubscriptions")[0][2]
def post(url, body):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, body.encode()), timeout=10).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0  # closed before all was sent
call = "<methodCall><methodName>samp.client.receiveNotification</methodName><params>{}</params></methodCall>"
value = "<param><value>{}</value></param>"
assert post(callback, call.format("".join(map(value.format, ("wrong", "c1", "x"))))) == 500
assert post(callback[:-4], call.format("")) == 400
assert post(callback, "<methodCall>" + "<value><array><data>" * 5000) == 500
assert post(callback, "x" * (2 << 20)) in (0, 400)
here = os.getcwd()
say("Call", "image.load.fits", url="file://" + here + "/sky%20field.fits", name="sky")
assert told("reply")[0][2] == "7" and told("reply")[0][3]["samp.status"] == "samp.ok"
time.sleep(2)
say("Notification", "image.load.fits", url="http://example.org/a.fits")
say("Notification", "table.load.votable", url="file://localhost" + here + "/rows.vot", **{"table-id": "t1"})
time.sleep(1)
say("Notification", "coord.pointAt.sky", ra="nonsense", dec="1")
from_table = open("rows.vot").read()
say("Notification", "table.highlight.row", row="2", **{"table-id": "t1"})
time.sleep(1)
SAYS
cat > steps << 'STEPS'
open sky%20field.fits
settle
action panel.send
wait 3
settle
click send.join
wait 3
settle
until documents.length > 1
settle
pause 6
dump state.json
click send.point
wait 3
settle
pause 1
STEPS
sed -i 's/^open .*/open first.fits/' steps
cp 'sky field.fits' first.fits
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps &
player=$!
python3 says.py
wait "$player"
python3 - << 'CHECK'
import json, re
told = json.load(open("told.json"))
pointed = [call[2] for call in told if call[0] == "notifyAll"]
assert [each["samp.mtype"] for each in pointed] == ["coord.pointAt.sky"], pointed
text = open("rows.vot").read()
names = re.findall(r'<FIELD[^>]*name="([^"]*)"', text)
cells = re.findall(r"<TD>([^<]*)</TD>", re.findall(r"<TR>(.*?)</TR>", text, re.S)[2])
row = dict(zip(names, cells))
for key, name in (("ra", "RA"), ("dec", "DEC")):
    assert abs(float(pointed[0]["samp.params"][key]) - float(row[name])) < 1e-3, (pointed, row[name])
CHECK
echo taken
