// SPDX-License-Identifier: BSD-3-Clause
// From rows to options, and from what was given to a request.
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

/// Parameters of the first page of help, in few words.
struct Brief {
  std::string_view name, words;
};
constexpr Brief kBriefs[] = {
    {"convolve.kernel", "gaussian:FWHM, beam:MAJ,MIN,PA, box:N ..."},
    {"background.method", "mesh, grid or clip"},
    {"background.box", "Side of the boxes; 0: by the image"},
    {"detect.seed", "A source has a pixel above this"},
    {"detect.flood", "It consists of pixels above this"},
    {"detect.scales.wavelets", "Extended emission by so many planes"},
    {"detect.search.region", "Search inside these regions alone"},
    {"detect.measure", "auto, gaussian or moments"},
};

std::string brief_of(const Parameter& row) {
  const auto* const found = std::ranges::find(kBriefs, row.name, &Brief::name);
  return std::string(found == std::end(kBriefs) ? std::string_view() : found->words);
}

/// The default that a help page shows: of numbers and choices.
std::string default_of(const Parameter& row) {
  const bool shown = row.access.kind != Access::Kind::text && row.access.kind != Access::Kind::list;
  return shown ? value_text(row, Request{}) : std::string();
}

}  // namespace

Option* add_repeated_option(Command& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  return command.add_option(name, values, help)->one_at_a_time();
}

std::string given_text(const Option& option) {
  if (option.is_flag()) return option.on() ? "true" : "false";
  return option.words().back();
}

void ParameterOptions::add(Command& command, Group group, const std::vector<std::string_view>& without) {
  for (const Parameter& row : rows_) {
    if (group_of(row) != group || row.option.empty() || std::ranges::find(without, row.name) != without.end()) continue;
    std::string name(renamed_.first == row.name ? renamed_.second : row.option);
    if (name.starts_with('!')) name.erase(0, 1);
    const std::string help = help_text(row);
    Option* option = nullptr;
    if (row.access.kind == Access::Kind::flag) {
      option = command.add_flag(name, help);
    } else {
      option = command.add_unread_option(name, help)->type_name(value_name(row))->default_str(default_of(row));
    }
    option->brief(brief_of(row))->group(title_of(group));
    added_.push_back({&row, option});
    kernel_ = kernel_ || row.name == "convolve.kernel";
  }
  renamed_ = {};
  background_ = background_ || group == Group::background;
  detection_ = detection_ || group == Group::detection;
}

void ParameterOptions::add_repeated(Command& command, std::string_view name, std::vector<std::string>& values) {
  const Parameter& row = *find_parameter(name, rows_);
  Option* option = add_repeated_option(command, std::string(row.option), values, help_text(row));
  option->type_name(value_name(row))->brief(brief_of(row))->group(title_of(group_of(row)));
  read_by_command_.push_back(option);
}

bool ParameterOptions::has(const Option& option) const {
  return std::ranges::find(added_, &option, &Added::option) != added_.end() ||
         std::ranges::find(read_by_command_, &option) != read_by_command_.end();
}

void ParameterOptions::apply(Request& request) const {
  if (background_) (void)part(request.background);
  if (detection_) (void)part(request.detect);
  bool convolved = !kernel_;
  for (const auto& [row, option] : added_) {
    if (!option->given()) continue;
    const std::string text = given_text(*option);
    if (text.empty() && row->access.kind == Access::Kind::text) continue;
    set_text(*row, request, text);
    convolved = convolved || row->name == "convolve.kernel";
  }
  if (!convolved) request.convolve.reset();
  refuse_broken_rules(request);
}

}  // namespace reber::app
