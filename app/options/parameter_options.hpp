// SPDX-License-Identifier: BSD-3-Clause
// Options made from the table of parameters: a row each, with its check, its default and its help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/command_options.hpp"
#include "core/run/request/parameters.hpp"

namespace reber::app {

/// An option that may be given several times, one value each.
Option* add_repeated_option(Command& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

/// The parameters that one command takes. Must live as long as the parser's reading.
class ParameterOptions {
 public:
  explicit ParameterOptions(std::span<const Parameter> rows = parameters()) : rows_(rows) {}

  /// Groups of the help page.
  enum class Group { convolution, background, detection };
  /// Adds the rows of a group that have an option, in the table's order.
  ///   without: names of rows that this command does not take
  void add(Command& command, Group group, const std::vector<std::string_view>& without = {});
  /// Adds one row as an option that may be given several times; the command reads `values` itself.
  void add_repeated(Command& command, std::string_view name, std::vector<std::string>& values);
  /// The next add() gives this row another option.
  void rename(std::string_view name, std::string_view option) { renamed_ = {name, option}; }

  /// Lays what the command line says over the request; its groups' stages are on then, a convolution with a kernel
  /// alone.   throws InputError: a text that is no value, a broken rule
  void apply(Request& request) const;

  /// Whether the option is one of these.
  [[nodiscard]] bool has(const Option& option) const;

 private:
  struct Added {
    const Parameter* row;
    const Option* option;
  };
  std::span<const Parameter> rows_;
  std::vector<Added> added_;
  std::vector<const Option*> read_by_command_;
  std::pair<std::string_view, std::string_view> renamed_;
  bool kernel_ = false, background_ = false, detection_ = false;
};

/// The text of an option that was given once; flags have "true" or "false".
[[nodiscard]] std::string given_text(const Option& option);

}  // namespace reber::app
