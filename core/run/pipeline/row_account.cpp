// SPDX-License-Identifier: BSD-3-Clause
// Rows keep what happened to them (RowStory); here it is told, in the units of the catalogue.
#include "core/run/pipeline/row_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/measure/fitting/refinements.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/sky/model/decimals.hpp"

namespace reber {
namespace {

/// What is known of the image that a row is from.
struct Teller {
  const Request& request;
  const ImageHeader& header;
  const BeamField& beams;
  const DetectOptions& detect;
  bool fits;  ///< some were tried
  const std::vector<Source>& all;
  const HandRows* hand;  ///< null: none
  const SourceRow& row;
  const Source& source;

  /// A row as it would stand in the catalogue.
  [[nodiscard]] Source made_of(const SourceRow& one) const {
    return make_sources({&one, 1}, detect, header, beams, request.calibration).front();
  }
};

/// A value with its error, both by one prefix.
std::string with_error(double value, double error, const std::string& unit) {
  const double size = std::max(std::abs(value), std::abs(error));
  const auto [factor, prefix] = !(size < 1)    ? std::pair(1.0, "")
                                : size >= 1e-3 ? std::pair(1e3, "m")
                                               : std::pair(1e6, "u");
  const int decimals = decimals_for(0.1 * std::abs(error) * factor, 3);
  return fmt::format("{:.{}f} +- {:.{}f} {}{}", value * factor, decimals, error * factor, decimals, prefix, unit);
}

std::string total_of(const Source& one, const Teller& of) {
  return with_error(one.total, one.e_total, of.header.unit.total_name());
}
std::string peak_of(const Source& one, const Teller& of) {
  return with_error(one.peak, one.e_peak, of.header.unit.name());
}

/// FWHMs and angle; empty where they are not known.
std::string size_of(const Source& one) {
  constexpr double kArcsec = 3600;
  if (!std::isfinite(one.major_deg)) return {};
  const int places = decimals_for(0.1 * one.minor_deg * kArcsec, 1);
  return fmt::format("{:.{}f} x {:.{}f} arcsec at {:.1f} deg", one.major_deg * kArcsec, places, one.minor_deg * kArcsec,
                     places, one.pa_deg);
}

AccountPart source_part(std::int64_t id, const Teller& of) {
  const Source& one = of.source;
  AccountPart part{fmt::format("Source {}", id), {}};
  part.lines.push_back(fmt::format("centre x {:.2f}, y {:.2f}", one.x, one.y));
  if (std::isfinite(one.ra))
    part.lines.back() += fmt::format("; longitude {:.6f}, latitude {:.6f} deg", one.ra, one.dec);
  part.lines.push_back(fmt::format("total {}, peak {}", total_of(one, of), peak_of(one, of)));
  if (const std::string size = size_of(one); !size.empty()) part.lines.push_back("size " + size);
  part.lines.push_back(one.fitted                       ? "measured by a Gaussian fit"
                       : (one.flag & kFlagComplex) != 0 ? "measured by its pixels: their sum and moments as they stand"
                       : (one.flag & kFlagSmall) != 0   ? "measured by its brightest pixel, with the beam's shape"
                                                        : "measured by the moments of its pixels, corrected for "
                                                          "what is below the flood threshold");
  return part;
}

AccountPart island_part(const Teller& of) {
  const Source& one = of.source;
  AccountPart part{fmt::format("Island {}", one.island), {}};
  const std::int64_t pixels = of.row.whole_npix == 0 ? of.row.sums.npix : of.row.whole_npix;
  part.lines.push_back(fmt::format("{} pixels, sum {}", pixels,
                                   with_error(one.isl_total, one.e_isl_total, of.header.unit.total_name())));
  part.lines.push_back(
      fmt::format("this source: {} pixels of it in x {} to {}, y {} to {}", one.npix, one.x0, one.x1, one.y0, one.y1));
  part.lines.push_back(fmt::format("brightest pixel x {}, y {}: {:.1f} times the noise of {:.3g} {}", one.peak_x,
                                   one.peak_y, one.snr, one.rms, of.header.unit.name()));
  part.lines.push_back(fmt::format("thresholds: {:g} times the noise for the brightest pixel, {:g} for the others{}",
                                   of.detect.seed, of.detect.flood,
                                   one.wave > 0 ? fmt::format("; found on wavelet plane {}", one.wave) : ""));
  std::string others;
  const std::vector<Source>& all = of.all;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].island == one.island && &all[k] != &one && (of.hand == nullptr || of.hand->replaced[k] == 0))
      others += fmt::format("{}{}", others.empty() ? "" : ", ", k);
  part.lines.push_back(others.empty() ? "no other source in this island" : "other sources in this island: " + others);
  return part;
}

/// Why a peak did not stand; the rules are those of deblend().
std::string reason(const JoinedPeak& one, const Teller& of) {
  const DeblendOptions& options = of.request.deblend;
  const double rise = one.peak - one.level;
  if (!one.itself) return "the greater one does not stand by itself there";
  if (!(rise > options.prominence))
    return fmt::format("it rises {:.2g} times the noise above where they meet; {:g} are asked for", rise,
                       options.prominence);
  return fmt::format(
      "it holds less than {:g} of the island's flux above where they meet, and rises there by less than {:g} times the "
      "noise or {:g} of the greater peak",
      options.contrast, of.detect.seed, 2 * options.contrast);
}

AccountPart deblending_part(const Teller& of) {
  AccountPart part{"Deblending", {}};
  if (!of.request.deblend.on) {
    part.lines.emplace_back("switched off");
    return part;
  }
  constexpr std::size_t kTold = 5;  // those that came nearest to standing
  std::vector<JoinedPeak> joined = of.row.story.joined ? *of.row.story.joined : std::vector<JoinedPeak>();
  std::ranges::stable_sort(joined, std::greater(), [](const JoinedPeak& one) { return one.peak - one.level; });
  part.lines.push_back(joined.empty() ? "no peak above the threshold joined another"
                                      : fmt::format("{} peak{} above the threshold joined a greater one{}",
                                                    joined.size(), joined.size() == 1 ? "" : "s",
                                                    joined.size() > kTold ? "; those that rose most:" : ":"));
  for (const JoinedPeak& one : std::span(joined).first(std::min(kTold, joined.size())))
    part.lines.push_back(fmt::format("the peak at x {}, y {} ({:.1f} times the noise) joined that at x {}, y {}: {}",
                                     one.x, one.y, one.peak, one.into_x, one.into_y, reason(one, of)));
  part.lines.emplace_back(of.row.shared ? "the island is split, or a fit found more in it"
                                        : "the island is one source");
  return part;
}

/// In place of deblending.
AccountPart hand_part(Origin origin) {
  const char* how = origin == Origin::added    ? "added where a person pointed"
                    : origin == Origin::merged ? "rows that a person merged"
                    : origin == Origin::split  ? "a part of a row that a person split"
                    : origin == Origin::moved  ? "fitted from where a person moved it"
                                               : "fitted again, beside a row that a person asked for";
  return {"By hand", {how}};
}

std::string words_of(const FitAttempt& one) {
  using Of = FitAttempt::Of;
  const char* of = one.of == Of::island ? "the island"
                   : one.of == Of::part ? "a part"
                   : one.of == Of::core ? "the core above the level around it"
                                        : "all parts together, from where they ended";
  const char* trial = one.rung == FitRung::residual       ? ", one added where most was left"
                      : one.rung == FitRung::pair         ? ", two beams in place of a wide one"
                      : one.rung == FitRung::shapes       ? ", all shapes free"
                      : one.rung == FitRung::beam_shape   ? ", with the beam's shape"
                      : one.rung == FitRung::significance ? ", the beam against the measured noise"
                                                          : "";
  const char* outcome = one.outcome == FitAttempt::Outcome::taken     ? "taken"
                        : one.outcome == FitAttempt::Outcome::refused ? "refused"
                                                                      : "did not settle";
  return fmt::format("{}: {} Gaussian{}{}; {} weights; chi^2 {:.4g} of {} pixels: {}", of, one.components,
                     one.components == 1 ? "" : "s", trial, one.correlated ? "correlated" : "ordinary", one.chi2,
                     one.pixels, outcome);
}

AccountPart fits_part(const Teller& of) {
  AccountPart part{"Fits of the island", {}};
  if (!of.fits) {
    part.lines.emplace_back("none: sources are measured by their moments");
    return part;
  }
  if (of.row.story.attempts)
    for (const FitAttempt& one : *of.row.story.attempts) part.lines.push_back(words_of(one));
  if (part.lines.empty()) part.lines.emplace_back("none could be afforded");
  if (!of.source.fitted) part.lines.emplace_back("no fit stands for this source");
  return part;
}

/// What differs between two states of a row.
std::string difference(const Source& before, const Source& after, const Teller& of) {
  std::vector<std::string> words;
  const auto tell = [&](const char* name, const std::string& was, const std::string& is) {
    if (was != is) words.push_back(fmt::format("{} {}, now {}", name, was, is));
  };
  const auto kind = [](const Source& one) { return one.fitted ? "a Gaussian" : "a sum of pixels"; };
  tell("measured as", kind(before), kind(after));
  tell("total", total_of(before, of), total_of(after, of));
  tell("peak", peak_of(before, of), peak_of(after, of));
  tell("size", size_of(before), size_of(after));
  const auto place = [](const Source& one) {
    return fmt::format("x {:.3f} +- {:.3f}, y {:.3f} +- {:.3f}", one.x, one.e_x, one.y, one.e_y);
  };
  tell("centre", place(before), place(after));
  tell("flag", fmt::format("{}", before.flag), fmt::format("{}", after.flag));
  return words.empty() ? "changed in the last digits" : fmt::format("{}", fmt::join(words, "; "));
}

AccountPart refinements_part(const Teller& of) {
  AccountPart part{"Refinements", {}};
  const std::vector<RowChange>& changes = of.row.story.changes;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const Refinement& by = refinements()[changes[k].refinement];
    const SourceRow& after = k + 1 < changes.size() ? *changes[k + 1].before : of.row;
    part.lines.push_back(fmt::format("{} ({}): {}", by.name, by.what,
                                     difference(of.made_of(*changes[k].before), of.made_of(after), of)));
  }
  if (part.lines.empty()) part.lines.emplace_back("none changed this source");
  return part;
}

AccountPart flags_part(const Teller& of) {
  AccountPart part{fmt::format("Flag {}", of.source.flag), {}};
  for (const FlagWord& one : flag_words())
    if ((of.source.flag & one.bit) != 0) part.lines.push_back(fmt::format("{}: {}", one.bit, one.words));
  if (part.lines.empty()) part.lines.emplace_back("nothing to say");
  return part;
}

}  // namespace

RowAccounts::RowAccounts(const Result& result, std::shared_ptr<const HandRows> hand)
    : request_(result.outcomes.judged->key.parameters),
      header_(result.outcomes.planned->value.header),
      beams_(result.beams()),
      judged_(result.outcomes.judged),
      positive_(found_by(result.outcomes.positive)),
      negative_(found_by(result.outcomes.negative)),
      hand_(std::move(hand)) {}

RowAccounts::Found RowAccounts::found_by(const FoundSources& found) {
  return {found.detected ? found.detected->value.options : DetectOptions(), found.measured, found.fitted};
}

std::vector<AccountPart> RowAccounts::of(std::int64_t row) const {
  const std::vector<Source>& all = hand_ ? hand_->sources : judged_->value;
  if (row < 0 || row >= std::ssize(all))
    throw InputError(all.empty() ? "there is no source to tell of"
                                 : fmt::format("there is no source {}: they are 0 to {}", row, all.size() - 1));
  const Source& source = all[static_cast<std::size_t>(row)];
  const Found& found = source.negative ? negative_ : positive_;
  const bool by_hand = hand_ && row >= static_cast<std::int64_t>(hand_->found);
  const std::vector<SourceRow>& rows = by_hand        ? hand_->rows
                                       : found.fitted ? found.fitted->value.rows
                                                      : found.measured->value;
  const Teller of{*request_, *header_,    beams_,           found.options, found.fitted != nullptr,
                  all,       hand_.get(), rows[source.row], source};
  return {source_part(row, of),
          island_part(of),
          by_hand ? hand_part(hand_->origin[static_cast<std::size_t>(row)]) : deblending_part(of),
          fits_part(of),
          refinements_part(of),
          flags_part(of)};
}

std::string to_text(const std::vector<AccountPart>& account) {
  std::string text;
  for (const AccountPart& part : account) {
    text += part.title + "\n";
    for (const std::string& line : part.lines) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace reber
