// SPDX-License-Identifier: BSD-3-Clause
// How a row of the catalogue was made, in words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/run/pipeline/hand_rows.hpp"
#include "core/run/pipeline/result.hpp"

namespace reber {

/// One step on the way to a row.
struct AccountPart {
  std::string title;
  std::vector<std::string> lines;
};

/// What a result says of its rows. It shares what it needs of the result: neither planes nor islands.
class RowAccounts {
 public:
  /// result: with sources;   hand: the rows by hand, where there are any
  explicit RowAccounts(const Result& result, std::shared_ptr<const HandRows> hand = nullptr);

  /// The source as it stands, its island, what deblending did, the fits that were tried, the refinements with values
  /// before and after, and the flags.
  ///   row: entry of the result's sources, which is the Source_id, or of those with the rows by hand   throws
  ///   InputError where there is no such row
  [[nodiscard]] std::vector<AccountPart> of(std::int64_t row) const;

 private:
  struct Found {
    DetectOptions options;
    Shared<std::vector<SourceRow>> measured;
    Shared<Fitted> fitted;
  };
  static Found found_by(const FoundSources& found);

  std::shared_ptr<const Request> request_;
  std::shared_ptr<const ImageHeader> header_;
  BeamField beams_;
  Shared<std::vector<Source>> judged_;
  Found positive_, negative_;
  std::shared_ptr<const HandRows> hand_;  ///< null: none
};

/// The parts as a text, lines indented by two blanks.
[[nodiscard]] std::string to_text(const std::vector<AccountPart>& account);

}  // namespace reber
