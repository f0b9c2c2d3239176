// SPDX-License-Identifier: BSD-3-Clause
// The rules for limits that are offered.
#include "gui/model/inspect.hpp"

namespace reber::gui {

void DocumentInspect::delete_selected() {
  if (selected < 0 || selected >= static_cast<int>(regions.size())) return;
  regions.erase(regions.begin() + selected);
  selected = -1;
  ++version;
}

const Region* DocumentInspect::chosen_area() const {
  if (selected < 0 || selected >= static_cast<int>(regions.size())) return nullptr;
  const Region& region = regions[static_cast<std::size_t>(selected)];
  return region.has_area() ? &region : nullptr;
}

const std::vector<LimitsRule>& limits_rules() {
  static const std::vector<LimitsRule> all = [] {
    using Kind = LimitsRule::Kind;
    std::vector<LimitsRule> rules;
    LimitsRule rule;
    rule.kind = Kind::picture;
    rule.sigmas_below = 1.5;
    rule.sigmas_above = 15;
    rules.push_back(rule);
    for (const auto& [below, above] : {std::pair(1.5, 15.0), {3.0, 10.0}, {5.0, 5.0}}) {
      rule.kind = Kind::robust;
      rule.sigmas_below = below;
      rule.sigmas_above = above;
      rules.push_back(rule);
    }
    rule.kind = Kind::zscale;
    rules.push_back(rule);
    for (const double percent : {90.0, 95.0, 98.0, 99.0, 99.5, 99.9, 99.95}) {
      rule.kind = Kind::percentile;
      rule.percent = percent;
      rules.push_back(rule);
    }
    rule.kind = Kind::min_max;
    rules.push_back(rule);
    return rules;
  }();
  return all;
}

std::optional<LimitsRule> limits_rule(const std::string& name) {
  for (const LimitsRule& rule : limits_rules()) {
    if (name_of(rule) == name) return rule;
  }
  if (name == "robust") return limits_rules().front();
  return std::nullopt;
}

}  // namespace reber::gui
