// SPDX-License-Identifier: BSD-3-Clause
// A batch: its list, its lanes, its records and its end.
#include "app/batch/run_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "app/batch/batch_end.hpp"
#include "app/batch/batch_progress.hpp"
#include "app/batch/image_runners.hpp"
#include "app/options/output_names.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/plain_path.hpp"
#include "core/run/batch/claims.hpp"
#include "core/run/batch/input_list.hpp"
#include "core/run/batch/lease_folder.hpp"
#include "core/run/batch/rank.hpp"
#include "core/run/batch/record_file.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/request/expected_stages.hpp"

namespace reber::app {
namespace {

/// Options that change no number and no file's name: a batch may be resumed with others.
std::string hash_of_options(const RunSettings& settings, const Request& request) {
  std::vector<std::string> lines;
  const std::string text = settings.config_of(request, {});
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const auto is = [&](const char* name) { return line.starts_with(std::string(name) + " = "); };
    if (!is("planes") && !is("threads") && !is("device") && !is("device-memory") && !is("host-memory"))
      lines.push_back(line);
  }
  return hash_of(lines);
}

class Batch {
 public:
  Batch(const RunSettings& settings, Terminal& terminal)
      : settings_(settings),
        terminal_(terminal),
        rank_(settings.rank.empty() ? rank_of_environment() : parse_rank(settings.rank)) {}

  int execute() {
    const InputList list = expand_inputs(settings_.files, terminal_.progress());
    if (list.one_file && settings_.planes.empty()) rank_ = {};
    make_list(list.paths);
    const Request first = settings_.request_of(images_.front());
    check_distinct_names(images_, endings_of(first), terminal_.progress());
    options_ = hash_of_options(settings_, first);
    list_ = hash_of(keys_of_list(), terminal_.progress());
    choose_images();
    BatchEnd end(settings_, terminal_, images_, own_, rank_, first);
    // Before the records are read, so that none is missed.
    if (std::error_code error; std::filesystem::is_directory(settings_.folder, error))
      tail_.emplace(settings_.folder, records_path());
    const std::vector<std::int64_t> to_do = settings_.resume ? not_done(end) : own_;
    BatchProgress progress(terminal_, images_.size() > 1, to_do.size(), rank_.index == 0);
    terminal_.expect(expected_stages(first));
    ImageRunners runners(settings_, terminal_, images_, to_do);
    if (!settings_.common.dry_run) meet_others(to_do);
    if (!settings_.common.dry_run) open_records();
    runners.run(
        progress, [&](std::int64_t index) { return may_begin(index, progress, end); },
        [&](std::int64_t index, ImageDone done) { take(index, std::move(done), progress, end); });
    terminal_.clear_progress();
    return end.finish(progress.seconds(), leases_ && leases_->met_others());
  }

 private:
  /// In every loop over the images: there may be a million.   throws Cancelled
  void check() const { terminal_.progress().check(); }

  /// A file that cannot be opened stays one image, which fails when its turn comes.
  void make_list(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      check();
      if (settings_.planes.empty()) {
        images_.push_back({path});
        continue;
      }
      const Request request = settings_.request_of({path});
      if (request.open.plane) throw InputError("give either --plane or --planes");
      std::int64_t planes = 0;
      try {
        planes = settings_.cube->open(request, terminal_.progress(), terminal_.log()).planes();
      } catch (const Cancelled&) {
        throw;
      } catch (const std::exception&) {
        images_.push_back({path});
        continue;
      }
      for (const std::int64_t plane : parse_planes(settings_.planes, planes)) images_.push_back({path, plane, planes});
    }
  }

  [[nodiscard]] std::vector<std::string> keys_of_list() const {
    std::vector<std::string> keys;
    for (const BatchImage& image : images_) {
      check();
      keys.push_back(ImageRecord::key_of(image.path, image.plane));
    }
    return keys;
  }

  /// Of every file that an image has, what follows its name.
  [[nodiscard]] std::vector<std::string> endings_of(const Request& first) const {
    std::vector<std::string> endings{"_report.json", ".toml", "_verification.json"};
    std::vector<std::string> paths = first.output.files();
    if (settings_.extended) {
      const std::vector<std::string> extended = settings_.extended_of(images_.front());
      paths.insert(paths.end(), extended.begin(), extended.end());
    }
    const std::size_t stem = result_path(settings_.folder, images_.front(), "").size();
    for (const std::string& path : paths) endings.push_back(path.substr(std::min(stem, path.size())));
    return endings;
  }

  /// Those of the list that are this process's.
  void choose_images() {
    for (std::size_t i = 0; i < images_.size(); ++i)
      if (rank_.owns(static_cast<std::int64_t>(i))) own_.push_back(static_cast<std::int64_t>(i));
    if (!rank_.alone() && rank_.index == 0)
      terminal_.message(fmt::format("{} processes on {} images; progress is that of one of them, with {}", rank_.count,
                                    images_.size(), own_.size()));
  }

  [[nodiscard]] std::string records_path() const {
    return settings_.folder + (rank_.alone() ? "/batch.jsonl" : fmt::format("/batch.{}.jsonl", rank_.index));
  }

  /// From here on processes of this folder share their work.
  void meet_others(const std::vector<std::int64_t>& to_do) {
    make_folder(settings_.folder);
    leases_.emplace(settings_.folder);
    if (!tail_) tail_.emplace(settings_.folder, records_path());
    std::vector<std::string> keys;
    for (const std::int64_t index : to_do) {
      check();
      keys.push_back(key_of(index));
    }
    claims_.emplace(*leases_, keys, [this] { return tail_->news(); });
    claims_->sweep();
  }

  [[nodiscard]] std::string key_of(std::int64_t index) const {
    const BatchImage& image = images_[static_cast<std::size_t>(index)];
    return ImageRecord::key_of(plain_path(image.path), image.plane);
  }

  /// From any lane.   returns false where another process is at the image, or has done it meanwhile
  ImageRunners::Begin may_begin(std::int64_t index, BatchProgress& progress, BatchEnd& end) {
    if (!claims_) return ImageRunners::Begin::yes;
    ImageRecord found;
    const auto holds = [this](const ImageRecord& record) { return still_true(record, settings_.folder, options_); };
    const Claims::Answer answer = claims_->ask(key_of(index), holds, found);
    if (answer == Claims::Answer::taken) return ImageRunners::Begin::yes;
    if (answer == Claims::Answer::held) return ImageRunners::Begin::later;
    const std::lock_guard lock(mutex_);
    progress.ended();
    end.add_earlier(index, found);
    return ImageRunners::Begin::no;
  }

  void open_records() {
    records_.emplace(records_path());
    // So that the lines of a list name all of its images, whichever list they were done with.
    for (ImageRecord& record : from_other_lists_) {
      place_in_list(record, record.index);
      records_->append(record, &record != &from_other_lists_.back());
    }
    from_other_lists_.clear();
  }

  void place_in_list(ImageRecord& record, std::int64_t index) const {
    record.list = list_;
    record.index = index;
    record.count = static_cast<std::int64_t>(images_.size());
  }

  /// Own images without a record that still holds; the others are told to the end.
  std::vector<std::int64_t> not_done(BatchEnd& end) {
    std::error_code error;
    if (!std::filesystem::is_directory(settings_.folder, error)) return own_;
    std::unordered_map<std::string, ImageRecord> known;
    for (ImageRecord& record : read_records(settings_.folder).images) {
      std::string key = record.key();
      known.emplace(std::move(key), std::move(record));
    }
    std::vector<std::int64_t> left;
    for (const std::int64_t index : own_) {
      check();
      const auto found = known.find(key_of(index));
      if (found == known.end() || !still_true(found->second, settings_.folder, options_)) {
        left.push_back(index);
        continue;
      }
      end.add_earlier(index, found->second);
      if (found->second.list == list_) continue;
      found->second.index = index;
      from_other_lists_.push_back(std::move(found->second));
    }
    return left;
  }

  /// From any lane.
  void take(std::int64_t index, ImageDone done, BatchProgress& progress, BatchEnd& end) {
    const std::lock_guard lock(mutex_);
    done.record.options = options_;
    place_in_list(done.record, index);
    if (records_) records_->append(done.record);
    if (claims_) claims_->release(key_of(index));
    progress.ended();
    const std::string name = printable(images_[static_cast<std::size_t>(index)].name());
    if (!done.record.message.empty()) {
      terminal_.error(done.record.message);
    } else if (!done.record.skipped.empty()) {
      terminal_.message(fmt::format("{} is skipped: {}", name, printable(done.record.skipped)));
    } else if (images_.size() > 1 && records_) {
      terminal_.print(fmt::format("{}: {} sources, {:.2f} s", name, done.record.sources, done.record.seconds));
    }
    if (!done.told.empty()) terminal_.print(done.told);
    end.add(index, std::move(done));
  }

  const RunSettings& settings_;
  Terminal& terminal_;
  Rank rank_;
  std::vector<BatchImage> images_;
  std::vector<std::int64_t> own_;
  std::string options_, list_;
  std::vector<ImageRecord> from_other_lists_;
  std::optional<RecordFile> records_;
  std::optional<FileLeases> leases_;
  std::optional<RecordTail> tail_;
  std::optional<Claims> claims_;
  std::mutex mutex_;
};

}  // namespace

int run_batch(const RunSettings& settings, Terminal& terminal) { return Batch(settings, terminal).execute(); }

}  // namespace reber::app
