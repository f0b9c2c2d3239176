// SPDX-License-Identifier: BSD-3-Clause
// reber send: files into programs that run beside it, by SAMP.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/printable.hpp"
#include "core/files/samp/send.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> files;
  std::string to;
};

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  std::vector<samp::Message> messages;
  for (const std::string& path : options.files) messages.push_back(samp::message_for(path));
  const samp::HubConnection hub(samp::find_hub(), "Reber", program_name());
  nlohmann::ordered_json sent = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::vector<std::string> names = samp::send_message(hub, messages[i], options.files[i], options.to);
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + printable(name);
    terminal.print(fmt::format("{} -> {} ({})", printable(options.files[i]), list, messages[i].type));
    sent.push_back({{"file", options.files[i]}, {"message", messages[i].type}, {"programs", names}});
  }
  write_json(options.common, sent.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal);
  return kDone;
}

}  // namespace

void add_send(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("send", "Show files in TOPCAT, Aladin or DS9 (SAMP)");
  command->add_option("files", options->files, "FITS images and tables, VOTables, coverage maps")
      ->required()
      ->type_name("FILE")
      ->group("Input");
  command->add_option("--to", options->to, "The program of this name alone; default: all that take such a file")
      ->type_name("NAME")
      ->brief("The program of this name alone")
      ->group("Output");
  add_overwrite_option(*command, options->common);
  add_message_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber send m31.fits m31.vot                    image and catalogue\n"
      "  reber send m31.vot --to topcat\n"
      "\n"
      "The programs read the files themselves: they are sent the paths. A SAMP hub must run, which TOPCAT and Aladin\n"
      "bring; it is asked on this machine alone. Besides this command only the viewer opens a connection, where it is\n"
      "told to send.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
