// SPDX-License-Identifier: BSD-3-Clause
// From rows to CLI11's options, and from what was given to a request.
#include "app/options/parameter_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/run/request/parameter_rules.hpp"

namespace reber::app {
namespace {

using Group = ParameterOptions::Group;

Group group_of(const Parameter& row) {
  const Section section = section_of(row);
  if (section == Section::convolution) return Group::convolution;
  return section == Section::background ? Group::background : Group::detection;
}

const char* title_of(Group group) {
  if (group == Group::convolution) return "Convolution";
  return group == Group::background ? "Background" : "Detection";
}

/// The default that a help page shows: of numbers and choices.
std::string default_of(const Parameter& row) {
  const bool shown = row.access.kind != Access::Kind::text && row.access.kind != Access::Kind::list;
  return shown ? value_text(row, Request{}) : std::string();
}

}  // namespace

CLI::Validator not_negative() {
  return {[](std::string& text) {
            double value = 0;
            const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || stop != text.data() + text.size() || std::isnan(value))
              return "'" + text + "' is not a number";
            return value >= 0 ? std::string() : text + " is below 0";
          },
          "NONNEGATIVE"};
}

CLI::Validator positive() {
  return {[](std::string& text) {
            double value = 0;
            const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool is_number = error == std::errc() && stop == text.data() + text.size();
            return is_number && value > 0 ? std::string() : "'" + text + "' is not a number above 0";
          },
          "POSITIVE"};
}

CLI::Option* add_repeated_option(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                                 const std::string& help) {
  return command.add_option(name, values, help)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
}

std::string given_text(const CLI::Option& option) {
  if (option.get_items_expected_max() != 0) return option.as<std::string>();
  try {
    return option.as<bool>() ? "true" : "false";
  } catch (const CLI::ConversionError&) {
    throw InputError(fmt::format("{}: '{}' is neither true nor false", option.get_name(), option.results().back()));
  }
}

void ParameterOptions::add(CLI::App& command, Group group, const std::vector<std::string_view>& without) {
  for (const Parameter& row : rows_) {
    if (group_of(row) != group || row.option.empty() || std::ranges::find(without, row.name) != without.end()) continue;
    std::string name(renamed_.first == row.name ? renamed_.second : row.option);
    if (name.starts_with('!')) name.erase(0, 1);
    const std::string help = help_text(row);
    CLI::Option* option = nullptr;
    if (row.access.kind == Access::Kind::flag) {
      option = command.add_flag(name, help);
    } else {
      const CLI::callback_t read_in_apply = [](const CLI::results_t&) { return true; };
      option = command.add_option(name, read_in_apply, help)->type_name(value_name(row))->default_str(default_of(row));
    }
    option->group(title_of(group));
    added_.push_back({&row, option});
    kernel_ = kernel_ || row.name == "convolve.kernel";
  }
  renamed_ = {};
  background_ = background_ || group == Group::background;
  detection_ = detection_ || group == Group::detection;
}

void ParameterOptions::add_repeated(CLI::App& command, std::string_view name, std::vector<std::string>& values) {
  const Parameter& row = *find_parameter(name, rows_);
  CLI::Option* option = add_repeated_option(command, std::string(row.option), values, help_text(row));
  option->type_name(value_name(row))->group(title_of(group_of(row)));
  read_by_command_.push_back(option);
}

bool ParameterOptions::has(const CLI::Option* option) const {
  return std::ranges::find(added_, option, &Added::option) != added_.end() ||
         std::ranges::find(read_by_command_, option) != read_by_command_.end();
}

void ParameterOptions::apply(Request& request) const {
  if (background_) (void)part(request.background);
  if (detection_) (void)part(request.detect);
  bool convolved = !kernel_;
  for (const auto& [row, option] : added_) {
    if (option->count() == 0) continue;
    const std::string text = given_text(*option);
    if (text.empty() && row->access.kind == Access::Kind::text) continue;
    set_text(*row, request, text);
    convolved = convolved || row->name == "convolve.kernel";
  }
  if (!convolved) request.convolve.reset();
  refuse_broken_rules(request);
}

}  // namespace reber::app
