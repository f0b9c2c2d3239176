#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber send: files into programs beside it, with a hub of Python's own XML-RPC that writes down what it is told.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

start() {  # NAME [SECRET [HOST]]
  rm -f told.json
  python3 "$source_folder/tests/support/samp_hub.py" "$@" 2>hub.err &
  hub=$!
  for _ in $(seq 200); do [ -s "$1.samp" ] && break; sleep 0.1; done
  export SAMP_HUB="std-lockurl:file://localhost$PWD/$1.samp"
}
stop() {
  kill "$hub"
  wait "$hub" 2>/dev/null
}

mkdir 'a b'
cp "$sample_data/galactic_plane_150mhz.fits" 'a b/image 100%.fits'
run find 'a b/image 100%.fits' --backend cpu --threshold 20 -o table.vot table.fits table.csv --quiet
expect_status 0
run mask 'a b/image 100%.fits' --coverage --moc moc.fits --quiet
expect_status 0

export SAMP_HUB=std-lockurl:file:///nowhere/samp
run send table.vot
expect_status 2
expect_in err "no SAMP hub runs here" /nowhere/samp "start TOPCAT"

start plain
run send 'a b/image 100%.fits' table.vot table.fits moc.fits --json sent.json
expect_status 0
expect_in out "table.vot -> TOPCAT, Aladin & co <3> (table.load.votable)" "image 100%.fits -> Aladin & co <3> (image.load.fits)" \
  "table.fits -> TOPCAT (table.load.fits)" "moc.fits -> Aladin & co <3> (coverage.load.moc.fits)"
expect_json sent.json 'len(d) == 4 and d[1]["programs"] == ["TOPCAT", "Aladin & co <3>"]'
expect_json told.json '[c[0] for c in d[:2]] == ["register", "declareMetadata"] and d[1][2]["samp.name"] == "Reber" and d[-1] == ["unregister", "k:1"]'
expect_json told.json '[(c[2], c[3]["samp.mtype"]) for c in d if c[0] == "notify"] == [("c2", "image.load.fits"), ("c1", "table.load.votable"), ("c2", "table.load.votable"), ("c1", "table.load.fits"), ("c2", "coverage.load.moc.fits")]'
expect_json told.json 'all(__import__("os").path.exists(__import__("urllib.parse").parse.unquote(c[3]["samp.params"]["url"])[7:]) for c in d if c[0] == "notify")'
expect_json told.json '[c for c in d if c[0] == "notify"][0][3]["samp.params"]["url"].endswith("/a%20b/image%20100%25.fits")'
run send table.vot --to topcat
expect_status 0
expect_in out "-> TOPCAT (table"
run send table.vot --to ds9
expect_status 2
expect_in err "no program named 'ds9' takes table.load.votable"
run send table.csv
expect_status 2
expect_in err "FITS or a VOTable was expected"
run send nowhere.fits
expect_status 3

# The hub is the only peer, on this machine.
if strace -o /dev/null true 2>/dev/null; then
  what="connections of reber send"
  no_leak_check
  strace -f -o calls -e trace=network "$reber" send table.vot >out 2>err </dev/null || report "it fails under strace"
  checks=$((checks + 1))
  grep -q 'connect(.*AF_INET.*inet_addr("127.0.0.1")' calls || report "expected a connection to the hub"
  grep -E '(connect|sendto|bind|listen)\(' calls | grep -vE 'inet_addr\("127\.0\.0\.1"\)|sendto\([0-9]+, "[^"]*".*, NULL, 0\)' >others
  expect_empty others
fi
stop
run send table.vot
expect_status 3
expect_in err "nobody answers"

start named s3cret localhost
run send table.vot
expect_status 0
stop
start wrong wrong
run send table.vot
expect_status 3
expect_in err "the hub refuses" "wrong secret"
stop
: >odd.samp && chmod 600 odd.samp
for url in http://192.0.2.7:21012/xmlrpc http://127.0.0.1.example.org:21012/ https://127.0.0.1:21012/ http://127.0.0.1/xmlrpc \
  http://127.0.0.1:99999/ 'http://[::2]:21012/'; do
  printf 'samp.secret=a\nsamp.hub.xmlrpc.url=%s\n' "$url" >odd.samp
  export SAMP_HUB="std-lockurl:file://$PWD/odd.samp"
  run send table.vot
  expect_status 3
  expect_in err "was expected"
done
echo nothing >odd.samp
run send table.vot
expect_status 3
expect_in err "not a hub's file"
chmod 644 odd.samp
run send table.vot
expect_status 3
expect_in err "chmod 600"
unset SAMP_HUB
status=0
env -u HOME "$reber" send table.vot >out 2>err || status=$?
what="no HOME"
expect_status 2
expect_in err "HOME is not set"

# A hub that answers a byte at a time is not waited for longer than a minute.
cat >slow.py <<'END'
import os, socket, time
listening = socket.create_server(("127.0.0.1", 0))
os.umask(0o077)
with open("slow.part", "w") as file:
    file.write(f"samp.secret=a\nsamp.hub.xmlrpc.url=http://127.0.0.1:{listening.getsockname()[1]}/\n")
os.replace("slow.part", "slow.samp")
talk, _ = listening.accept()
try:
    while True:
        talk.sendall(b"H")
        time.sleep(1)
except OSError:
    pass
END
python3 slow.py &
while [ ! -e slow.samp ]; do sleep 0.05; done
export SAMP_HUB="std-lockurl:file://$PWD/slow.samp"
SECONDS=0
run send table.vot
expect_status 3
expect_in err "SAMP hub at"
checks=$((checks + 1))
[ "$SECONDS" -le 75 ] || report "it was waited for $SECONDS s"
wait
finish
