#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The viewer as a user starts it, without a display.
source "$(dirname "$0")/harness.sh"
[ -x "$(dirname "$reber")/reber-view" ] || exit 77
unset DISPLAY WAYLAND_DISPLAY

run view
expect_status 4
expect_in err 'needs a display' 'ssh -X'

run view --help
expect_status 0
expect_in out '--script' '--bench'

run view --colour
expect_status 2
expect_in err 'colour'

run view --script missing.steps
expect_status 2
expect_in err 'missing.steps'

finish
