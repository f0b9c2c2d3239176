// SPDX-License-Identifier: BSD-3-Clause
// What remains to be said once every image of a batch has ended: summary, joined catalogue, JSON, exit code.
#pragma once

#include <map>

#include "app/batch/run_image.hpp"
#include "app/terminal/terminal.hpp"
#include "core/run/batch/rank.hpp"

namespace reber::app {

/// Keeps a byte per image, and words of those that failed. Not for several threads at once.
class BatchEnd {
 public:
  /// images: the whole list; own: places in it that this process does; first: a request, for names of products.
  ///   throws InputError where the joined catalogue cannot be written
  BatchEnd(const RunSettings& settings, Terminal& terminal, const std::vector<BatchImage>& images,
           const std::vector<std::int64_t>& own, const Rank& rank, const Request& first);

  void add(std::int64_t index, ImageDone done);
  /// An image that an earlier run had done.
  void add_earlier(std::int64_t index, const ImageRecord& record);

  /// Joins, writes --json, says how it went.   returns the worst exit code
  int finish(double seconds, bool met_others = false);

 private:
  [[nodiscard]] const BatchImage& image(std::int64_t index) const { return images_[static_cast<std::size_t>(index)]; }
  void join(bool met_others);
  void say(double seconds);
  void write_reports();

  const RunSettings& settings_;
  Terminal& terminal_;
  const std::vector<BatchImage>& images_;
  const std::vector<std::int64_t>& own_;
  std::string join_;  ///< path; empty: nothing is joined
  enum class State : unsigned char { missing, done, skipped, failed };
  std::vector<State> states_;                 ///< of the whole list
  std::map<std::int64_t, Failure> failures_;  ///< by index
  std::map<std::int64_t, std::string> dry_reports_;
  std::map<std::int64_t, std::string> skipped_;  ///< why, by index
  std::size_t done_ = 0, earlier_ = 0, breached_ = 0;
  std::int64_t sources_ = 0;
  int exit_code_ = 0;
};

}  // namespace reber::app
