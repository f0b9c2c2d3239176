// SPDX-License-Identifier: BSD-3-Clause
// Ranks, and what each of them is left to do.
#include "app/commands/shared_image.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "app/options/one_card.hpp"
#include "core/base/error.hpp"
#include "core/run/batch/record.hpp"
#include "core/run/request/parameters.hpp"

namespace reber::app {
namespace {

/// What must be the same in all processes: the program, the image and all options that can change a result.
std::string identity_of(const Request& request, const std::string& backend) {
  constexpr std::array<std::string_view, 2> kOwn{"threads = ", "host-memory = "};
  std::string text = request.program + " on " + backend;
  for (const std::string& line : options_in_force(request))
    if (!line.starts_with(kOwn[0]) && !line.starts_with(kOwn[1])) text += '\n' + line;
  return text + fmt::format("\n{} {}", std::filesystem::path(request.input).filename().string(),
                            state_of(request.input).bytes);
}

}  // namespace

void add_share_options(Command& command, ShareOptions& options) {
  command
      .add_option(
          "--share", options.folder,
          "Several processes share this one image, each of which reads and measures a part of it; process 0 "
          "writes the results. A folder that all of them see, for what they tell each other. Backend cpu, or cuda "
          "with a card for each process")
      ->type_name("DIR")
      ->group("Compute");
  command
      .add_option("--rank", options.rank,
                  "With --share: this is process I of N (from 0); default: what srun, mpirun or PMI say")
      ->type_name("I/N")
      ->group("Compute");
}

SharedImage::SharedImage(const ShareOptions& options, Request& request, CommonOptions& common, Terminal& terminal) {
  if (options.folder.empty()) {
    if (!options.rank.empty()) throw InputError("--rank says which process of --share DIR this is: give both");
    return;
  }
  const Rank rank = options.rank.empty() ? rank_of_environment() : parse_rank(options.rank);
  if (common.backend == "reference")
    throw InputError("--share is for --backend cpu or cuda, not reference: leave one of them out");
  if (rank.alone() || request.dry_run) return;
  if (request.search.masked())
    throw InputError(
        "--share leaves the pixels in the file, and a search inside a mask, a region or a MOC needs them in memory: "
        "leave one out");
  if (common.backend == "auto") common.backend = "cpu";
  // Of processes that no starter counts, each takes the next card.
  if (const auto cards = static_cast<std::int64_t>(cards_in_sight().size());
      common.backend == "cuda" && cards > 1 && !is_ranked() && !common.device_named && common.devices.empty()) {
    common.device = static_cast<int>(rank.index % cards);
    common.device_named = true;
  }
  if (rank.index == 0)
    terminal.message(fmt::format("{} processes on one image", rank.count));
  else
    terminal.set_verbosity(common.verbose ? Verbosity::verbose : Verbosity::quiet);
  others_ =
      std::make_shared<FolderExchange>(options.folder, rank, identity_of(request, common.backend), terminal.progress());
  if (rank.index == 0) return;
  request.output = {};
  common.json.clear();
}

}  // namespace reber::app
