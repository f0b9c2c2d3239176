// SPDX-License-Identifier: BSD-3-Clause
// Cards by the driver's files, and the two variables that the driver reads as it starts.
#include "app/options/one_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"

namespace reber::app {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kOrder = "CUDA_DEVICE_ORDER";
constexpr std::array kRanks{"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID",
                            "MV2_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID"};

struct Changes {
  bool taken = false, visible = false, order = false;
  std::optional<std::string> visible_before;
  OwnCard card;
  std::vector<CardNumber> cards;  ///< where there are several
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

bool is_ranked() {
  return std::ranges::any_of(kRanks, [](const char* name) { return std::getenv(name) != nullptr; });
}

int local_rank() {
  for (const char* name : kRanks)
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

namespace {

/// Numbers in ascending order, each once.
std::vector<int> numbers_of(const std::string& named) {
  std::vector<int> numbers;
  for (std::size_t begin = 0; begin <= named.size();) {
    const std::size_t end = std::min(named.find(',', begin), named.size());
    int number = -1;
    const auto [stop, error] = std::from_chars(named.data() + begin, named.data() + end, number);
    if (error != std::errc() || stop != named.data() + end || number < 0)
      throw InputError(fmt::format("--devices wants all, or numbers like 0,2, not '{}'", named));
    numbers.push_back(number);
    begin = end + 1;
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

std::vector<CardNumber> take_own_cards(const std::string& named, std::size_t paid) {
  Changes& made = changes();
  if (!made.cards.empty()) return made.cards;
  const std::vector<std::string> sight = cards_in_sight();
  std::vector<int> wanted;
  if (!named.empty() && named != "all") wanted = numbers_of(named);
  if (!wanted.empty() && !sight.empty() && wanted.back() >= std::ssize(sight))
    throw DeviceError(fmt::format("card {} was asked for; there are {}, numbered from 0", wanted.back(), sight.size()));
  if (wanted.empty() && (!named.empty() || !is_ranked()))
    for (int k = 0; k < std::ssize(sight) && (!named.empty() || k < static_cast<std::int64_t>(paid)); ++k)
      wanted.push_back(k);
  if (made.taken || wanted.size() < 2) return {take_own_card(wanted.empty() ? 0 : wanted.front(), !named.empty())};
  made.taken = true;
  if (!named.empty()) count_cards_by_bus();
  std::string visible;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const bool all = sight.empty() || wanted.size() == sight.size();
    made.cards.push_back({wanted[k], all ? 0 : wanted[k] - static_cast<int>(k)});
    if (!sight.empty()) visible += (k > 0 ? "," : "") + sight[static_cast<std::size_t>(wanted[k])];
  }
  if (!sight.empty() && wanted.size() < sight.size()) {
    if (const char* const before = std::getenv(kVisible)) made.visible_before = before;
    made.visible = ::setenv(kVisible, visible.c_str(), 1) == 0;
  }
  made.card = made.cards.front();
  return made.cards;
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
