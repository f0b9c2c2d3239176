// SPDX-License-Identifier: BSD-3-Clause
// Cards by the driver's files, and the two variables that the driver reads as it starts.
#include "app/options/one_card.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>

namespace reber::app {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kOrder = "CUDA_DEVICE_ORDER";

struct Hidden {
  bool asked = false, visible = false, order = false;
  int before = 0;
};

Hidden& hidden() {
  static Hidden cards;
  return cards;
}

}  // namespace

std::vector<int> cards_by_files(const std::string& root) {
  if (std::getenv(kVisible) != nullptr) return {};
  const std::filesystem::path folder(root);
  std::error_code error;
  std::vector<int> cards;
  for (const auto& card : std::filesystem::directory_iterator(folder / "proc/driver/nvidia/gpus", error))
    if (card.is_directory(error)) cards.push_back(static_cast<int>(cards.size()));
  for (const int card : cards)
    if (!std::filesystem::exists(folder / ("dev/nvidia" + std::to_string(card)), error)) return {};
  return cards;
}

std::optional<std::string> word_for_card(int device, int cards) {
  if (cards < 2 || device < 0 || device >= cards) return std::nullopt;
  return std::to_string(device);
}

int hide_other_cards(int device, bool named) noexcept {
  Hidden& cards = hidden();
  if (cards.asked) return cards.before;
  cards.asked = true;
  if (named) count_cards_by_bus();
  try {
    const auto visible = word_for_card(device, static_cast<int>(cards_by_files().size()));
    if (visible && ::setenv(kVisible, visible->c_str(), 0) == 0) {
      cards.visible = true;
      cards.before = device;
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): all cards stay in sight
  }
  return cards.before;
}

void count_cards_by_bus() noexcept {
  if (std::getenv(kOrder) == nullptr && ::setenv(kOrder, "PCI_BUS_ID", 0) == 0) hidden().order = true;
}

void show_all_cards() noexcept {
  if (hidden().visible) (void)::unsetenv(kVisible);
  if (hidden().order) (void)::unsetenv(kOrder);
  hidden() = {};
}

}  // namespace reber::app
