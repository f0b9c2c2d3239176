// SPDX-License-Identifier: BSD-3-Clause
// Options of the program, sessions of the viewer and what browsers tell it.
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/parse.hpp"
#include "core/base/json_text.hpp"
#include "gui/model/browser_message.hpp"
#include "gui/model/workspace.hpp"
#include "tests/fuzz/targets.hpp"

namespace reber::fuzz {

void toml(Bytes bytes) {
  const NamedBytes file(bytes);
  app::Command root("reber", "fuzz");
  app::Command* const command = root.add_subcommand("find", "");
  app::CommonOptions common;
  app::ParameterOptions parameters;
  std::string input;
  command->add_option("input", input);
  using Group = app::ParameterOptions::Group;
  for (const Group group : {Group::convolution, Group::background, Group::detection}) parameters.add(*command, group);
  app::add_run_options(*command, common);
  const std::string path = file.path();
  const char* const words[] = {"reber", "find", "in.fits", "--config", path.c_str()};
  const int count = static_cast<int>(std::size(words));
  if (!app::parse(root, count, words, app::config_file_of(root, count, words)).wrong.empty()) return;
  Request request = app::base_request(common, input);
  parameters.apply(request);
  (void)app::effective_config(*command, request, {input});
}

void session(Bytes bytes) {
  const auto json = parsed_json<gui::Json>(text_of(bytes));
  if (json.is_discarded()) return;
  (void)gui::to_json(gui::session_from_json(json, "fuzz"));
}

void browser_message(Bytes bytes) { (void)gui::parse_browser_message(text_of(bytes)); }

}  // namespace reber::fuzz
