// SPDX-License-Identifier: BSD-3-Clause
// This process as one of several that share an image.
#pragma once

#include <memory>
#include <string>

#include "app/options/command_options.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/terminal.hpp"
#include "core/run/batch/folder_exchange.hpp"

namespace reber::app {

struct ShareOptions {
  std::string folder;  ///< where the processes tell each other what they found; empty: the image is not shared
  std::string rank;    ///< "I/N", or empty for the environment's
};

/// --share and --rank, group "Compute".
void add_share_options(Command& command, ShareOptions& options);

/// What --share makes of a command: the first process writes what was asked for, the others compute and are silent.
class SharedImage {
 public:
  /// Without --share, with --dry-run and for a process that is alone nothing changes. Else waits for the others.
  ///   request, common: become those of this process
  ///   throws InputError for the reference; as FolderExchange
  SharedImage(const ShareOptions& options, Request& request, CommonOptions& common, Terminal& terminal);

  /// Null where nothing is shared.
  [[nodiscard]] const std::shared_ptr<FolderExchange>& others() const { return others_; }

 private:
  std::shared_ptr<FolderExchange> others_;
};

}  // namespace reber::app
