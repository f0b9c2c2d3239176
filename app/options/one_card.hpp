// SPDX-License-Identifier: BSD-3-Clause
// A process that works on one card asks the driver for that one alone: it starts each card that it sees, .3 s apiece.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace reber::app {

/// Numbers of the cards that the driver's files in `root` name, 0 to their count: known without starting the driver.
/// Empty where CUDA_VISIBLE_DEVICES narrows them down already, and where the files say nothing or not the same (a
/// container with some of a host's cards).
[[nodiscard]] std::vector<int> cards_by_files(const std::string& root = "/");

/// CUDA_VISIBLE_DEVICES for card `device` alone. Nothing where there is one card, or none of that number.
[[nodiscard]] std::optional<std::string> word_for_card(int device, int cards);

/// Hides all cards but `device` from the driver, which must not have been started, and says how many of those before it
/// are hidden: the number to take from `device` where CUDA is asked (BackendOptions::hidden_cards). 0 where all are
/// left in sight. `named`: the user counts as nvidia-smi does, by place on the bus; else card 0 is the fastest one, as
/// CUDA counts. Sets environment variables: call it before threads start. A second call answers as the first.
int hide_other_cards(int device, bool named) noexcept;

/// Cards count by their place on the bus, as nvidia-smi has them, unless the user said otherwise.
void count_cards_by_bus() noexcept;

/// Takes back what hide_other_cards set, before the program is executed anew.
void show_all_cards() noexcept;

}  // namespace reber::app
