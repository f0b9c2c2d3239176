// SPDX-License-Identifier: BSD-3-Clause
// Cards by the driver's files, and the two variables that the driver reads as it starts.
#include "app/options/one_card.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace reber::app {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kOrder = "CUDA_DEVICE_ORDER";

struct Changes {
  bool taken = false, visible = false, order = false;
  std::optional<std::string> visible_before;
  OwnCard card;
};

Changes& changes() {
  static Changes made;
  return made;
}

/// Empty where a word is none: the driver reads no further than that.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (word.empty() || word.front() == '-' || word.find(' ') != std::string_view::npos) return {};
    words.emplace_back(word);
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::vector<int> cards_by_files(const std::string& root) {
  const std::filesystem::path folder(root);
  std::error_code error;
  std::vector<int> cards;
  for (const auto& card : std::filesystem::directory_iterator(folder / "proc/driver/nvidia/gpus", error))
    if (card.is_directory(error)) cards.push_back(static_cast<int>(cards.size()));
  for (const int card : cards)
    if (!std::filesystem::exists(folder / ("dev/nvidia" + std::to_string(card)), error)) return {};
  return cards;
}

std::vector<std::string> cards_in_sight(const std::string& root) {
  if (const char* const words = std::getenv(kVisible)) return words_of(words);
  std::vector<std::string> cards;
  for (const int card : cards_by_files(root)) cards.push_back(std::to_string(card));
  return cards;
}

int local_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID",
                           "MV2_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID"})
    if (const char* const word = std::getenv(name)) {
      const std::string_view text(word);
      int rank = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
      if (error == std::errc() && stop == text.data() + text.size() && rank >= 0) return rank;
    }
  return 0;
}

OwnCard take_own_card(int device, bool named) noexcept {
  Changes& made = changes();
  if (made.taken) return made.card;
  made.taken = true;
  made.card.device = device;
  if (named) count_cards_by_bus();
  try {
    const std::vector<std::string> cards = cards_in_sight();
    if (!named && !cards.empty()) made.card.device = local_rank() % static_cast<int>(cards.size());
    if (cards.size() < 2 || made.card.device < 0 || made.card.device >= std::ssize(cards)) return made.card;
    if (const char* const before = std::getenv(kVisible)) made.visible_before = before;
    if (::setenv(kVisible, cards[static_cast<std::size_t>(made.card.device)].c_str(), 1) != 0) return made.card;
    made.visible = true;
    made.card.hidden = made.card.device;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): all cards stay in sight
  }
  return made.card;
}

void count_cards_by_bus() noexcept {
  if (std::getenv(kVisible) != nullptr) return;  // a list's numbers mean what they meant to whoever wrote it
  if (std::getenv(kOrder) == nullptr && ::setenv(kOrder, "PCI_BUS_ID", 0) == 0) changes().order = true;
}

void show_all_cards() noexcept {
  Changes& made = changes();
  if (made.visible && made.visible_before)
    (void)::setenv(kVisible, made.visible_before->c_str(), 1);
  else if (made.visible)
    (void)::unsetenv(kVisible);
  if (made.order) (void)::unsetenv(kOrder);
  made = {};
}

}  // namespace reber::app
