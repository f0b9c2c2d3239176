// SPDX-License-Identifier: BSD-3-Clause
// How help pages look: one aligned column of names, wrapped text, defaults at the end of each line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace reber::app {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> opts) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace reber::app
