// SPDX-License-Identifier: BSD-3-Clause
// From options to operations on one mask.
#include "app/commands/mask_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/commands/pipeline_command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/mask/mask_noise.hpp"
#include "core/sky/mask/moc.hpp"
#include "core/sky/mask/morphology.hpp"
#include "core/sky/mask/region_mask.hpp"
#include "core/sky/model/coordinates.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_writers.hpp"

namespace reber::app {
namespace {

constexpr double kUsualThreshold = 6.5;  // breizorro's

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// One mask on its way from the input to the files.
class MaskWork {
 public:
  MaskWork(const MaskOptions& options, Terminal& terminal) : options_(options), terminal_(terminal) {}

  void read();
  void combine();
  void choose_islands();
  void reshape();
  void write();

 private:
  [[nodiscard]] const ImageHeader& header() const { return file_.header; }
  [[nodiscard]] bool of_image() const { return options_.threshold || !options_.islands.empty() || options_.coverage; }
  void read_image();
  void mask_islands();
  [[nodiscard]] Mask given(const std::string& path) {
    const auto warn = [&](const std::string& text) { terminal_.log().warning(fmt::format("{}: {}", path, text)); };
    return mask_for(path, header(), warn, terminal_.progress());
  }
  void note(const std::string& line) { history_.push_back("mask: " + line); }
  [[nodiscard]] std::vector<std::int32_t> numbers_of(const std::vector<std::string>& words) const;
  [[nodiscard]] std::int32_t number_at(const std::string& place) const;
  void write_outlines(const Mask& mask, const ImageHeader& at) const;

  const MaskOptions& options_;
  Terminal& terminal_;
  MaskFile file_;
  std::vector<float> image_;
  std::vector<std::string> history_;
};

void MaskWork::read_image() {
  const Progress progress = terminal_.progress();
  const ImagePlane image = ImagePlane::open(options_.input, {}, progress);
  file_.header = image.header();
  const auto source = image.pixels(progress);
  image_.resize(static_cast<std::size_t>(header().shape.count()));
  std::vector<std::byte> raw(static_cast<std::size_t>(header().shape.nx * bytes_of(source->format().type)));
  for (std::int64_t y = 0; y < header().shape.ny; ++y) {
    source->read_rows(y, 1, raw.data());
    decode_floats(raw.data(), header().shape.nx, source->format(), image_.data() + y * header().shape.nx);
  }
}

/// The islands of a search, by its background and the thresholds that are asked for.
void MaskWork::mask_islands() {
  const std::size_t comma = options_.islands.find(',');
  const auto seed = number_of(options_.islands.substr(0, comma));
  const auto flood = comma == std::string::npos ? seed : number_of(options_.islands.substr(comma + 1));
  if (!seed || !flood || !(*seed > 0) || !(*flood > 0) || !(*flood <= *seed))
    throw InputError(fmt::format("--islands '{}': expected SEED,FLOOD with SEED >= FLOOD > 0", options_.islands));
  Request request = base_request(options_.common, options_.input);
  request.background.emplace();
  request.detect.emplace();
  request.detect->seed = *seed, request.detect->flood = *flood;
  request.deepen = 0;
  request.fit.method = FitRequest::Method::moments;
  request.deblend.on = false;
  const Progress progress = terminal_.progress();
  const auto found = on_backend(options_.common, terminal_, [&](const std::shared_ptr<Backend>& backend) {
    const Result result = run_once(backend, request, events_of(progress, terminal_.log()));
    return std::pair(result.islands()->count(), result.backend->label_runs(*result.islands()));
  });
  file_.mask = Mask(header().shape);
  for (const LabelRuns::Run& run : found.second.runs)
    std::fill_n(file_.mask.pixels.begin() + run.y * header().shape.nx + run.x0, run.x1 - run.x0, 1);
  note(fmt::format("{} islands above {:g} sigma, down to {:g}", found.first, *seed, *flood));
}

void MaskWork::read() {
  history_.push_back(base_request(options_.common, options_.input).program + ", input " + options_.input);
  if (int{options_.threshold.has_value()} + int{!options_.islands.empty()} + int{options_.coverage} > 1)
    throw InputError("--threshold, --islands and --coverage are ways to a mask: give one");
  if (options_.sum_peak && !of_image()) throw InputError("--sum-peak needs an image: --threshold or --islands");
  if (!of_image()) {
    file_ = read_mask(options_.input, terminal_.progress());
    if (!file_.whole)
      throw InputError(fmt::format(
          "{}: its pixels are no whole numbers from 0, so it is an image and no mask: say which of them are inside, by "
          "--threshold 6.5, --islands 5,3 or --coverage",
          options_.input));
    return;
  }
  read_image();
  if (!options_.islands.empty()) return mask_islands();
  if (options_.coverage) {
    file_.mask = Mask(header().shape);
    std::ranges::transform(image_, file_.mask.pixels.begin(), [](float value) { return std::isfinite(value) ? 1 : 0; });
    return note("pixels that are not blank");
  }
  const std::vector<float> noise = noise_of_minima(image_, header().shape, options_.box);
  file_.mask = above(image_, noise, *options_.threshold, header().shape);
  note(fmt::format("above {:g} times the noise of the least values in boxes of {} px", *options_.threshold,
                   options_.box));
  if (!options_.noise.empty())
    write_plane_like(noise, {header(), header().unit.text, options_.axes, history_, options_.common.overwrite},
                     options_.noise, terminal_.progress());
}

void MaskWork::combine() {
  for (const std::string& path : options_.merged) {
    merge(file_.mask, given(path));
    note("merged with " + path);
  }
  for (const std::string& path : options_.subtracted) {
    subtract(file_.mask, given(path));
    note("less " + path);
  }
  if (options_.kept.empty()) return;
  Mask inside(header().shape);
  for (const std::string& path : options_.kept) {
    merge(inside, given(path));
    note("cut to " + path);
  }
  invert(inside);
  subtract(file_.mask, inside);
}

std::int32_t MaskWork::number_at(const std::string& place) const {
  const std::size_t colon = place.find(':');
  const auto lon = parse_angle(place.substr(0, colon), true), lat = parse_angle(place.substr(colon + 1), false);
  const auto at = lon && lat ? header().wcs.to_pixel({*lon, *lat}) : std::nullopt;
  if (!at) throw InputError(fmt::format("'{}' is no number of an island and no place RA:DEC of the mask's sky", place));
  const std::int64_t x = std::llround(at->x), y = std::llround(at->y);
  const bool there = x >= 0 && y >= 0 && x < header().shape.nx && y < header().shape.ny;
  const std::int32_t number = there ? file_.mask.at(y, x) : 0;
  if (number == 0) throw InputError(fmt::format("no island lies at {}", place));
  return number;
}

std::vector<std::int32_t> MaskWork::numbers_of(const std::vector<std::string>& words) const {
  std::vector<std::int32_t> numbers;
  for (const std::string& word : words) {
    const auto number = number_of(word);
    if (number && (*number != std::floor(*number) || !(*number >= 1) || !(*number <= file_.mask.largest())))
      throw InputError(fmt::format("there is no island {}; the mask has {}", word, file_.mask.largest()));
    numbers.push_back(number ? static_cast<std::int32_t>(*number) : number_at(word));
  }
  return numbers;
}

void MaskWork::choose_islands() {
  Mask& mask = file_.mask;
  const bool by_number = !options_.removed.empty() || !options_.extracted.empty();
  const bool unnumbered = mask.largest() <= 1;
  // Islands are told apart by their numbers; a mask of ones gets them for the while.
  if (options_.number || (by_number && unnumbered)) mask = numbered(mask);
  if (options_.number) note(fmt::format("{} islands", mask.largest()));
  if (!options_.removed.empty()) {
    remove_islands(mask, numbers_of(options_.removed));
    note(fmt::format("without islands {}", fmt::join(options_.removed, ", ")));
  }
  if (!options_.extracted.empty()) {
    keep_islands(mask, numbers_of(options_.extracted));
    note(fmt::format("islands {} alone", fmt::join(options_.extracted, ", ")));
  }
  if (options_.least) {
    remove_small(mask, *options_.least);
    note(fmt::format("islands of {} pixels and more", *options_.least));
  }
  if (options_.binary || (by_number && unnumbered && !options_.number)) make_binary(mask);
}

void MaskWork::reshape() {
  Mask& mask = file_.mask;
  if (options_.inverted) {
    invert(mask);
    note("inverted");
  }
  if (options_.dilated) {
    dilate(mask, *options_.dilated);
    note(fmt::format("grown by {:g} px", *options_.dilated));
  }
  if (options_.eroded) {
    erode(mask, *options_.eroded);
    note(fmt::format("shrunk {} times", *options_.eroded));
  }
  if (options_.filled) {
    fill_holes(mask);
    note("holes filled");
  }
  if (!options_.sum_peak) return;
  const Mask islands = numbered(mask);
  const std::vector<double> ratios = sums_over_peaks(islands, image_);
  std::int64_t dropped = 0;
  for (const double ratio : ratios) dropped += ratio > *options_.sum_peak ? 1 : 0;
  for (std::size_t i = 0; i < image_.size(); ++i)
    if (islands.pixels[i] > 0 && ratios[static_cast<std::size_t>(islands.pixels[i])] > *options_.sum_peak)
      image_[i] = 0;
  note(fmt::format("the image, {} islands of sum over peak above {:g} set to 0", dropped, *options_.sum_peak));
}

void MaskWork::write_outlines(const Mask& mask, const ImageHeader& at) const {
  const auto system = system_of(at.wcs);
  AtomicFile file(options_.region, options_.common.overwrite);
  file.write(
      regions_text(outlines_of(mask), at.wcs, RegionFormat::ds9, system.value_or(SkySystem{}), system.has_value()));
  file.commit();
}

void MaskWork::write() {
  ImageHeader at = header();
  Mask mask = std::move(file_.mask);
  if (!options_.onto.empty()) {
    at = ImagePlane::open(options_.onto, {}, terminal_.progress()).header();
    mask = mask_on({header(), std::move(mask)}, at, terminal_.progress());
    note("at the pixels of " + options_.onto);
  }
  const std::int64_t inside = mask.count();
  const std::int32_t islands = numbered(mask).largest();
  const bool reshaped = options_.binary || options_.inverted || options_.dilated || options_.eroded || options_.filled;
  const bool of_numbers = mask.largest() > 1 || (options_.number && !reshaped && options_.onto.empty());
  MaskOutput out{at, of_numbers ? "Source_ID" : "mask", options_.axes, history_, options_.common.overwrite};
  if (!options_.output.empty() && options_.sum_peak) {
    out.unit = header().unit.text;
    write_plane_like(image_, out, options_.output, terminal_.progress());
  } else if (!options_.output.empty()) {
    write_mask(mask, out, options_.output, terminal_.progress());
  }
  if (!options_.region.empty()) write_outlines(mask, at);
  if (!options_.moc.empty())
    write_moc(moc_of(mask, at.wcs, options_.moc_order), options_.moc, options_.common.overwrite);
  terminal_.clear_progress();
  terminal_.print(fmt::format("{} of {} pixels in {} islands", inside, mask.shape.count(), islands));
  for (const std::string* path : {&options_.output, &options_.region, &options_.moc, &options_.noise})
    if (!path->empty()) terminal_.print("  wrote " + *path);
  nlohmann::ordered_json report{{"pixels", inside}, {"islands", islands}, {"history", history_}};
  write_json(options_.common, report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal_);
}

}  // namespace

namespace {

/// The input by whichever name it was given.
MaskOptions settled(MaskOptions options) {
  const int given = int{!options.input.empty()} + int{!options.restored.empty()} + int{!options.mask.empty()};
  if (given != 1) throw InputError("one input was expected: IN, --restored-image or --mask-image");
  const bool way = options.threshold || !options.islands.empty() || options.coverage;
  if (!options.mask.empty() && way)
    throw InputError("--mask-image is a mask already: --threshold, --islands and --coverage are of an image");
  if (!options.restored.empty() && !way) options.threshold = kUsualThreshold;
  if (options.input.empty()) options.input = options.restored.empty() ? options.mask : options.restored;
  return options;
}

}  // namespace

int make_mask(const MaskOptions& asked, Terminal& terminal) {
  const MaskOptions options = settled(asked);
  apply(options.common, terminal);
  if (options.output.empty() && options.region.empty() && options.moc.empty())
    throw InputError("nothing to write: -o, --outregion or --moc");
  if (!options.onto.empty() && options.sum_peak)
    throw InputError("--sum-peak writes the image, which --onto does not move");
  check_outputs({options.output, options.region, options.moc, options.noise}, options.common.overwrite);
  terminal.set_subject(options.input);
  MaskWork work(options, terminal);
  work.read();
  work.combine();
  work.choose_islands();
  work.reshape();
  work.write();
  return kDone;
}

}  // namespace reber::app
