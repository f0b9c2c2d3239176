// SPDX-License-Identifier: BSD-3-Clause
// The end of a batch.
#include "app/batch/batch_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/options/output_names.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/run/batch/join.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kJoined = "catalogue.csv";

/// Where the joined catalogue goes; empty: nowhere.
std::string join_path(const RunSettings& settings, const std::vector<BatchImage>& images, const Rank& rank,
                      const Request& first) {
  const bool has_csv =
      std::ranges::any_of(first.output.catalogues, [](const std::string& path) { return path.ends_with(".csv"); });
  const bool asked = !settings.join.empty() && settings.join != "none";
  if (asked && !rank.alone())
    throw InputError("--join: one process of many has a share of the catalogue alone; use reber merge afterwards");
  if (asked && !has_csv) throw InputError("--join joins the images' CSV files; add csv to --products");
  if (asked && !settings.join.ends_with(".csv"))
    throw InputError(fmt::format("--join '{}': expected a name that ends in .csv", settings.join));
  if (asked) return settings.join;
  if (settings.join == "none" || images.size() < 2 || !rank.alone() || !has_csv) return {};
  for (const BatchImage& image : images)
    if (stem_of(image) + ".csv" == kJoined)
      throw InputError(fmt::format(
          "{} would be written as {}, the joined catalogue's name: choose another with --join, or --join none",
          printable(image.name()), kJoined));
  return (fs::path(settings.folder) / kJoined).string();
}

Json json_file(const std::string& path) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  Json document = parsed_json<Json>(fits::read_text(path, kMost));
  if (document.is_discarded()) throw DataError(fmt::format("cannot read the report '{}'", printable(path)));
  return document;
}

}  // namespace

BatchEnd::BatchEnd(const RunSettings& settings, Terminal& terminal, const std::vector<BatchImage>& images,
                   const std::vector<std::int64_t>& own, const Rank& rank, const Request& first)
    : settings_(settings),
      terminal_(terminal),
      images_(images),
      own_(own),
      join_(join_path(settings, images, rank, first)),
      states_(images.size(), State::missing) {
  std::error_code error;
  if (!join_.empty() && !settings.common.dry_run && !settings.common.overwrite && !settings.resume &&
      fs::exists(join_, error))
    throw InputError(
        fmt::format("{} exists; use --overwrite to replace it, or choose another name with --join", printable(join_)));
}

void BatchEnd::add(std::int64_t index, ImageDone done) {
  const ImageRecord& record = done.record;
  exit_code_ = worse(exit_code_, record.exit_code);
  State& state = states_[static_cast<std::size_t>(index)];
  if (!record.skipped.empty()) {
    state = State::skipped;
    skipped_.emplace(index, record.skipped);
  } else if (record.done()) {
    state = State::done;
    ++done_;
    sources_ += record.sources;
    if (record.exit_code == kCheckFailed) ++breached_;
    if (settings_.common.dry_run && !settings_.common.json.empty()) dry_reports_.emplace(index, std::move(done.report));
  } else {
    state = State::failed;
    failures_.emplace(index, Failure{record.exit_code, record.message});
  }
}

void BatchEnd::add_earlier(std::int64_t index, const ImageRecord& record) {
  ++earlier_;
  add(index, {record, {}, {}});
}

int BatchEnd::finish(double seconds, bool met_others) {
  if (!join_.empty() && !settings_.common.dry_run) join(met_others);
  if (own_.size() > 1 || earlier_ > 0) say(seconds);
  if (!settings_.common.json.empty()) write_reports();
  return exit_code_;
}

void BatchEnd::join(bool met_others) {
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<JoinPart> {
    while (at < own_.size() && states_[static_cast<std::size_t>(own_[at])] != State::done) ++at;
    if (at == own_.size()) return std::nullopt;
    const BatchImage& part = image(own_[at++]);
    return JoinPart{fs::path(part.path).filename().string(), result_path(settings_.folder, part, ".csv")};
  };
  if (done_ > 0) (void)join_catalogues(next, join_, settings_.common.overwrite || settings_.resume || met_others);
}

void BatchEnd::say(double seconds) {
  const std::size_t now = done_ + skipped_.size() + failures_.size() - earlier_;
  std::string text = fmt::format("{} of {} {} done", done_, own_.size(), settings_.planes.empty() ? "files" : "planes");
  if (!skipped_.empty()) text += fmt::format(", {} skipped", skipped_.size());
  if (earlier_ > 0) text += fmt::format(", {} of them earlier", earlier_);
  if (breached_ > 0) text += fmt::format(", {} broke a bound", breached_);
  if (!settings_.common.dry_run) text += fmt::format("; {} sources", sources_);
  if (now > 0) text += fmt::format("; {:.3g} s, {:.3g} images/s", seconds, static_cast<double>(now) / seconds);
  terminal_.print(text);
  if (!join_.empty() && done_ > 0 && !settings_.common.dry_run) terminal_.print("wrote " + printable(join_));
  for (const auto& [index, failure] : failures_) terminal_.error(fmt::format("failed: {}", image(index).name()));
}

void BatchEnd::write_reports() {
  // Reports are read back from the folder, an image at a time: a batch keeps none.
  std::optional<AtomicFile> file;
  if (settings_.common.json != "-") file.emplace(settings_.common.json, settings_.common.overwrite);
  const auto write = [&](const std::string& text) { file ? file->write(text) : terminal_.print_document(text); };
  std::string before = "[";
  for (const std::int64_t index : own_) {
    Json document;
    if (const auto dry = dry_reports_.find(index); dry != dry_reports_.end()) {
      document = Json::parse(dry->second);
    } else if (const auto failed = failures_.find(index); failed != failures_.end()) {
      const auto& [exit_code, message] = failed->second;
      document = {{"input", image(index).path}, {"error", message}, {"exit_code", exit_code}};
    } else if (const auto skipped = skipped_.find(index); skipped != skipped_.end()) {
      document = {{"input", image(index).path}, {"skipped", skipped->second}};
    } else {
      document = json_file(result_path(settings_.folder, image(index), "_report.json"));
      if (settings_.verify)
        document["verification"] = json_file(result_path(settings_.folder, image(index), "_verification.json"));
    }
    if (image(index).is_plane()) document["plane"] = image(index).plane;
    write(before + document.dump(2, ' ', false, Json::error_handler_t::replace));
    before = ",\n";
  }
  write("]\n");
  if (file) file->commit();
}

}  // namespace reber::app
