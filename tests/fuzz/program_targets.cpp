// SPDX-License-Identifier: BSD-3-Clause
// Options of the program and sessions of the viewer.
#include <CLI/CLI.hpp>

#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "gui/model/workspace.hpp"
#include "tests/fuzz/targets.hpp"

namespace reber::fuzz {

void toml(Bytes bytes) {
  const NamedBytes file(bytes);
  CLI::App root("fuzz", "reber");
  root.allow_config_extras(CLI::config_extras_mode::error);
  CLI::App* const command = root.add_subcommand("find", "");
  command->allow_config_extras(CLI::config_extras_mode::error);
  app::CommonOptions common;
  app::ParameterOptions parameters;
  std::string input;
  command->add_option("input", input);
  using Group = app::ParameterOptions::Group;
  for (const Group group : {Group::convolution, Group::background, Group::detection}) parameters.add(*command, group);
  app::add_run_options(*command, common);
  std::string words[] = {"reber", "find", "in.fits", "--config", file.path()};
  char* arguments[std::size(words)];
  for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
  try {
    app::use_config_file(root, static_cast<int>(std::size(words)), arguments);
    root.parse(static_cast<int>(std::size(words)), arguments);
  } catch (const CLI::Error&) {
    return;
  }
  Request request = app::base_request(common, input);
  parameters.apply(request);
  (void)app::effective_config(*command, request, {input});
}

void session(Bytes bytes) {
  const auto json = gui::Json::parse(text_of(bytes), nullptr, false);
  if (json.is_discarded()) return;
  (void)gui::to_json(gui::session_from_json(json, "fuzz"));
}

}  // namespace reber::fuzz
