#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Laws of measurement that hold on small skies (bench/laws.py), and that the suite sees a program that breaks them.
# Skipped (77) without Python and NumPy.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy

laws() {  # PROGRAM OPTIONS...
  local program=$1
  shift
  status=0
  python3 "$source_folder/bench/laws.py" --reber "$program" "$@" >out 2>err || status=$?
  what="laws.py $*"
}

exact=(--law times --law plus --law "noise" --law "one more" --law "1 thread" --law bands)
laws "$reber" --random 3 --size 192 "${exact[@]}" --law frame
expect_status 0
laws "$reber" --sky strange:primary:1 --sky strange:padded:1 --law "frame 37" --law mirror
expect_status 0
field=$data/images/askap/ScorpioS17Field.fits
if [ -f "$field" ]; then
  laws "$reber" --image "$field" --law "frame 7" --law "frame 37"
  expect_status 0
fi

# Each call has another threshold, flux or place than the one before.
cat >forgetful <<END
#!/bin/bash
echo >>"$scratch/calls"
odd=\$((\$(wc -l <"$scratch/calls") % 2))
"$reber" "\$@" || exit
[ "\$1" = find ] || exit 0
python3 - "\$@" "\$odd" <<'PYTHON'
import csv, os, sys
path, fault = sys.argv[sys.argv.index("-o") + 1], os.environ["FAULT"]
lines = list(open(path))
notes, rows = [line for line in lines if line[0] == "#"], list(csv.DictReader(line for line in lines if line[0] != "#"))
if sys.argv[-1] == "1" and fault == "lost":
    rows.remove(max(rows, key=lambda row: float(row["Peak_flux"])))
if sys.argv[-1] == "1" and fault == "total":
    rows[0]["Total_flux"] = float(rows[0]["Total_flux"]) + float(rows[0]["E_Total_flux"])
if sys.argv[-1] == "1" and fault == "place":
    rows[0]["Xposn"] = float(rows[0]["Xposn"]) + 1.5 * float(rows[0]["E_Xposn"])
with open(path, "w", newline="") as file:
    file.writelines(notes)
    table = csv.DictWriter(file, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
PYTHON
END
chmod +x forgetful
for fault in lost total place; do
  export FAULT=$fault
  laws "$scratch/forgetful" --random 1 --size 192 --law "times 2^20" --keep kept --json laws.json
  expect_status 1
  expect_file kept/*/before.fits kept/*/after.csv kept/*/worst_*.fits
  expect_json laws.json 'not list(d.values())[0]["times 2^20"][0]["held"]'
  rm -rf kept
done
unset FAULT
laws "$reber" --law nonsense
expect_status 2
expect_in err "no law begins so"
finish
