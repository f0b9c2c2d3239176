// SPDX-License-Identifier: BSD-3-Clause
// reber view: starts the viewer, a program of its own beside this one.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "app/commands/command.hpp"
#include "core/base/error.hpp"

namespace reber::app {
namespace {

/// Does not return where the viewer could be started.
int start_viewer(const std::vector<std::string>& arguments) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string viewer = (error ? std::filesystem::path("reber-view") : self.parent_path() / "reber-view").string();
  if (!error && !std::filesystem::exists(viewer)) {
    throw InputError(
        fmt::format("this Reber was built without its viewer ({} is not there); install libimgui-dev, "
                    "libstb-dev, libglfw3-dev, libgl-dev and libcairo2-dev and build again with -DREBER_GUI=ON",
                    viewer));
  }
  std::vector<std::string> words{viewer};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(viewer.c_str(), pointers.data());
  throw DataError(fmt::format("cannot start {}: {}", viewer, std::strerror(errno)));
}

}  // namespace

void add_view(CLI::App& root, Action& action) {
  CLI::App* command = root.add_subcommand("view", "Look at images and find their sources while you watch");
  // The viewer reads its own options, --help among them.
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, &action] {
    action = [arguments = command->remaining()](Terminal&) { return start_viewer(arguments); };
  });
}

}  // namespace reber::app
