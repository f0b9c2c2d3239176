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

/// What to do where there is no viewer beside the program in `folder`.
std::string without_viewer(const std::string& viewer, const std::filesystem::path& folder) {
  // BUILD/app/reber: the program stands where it was compiled.
  if (std::filesystem::exists(folder.parent_path() / "CMakeCache.txt"))
    return fmt::format("the viewer is not built yet ({} is not there); ./dev view IMAGE builds and opens it", viewer);
  return fmt::format(
      "this Reber was installed without its viewer ({} is not there); docs/install.md names the packages "
      "it needs and -DREBER_GUI=ON, which builds it",
      viewer);
}

/// Does not return where the viewer could be started.
int start_viewer(const std::vector<std::string>& arguments) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string viewer = (error ? std::filesystem::path("reber-view") : self.parent_path() / "reber-view").string();
  if (!error && !std::filesystem::exists(viewer)) throw InputError(without_viewer(viewer, self.parent_path()));
  std::vector<std::string> words{viewer};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(viewer.c_str(), pointers.data());
  throw DataError(fmt::format("cannot start {}: {}", viewer, std::strerror(errno)));
}

}  // namespace

void add_view(Command& root, Action& action) {
  Command* command = root.add_subcommand("view", "Look at images and find their sources while you watch");
  // The viewer reads its own options, --help among them.
  command->takes_the_rest();
  command->callback(
      [command, &action] { action = [arguments = command->rest()](Terminal&) { return start_viewer(arguments); }; });
}

}  // namespace reber::app
