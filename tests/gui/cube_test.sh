#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A cube and a file of several images: the panel Display chooses plane and HDU, and plays.
#   cube_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# FITS by hand: cards of 80 characters in blocks of 2880 bytes.
header() {
  printf '%-80s' "$@" END > block
  local size
  size=$(stat -c %s block)
  printf '%*s' $(((2880 - size % 2880) % 2880)) '' >> block
  cat block
}
# Bytes of a ramp, padded to a whole block.
pixels() { awk -v n="$1" -v m="$2" 'BEGIN { for (i = 0; i < 2880 * int((n + 2879) / 2880); ++i) printf "%c", i < n ? 65 + (i * m) % 60 : 32 }'; }
{
  header 'SIMPLE  =                    T' 'BITPIX  =                    8' 'NAXIS   =                    3' \
    'NAXIS1  =                   24' 'NAXIS2  =                   20' 'NAXIS3  =                    3' \
    "CTYPE3  = 'FREQ    '" "CUNIT3  = 'Hz      '" 'CRVAL3  =               1.4E+09' 'CRPIX3  =                    1' \
    'CDELT3  =               1.0E+07'
  pixels 1440 7
} > cube.fits
{
  header 'SIMPLE  =                    T' 'BITPIX  =                    8' 'NAXIS   =                    0' \
    'EXTEND  =                    T'
  for name in SCI RMS; do
    header "XTENSION= 'IMAGE   '" 'BITPIX  =                    8' 'NAXIS   =                    2' \
      'NAXIS1  =                   24' 'NAXIS2  =                   20' 'PCOUNT  =                    0' \
      'GCOUNT  =                    1' "EXTNAME = '$name     '"
    pixels 480 $((${#name} + 5))
  done
} > images.fits
cat > steps << 'STEPS'
open cube.fits
settle
expect documents.0.planes == 3
expect documents.0.plane == 0
shown display.plane
hidden display.hdu
click display.plane.next
settle
expect documents.0.plane == 1
click display.plane.previous
settle
expect documents.0.plane == 0
click display.plane 0.98 0.5
settle
expect documents.0.plane == 2
click display.plane.play
until documents.0.plane == 1
click display.plane.play
wait 2
settle
expect animate == false
key Ctrl+w
wait 2
open images.fits
settle
hidden display.plane
expect documents.0.hdu == 1
click display.hdu
wait 3
click display.hdu.2
settle
expect documents.0.hdu == 2
STEPS
exec xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --no-settings --script steps
