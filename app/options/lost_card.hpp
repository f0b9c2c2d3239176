// SPDX-License-Identifier: BSD-3-Clause
// What a command does where the card's driver keeps one of its threads for ever.
#pragma once

namespace reber::app {

/// From then on a lost card (core/seam/compute/lost_card.hpp) has the whole command begin anew in this process, which
/// gives up the driver with all else that it holds: with --backend auto on the processor, after a warning, and with the
/// words in every header; with --backend cuda to exit code 4. A command that reads a list from its input, a worker of a
/// batch, and one that has begun anew before end with exit code 4 at once. No temporary is left.
///   arguments  of main(), which live as long as the process
void install_lost_card(char** arguments) noexcept;

/// Why the command begins anew: its words; null where it does not.
[[nodiscard]] const char* card_lost_before() noexcept;
/// The card may be tried again, by what this process begins.
void forget_lost_card() noexcept;

}  // namespace reber::app
