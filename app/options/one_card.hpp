// SPDX-License-Identifier: BSD-3-Clause
// A process that works on one card asks the driver for that one alone: it starts each card that it sees, .2 s apiece.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/seam/compute/backend_options.hpp"

namespace reber::app {

/// Numbers of the cards that the driver's files in `root` name, 0 to their count: known without starting the driver.
/// Empty where the files say nothing or not the same (a container with some of a host's cards).
[[nodiscard]] std::vector<int> cards_by_files(const std::string& root = "/");

/// What CUDA_VISIBLE_DEVICES may say for each card alone: its own words, else cards_by_files(). Empty where neither
/// tells.
[[nodiscard]] std::vector<std::string> cards_in_sight(const std::string& root = "/");

/// Which of a host's processes this is, from 0: of Open MPI, Slurm, MPICH and Intel MPI, MVAPICH or PALS; 0 by itself.
[[nodiscard]] int local_rank();
/// Whether one of these says it, whatever the number.
[[nodiscard]] bool is_ranked();

/// The card that a process works on: its number among those in sight.
using OwnCard = CardNumber;

/// Hides all cards but one from the driver, which must not have been started: card `device` where the user named it,
/// who then counts as nvidia-smi does, by place on the bus; else the fastest, or of several processes of a host a card
/// each, in turn. All stay in sight where they are not known, where there is one, or none of that number. Sets
/// environment variables: call it before threads start. A second call answers as the first.
OwnCard take_own_card(int device, bool named) noexcept;

/// Cards that this process works on together, in ascending order, one at least; the others are hidden as above.
/// named: "all", numbers like "0,2", or empty for `paid` of those in sight. One of several processes of a host that
/// names none has one card.   throws InputError for words that are neither, DeviceError for cards that are not there
[[nodiscard]] std::vector<CardNumber> take_own_cards(const std::string& named, std::size_t paid);

/// Cards count by their place on the bus, as nvidia-smi has them, unless the user said otherwise or listed cards.
void count_cards_by_bus() noexcept;

/// Takes back what take_own_card() and count_cards_by_bus() set, before the program is executed anew.
void show_all_cards() noexcept;

}  // namespace reber::app
