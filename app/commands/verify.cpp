// SPDX-License-Identifier: BSD-3-Clause
// reber verify: a backend against the reference, stage by stage.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/common_options.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/module.hpp"
#include "core/studies/judgement.hpp"
#include "core/studies/second_opinion.hpp"
#include "core/studies/verification.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string against = "reference";
  std::vector<std::string> files;
};

Request make_request(const Options& options, const std::string& path) {
  Request request = base_request(options.common, path);
  options.parameters.apply(request);
  return request;
}

using VerifyImage = std::function<VerificationReport(const Request& request, const Progress& progress)>;

/// throws InputError where there is no such judge here
VerifyImage chosen(const std::string& against, Backend& tested) {
  if (against == "cfitsio") return second_opinion;
  if (against == "reference") {
    if (tested.info().name == "reference")
      throw InputError("--backend reference: the reference cannot be verified against itself; name another backend");
    return [&tested, oracle = std::shared_ptr<Backend>(reber::make_backend("reference", {}, LogSink()))](
               const Request& request, const Progress& progress) { return verify(request, tested, *oracle, progress); };
  }
  const auto entry = reinterpret_cast<JudgeEntry>(module_function(against, "reber_judge", "--against " + against));
  return [&tested, library = entry()](const Request& request, const Progress& progress) {
    return judge(request, tested, *library, progress);
  };
}

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  (void)make_request(options, "");
  const auto tested = make_backend(options.common, terminal);
  const VerifyImage verify_image = chosen(options.against, *tested);

  Json all = Json::array();
  int exit_code = kDone;
  std::size_t breached = 0, failed = 0;
  for (const std::string& path : options.files) {
    try {
      terminal.set_subject(path);
      const VerificationReport report = verify_image(make_request(options, path), terminal.progress());
      terminal.clear_progress();
      terminal.print(to_text(report));
      all.push_back(Json::parse(to_json(report)));
      if (!report.passed()) {
        ++breached;
        exit_code = worse(exit_code, kCheckFailed);
      }
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      const Failure failure = current_failure(path);
      terminal.error(failure.message);
      all.push_back({{"input", path}, {"error", failure.message}, {"exit_code", failure.exit_code}});
      exit_code = worse(exit_code, failure.exit_code);
      ++failed;
    }
  }
  if (options.files.size() > 1) {
    terminal.print(fmt::format("{} files: {} within bounds, {} not, {} could not be checked", options.files.size(),
                               options.files.size() - breached - failed, breached, failed));
  }
  const Json document = options.files.size() == 1 ? all.front() : all;
  write_json(options.common, document.dump(2, ' ', false, Json::error_handler_t::replace), terminal);
  return exit_code;
}

}  // namespace

void add_verify(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("verify", "Compare each stage of a backend with the reference");
  command->add_option("files", options->files, "FITS images")->required()->type_name("FILE")->group("Input");
  command
      ->add_option(
          "--against", options->against,
          "What it is held against: the reference, OpenCV for convolution, labels and masks, or CFITSIO for what is "
          "read of a file")
      ->check(one_of({"reference", "opencv", "cfitsio"}))
      ->type_name("reference|opencv|cfitsio")
      ->brief("reference, opencv or cfitsio")
      ->capture_default_str()
      ->group("Input");
  options->parameters.add(*command, ParameterOptions::Group::convolution);
  options->parameters.add(*command, ParameterOptions::Group::background,
                          {"background.mean_path", "background.rms_path"});
  options->parameters.add(*command, ParameterOptions::Group::detection);
  add_image_options(*command, options->common);
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber verify m31.fits                                what auto would use, against the reference\n"
      "  reber verify m31.fits --backend cuda --kernel gaussian:5\n"
      "  reber verify *.fits --json verification.json\n"
      "  reber verify m31.fits --against opencv               filter2D, connectedComponents, morphologyEx\n"
      "  reber verify m31.fits --against cfitsio              pixels and header as CFITSIO reads them\n"
      "\n"
      "Each stage is fed the same input on both sides and compared with a stated bound: every convolution algorithm\n"
      "that can do the kernel, statistics, clip, mesh, labels and source sums. Exit code 1 if any bound is broken.\n"
      "The reference is slow: images up to some 2048 x 2048 are practical.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
