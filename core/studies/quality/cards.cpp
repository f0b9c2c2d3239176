// SPDX-License-Identifier: BSD-3-Clause
// Cut-outs and words of single sources.
#include "core/studies/quality/cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/measure/sources/model_map.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/show/picture/png_encoder.hpp"
#include "core/studies/quality/source_stamps.hpp"

namespace reber {
namespace {

/// Flags that say that a number may be wrong, not merely how it was measured.
constexpr std::int64_t kDoubts =
    kFlagEdge | kFlagComplex | kFlagNotFitted | kFlagBound | kFlagExtra | kFlagBeyond | kFlagNoise;
constexpr double kUnreliable = 0.9;

bool doubtful(const Source& one) { return (one.flag & kDoubts) != 0 || one.reliability < kUnreliable; }

class CardMaker {
 public:
  CardMaker(const Result& result, const Progress& progress)
      : result_(result), progress_(progress), accounts_(result), model_(result.sources(), result.header().shape) {}
  [[nodiscard]] SourceCard card(std::size_t row, bool doubt) const;

 private:
  void neighbours(const Source& one, SourceCard& card) const;
  void stamps(const Source& one, SourceCard& card) const;

  const Result& result_;
  const Progress& progress_;
  RowAccounts accounts_;
  ModelMap model_;
  mutable ThreadPool pool_{1};
};

void CardMaker::neighbours(const Source& one, SourceCard& card) const {
  constexpr double kNear = 3;
  const double reach = kNear * width_px(one);
  std::vector<std::pair<double, const Source*>> near;
  for (const Source& other : result_.sources()) {
    const double distance = std::hypot(other.x - one.x, other.y - one.y);
    if (&other != &one && !other.negative && distance < reach) near.emplace_back(distance, &other);
  }
  std::ranges::sort(near, {}, [](const auto& pair) { return pair.first; });
  constexpr std::size_t kTold = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(kTold, near.size()); ++k)
    text += fmt::format("{}S/N {:.1f} at {:.1f} pixels", k == 0 ? "" : ", ", near[k].second->snr, near[k].first);
  if (near.size() > kTold) text += fmt::format(" and {} more", near.size() - kTold);
  card.lines.push_back(near.empty() ? "no neighbour within three widths" : "neighbours: " + text);
}

void CardMaker::stamps(const Source& one, SourceCard& card) const {
  const std::optional<SourceStamps> made = stamps_of(result_, model_, one, progress_);
  if (!made) return;
  card.residual = made->largest_rest;
  const auto png = [&](const Image& image) {
    std::vector<Rgb> room;
    const RgbView view = painted(image, made->limits, pool_, room);
    return encode_png(view.pixels, view.width, view.height, {1, progress_});
  };
  if (!(made->limits.high > made->limits.low)) return;
  card.data_png = png(made->data), card.model_png = png(made->model), card.residual_png = png(made->rest);
}

SourceCard CardMaker::card(std::size_t row, bool doubt) const {
  const Source& one = result_.sources()[row];
  SourceCard card;
  card.row = static_cast<std::int64_t>(row);
  card.doubtful = doubt;
  SourceWords words = words_of(result_.header(), one);
  card.title = std::move(words.title), card.lines = std::move(words.lines);
  stamps(one, card);
  card.lines.push_back(fmt::format("largest residual within its width: {:.1f} times the noise", card.residual));
  neighbours(one, card);
  for (const FlagWord& flag : flag_words())
    if ((one.flag & flag.bit) != 0) card.doubts.emplace_back(flag.words);
  if (one.reliability < kUnreliable) card.doubts.push_back(fmt::format("reliability {:.2f}", one.reliability));
  card.account = accounts_.of(card.row);
  return card;
}

}  // namespace

std::vector<SourceCard> make_cards(const Result& result, std::size_t each, const Progress& progress) {
  std::vector<SourceCard> cards;
  const std::vector<Source>& sources = result.sources();
  if (!result.outcomes.judged || sources.empty()) return cards;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < sources.size(); ++row)
    if (!sources[row].negative) rows.push_back(row);
  std::ranges::stable_sort(rows, std::greater(), [&](std::size_t row) { return sources[row].snr; });
  const CardMaker maker(result, progress);
  std::set<std::size_t> taken;
  for (const bool doubt : {false, true}) {
    std::size_t count = 0;
    for (const std::size_t row : rows) {
      if (count == each) break;
      if ((doubt && !doubtful(sources[row])) || !taken.insert(row).second) continue;
      cards.push_back(maker.card(row, doubt));
      ++count;
    }
  }
  return cards;
}

}  // namespace reber
