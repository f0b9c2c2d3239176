// SPDX-License-Identifier: BSD-3-Clause
// One image through the pipeline, for convolve, background and find.
#include "app/commands/pipeline_command.hpp"

#include "app/options/backend_choice.hpp"
#include "app/options/product_options.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"
#include "core/run/batch/read_ahead.hpp"
#include "core/run/request/expected_stages.hpp"
#include "kernels/shared_backend.hpp"

namespace reber::app {

namespace {

Result run_here(const Request& request, const CommonOptions& common, Terminal& terminal, const AfterRun& after,
                const Progress& progress) {
  Request now = request;
  CommonOptions options = for_images(common, pixel_bytes(request.input));
  options.shared_bytes = pixel_bytes(request.input);
  return on_backend(options, terminal, [&](const std::shared_ptr<Backend>& backend) {
    const Request once = now;
    now.output.overwrite = true;  // a second time: what the first wrote before its card failed
    Result made = run_once(backend, once, events_of(progress, terminal.log()));
    if (after && !request.dry_run) after(made, progress);
    return made;
  });
}

}  // namespace

Result run_one(Request request, CommonOptions common, Terminal& terminal, const AfterRun& after,
               const ShareOptions& share) {
  const ThreadBudget budget(common.threads);
  const SharedImage shared(share, request, common, terminal);
  if (!request.dry_run) check_outputs(request.output.files(), request.output.overwrite);
  terminal.set_subject(request.input);
  terminal.expect(expected_stages(request));
  // The disk reads while a card's driver starts.
  const auto ahead = run_beside([&request, &shared] { return shared.others() ? 0 : read_ahead(request.input); });
  const Progress progress = terminal.progress();
  const auto run_shared = [&] {
    Result made =
        run_once(make_shared_backend(common.backend, backend_options(common), shared.others(), terminal.log()), request,
                 events_of(progress, terminal.log()));
    shared.others()->finish(progress);
    return made;
  };
  Result result = shared.others() ? run_shared() : run_here(request, common, terminal, after, progress);
  terminal.clear_progress();
  terminal.print(to_text(result.report));
  write_json(common, to_json(result.report), terminal);
  return result;
}

}  // namespace reber::app
