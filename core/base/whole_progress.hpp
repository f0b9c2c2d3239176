// SPDX-License-Identifier: BSD-3-Clause
// How far a command is as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reber {

/// One fraction from how far each stage is and what stages are expected to cost. It never goes back.
class WholeProgress {
 public:
  /// The stages to come, by the words in which they report; all that are known where nobody says.
  void expect(const std::vector<std::string>& stages);
  /// Part `index` of `count`, such as a plane, begins.
  void begin_part(std::size_t index, std::size_t count);
  /// A stage reports its own fraction. One that is not known counts as the whole part, like the rounds of a study,
  /// whose stages then count no more.   returns the fraction of the whole
  double report(std::string_view stage, double fraction);
  /// What is being done, for people.
  [[nodiscard]] static std::string_view words_of(std::string_view stage);

 private:
  double within_part(std::string_view stage, double fraction);

  std::vector<std::string> expected_;
  std::size_t index_ = 0, count_ = 1;
  double part_ = 0, whole_ = 0, fitted_ = 0;
  bool led_ = false;  ///< by a stage that is not known
};

}  // namespace reber
