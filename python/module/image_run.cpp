// SPDX-License-Identifier: BSD-3-Clause
// Pixels and header in, NumPy arrays out.
#include "python/module/image_run.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/base/threads.hpp"
#include "core/files/fits/header_beam.hpp"
#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/model_map.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "python/module/kept_backends.hpp"
#include "python/module/waiting.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

/// The header of pixels in memory: two axes, in the order of the array.
std::shared_ptr<const ImageHeader> header_of(const std::string& text, Shape shape) {
  auto header = std::make_shared<ImageHeader>();
  const fits::CardTable cards(text);
  header->path = "array";
  header->shape = shape;
  header->axes = {shape.nx, shape.ny};
  header->object = cards.string("OBJECT").value_or("");
  header->telescope = cards.string("TELESCOP").value_or("");
  header->date_obs = cards.string("DATE-OBS").value_or("");
  header->unit = Unit::parse(cards.string("BUNIT").value_or(""));
  std::string closed = text + "END";
  closed.resize(text.size() + fits::kCardBytes, ' ');
  header->wcs = Wcs::parse(closed, 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
  if (!header->wcs.celestial())
    header->warnings.push_back(fmt::format("no usable WCS ({}): positions are in pixels only", header->wcs.why_not()));
  const fits::BeamTable none;
  const fits::HeaderBeam beam = fits::read_beam(cards, nullptr, header->wcs, shape, {&none, 0});
  header->beam = beam.beam;
  header->beam_note = beam.note;
  if (!beam.warning.empty()) header->warnings.push_back(beam.warning);
  for (std::int64_t i = 0; i < cards.count(); ++i) header->cards.emplace_back(cards.card(i));
  return header;
}

MapKind map_kind(const std::string& kind) {
  if (kind == "image") return MapKind::image;
  if (kind == "mean") return MapKind::mean;
  if (kind == "rms") return MapKind::rms;
  if (kind == "snr") return MapKind::snr;
  throw InputError(fmt::format("no map '{}'; expected image, mean, rms, snr, model or residual", kind));
}

std::string& path_of(OutputRequest& output, const std::string& kind) {
  if (kind == "image") return output.convolved;
  if (kind == "mean") return output.mean;
  if (kind == "rms") return output.rms;
  if (kind == "snr") return output.snr;
  if (kind == "labels") return output.labels;
  if (kind == "mask") return output.mask;
  if (kind == "model") return output.model;
  if (kind == "residual") return output.residual;
  if (kind == "picture") return output.picture;
  throw InputError(fmt::format(
      "no product '{}'; expected catalogue, image, mean, rms, snr, labels, mask, model, residual or picture", kind));
}

/// The word of a map that this run has.   throws InputError where it has not
MapKind measured_kind(const Result& result, const std::string& kind) {
  const MapKind wanted = map_kind(kind);
  if (wanted != MapKind::image && result.background() == nullptr)
    throw InputError(fmt::format("this run measured no background, so there is no map '{}'", kind));
  return wanted;
}

/// All pixels of a map, of the image's shape.
void draw(const Result& result, const std::string& kind, std::vector<float>& pixels) {
  const Shape shape = result.header().shape;
  if (!result.plane()) throw InputError("this run read no pixels");
  const bool residual = kind == "residual";
  if (kind == "model" || residual) {
    ModelMap(result.sources(), shape).rows(0, shape.ny, pixels.data());
  } else {
    result.backend->render_rows(measured_kind(result, kind), *result.plane(), result.background(), 0, shape.ny,
                                pixels.data());
  }
  if (!residual) return;
  std::vector<float> image(pixels.size());
  result.backend->render_rows(MapKind::image, *result.plane(), nullptr, 0, shape.ny, image.data());
  for (std::size_t i = 0; i < image.size(); ++i) pixels[i] = image[i] - pixels[i];
}

}  // namespace

RunOptions run_options(const nb::dict& with, const std::optional<BeamTuple>& beam) {
  RunOptions options;
  const auto text = [&](const char* key) { return nb::cast<std::string>(with[key]); };
  options.backend = text("backend");
  options.with.device = nb::cast<int>(with["device"]);
  options.with.threads = nb::cast<int>(with["threads"]);
  options.with.device_memory_bytes = nb::cast<std::int64_t>(with["device_memory"]);
  options.open.check = nb::cast<bool>(with["check"]);
  if (!with["hdu"].is_none()) options.open.hdu = nb::cast<int>(with["hdu"]);
  if (!with["plane"].is_none()) options.open.plane = nb::cast<std::int64_t>(with["plane"]);
  if (!with["unit"].is_none()) options.open.unit = text("unit");
  if (beam) options.beam = Beam{std::get<0>(*beam), std::get<1>(*beam), std::get<2>(*beam)};
  options.program = std::string("reber ") + REBER_VERSION;
  return options;
}

void apply(const RunOptions& options, Request& request) {
  request.open = options.open;
  request.beam = options.beam;
  request.program = options.program;
  request.fit.threads = options.with.threads;
  request.device_memory_bytes = options.with.device_memory_bytes;
}

nb::dict ImageRun::table(const std::string& word) {
  const auto set = from_string<ColumnSet>(word, "columns");
  Catalogue catalogue;
  {
    const nb::gil_scoped_release without_lock;
    const std::lock_guard lock(mutex_);
    catalogue = make_catalogue(result_.sources(), result_.header(), result_.history);
    if (set != ColumnSet::pybdsf) {
      const SourceList list = source_list_of(result_, request_.group);
      const ListedSources listed{list, result_.header()};
      catalogue = in_columns(catalogue, result_.sources(), set, result_.beams(), &listed);
    }
  }
  return table_of(catalogue);
}

ImageRun::~ImageRun() {
  const nb::gil_scoped_release without_lock;
  run_beside([this] { result_ = {}; }).wait();
}

Array2<float> ImageRun::map(const std::string& kind) {
  const Shape shape = result_.header().shape;
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  {
    const nb::gil_scoped_release without_lock;
    const std::lock_guard lock(mutex_);
    run_beside([&] { draw(result_, kind, pixels); }).get();
  }
  return array_of(std::move(pixels), shape);
}

Array2<std::int32_t> ImageRun::labels() {
  const Shape shape = result_.header().shape;
  std::vector<std::int32_t> pixels(static_cast<std::size_t>(shape.count()));
  {
    const nb::gil_scoped_release without_lock;
    const std::lock_guard lock(mutex_);
    if (!result_.islands()) throw InputError("this run looked for no islands");
    run_beside([&] { result_.backend->label_rows(*result_.islands(), 0, shape.ny, pixels.data()); }).get();
  }
  return array_of(std::move(pixels), shape);
}

std::unique_ptr<DeviceMap> ImageRun::on_device(const std::string& kind) {
  const nb::gil_scoped_release without_lock;
  const std::lock_guard lock(mutex_);
  if (!result_.plane()) throw InputError("this run read no pixels");
  DisplayEngine* const card = result_.backend->display();
  if (card == nullptr)
    throw InputError(fmt::format("this run was computed by the backend '{}', so no map of it is on a card",
                                 result_.backend->info().name));
  const bool labels = kind == "labels";
  if (labels && !result_.islands()) throw InputError("this run looked for no islands");
  auto tile = run_beside([&] {
    return labels ? card->device_labels(*result_.islands())
                  : card->device_map(measured_kind(result_, kind), *result_.plane(), result_.background());
  });
  return std::make_unique<DeviceMap>(tile.get(), result_.header().shape, labels);
}

nb::dict ImageRun::measure(const nb::object& at, const std::string& columns, const ForcedRequest& asked,
                           const nb::object& progress) {
  const Catalogue table = catalogue_of(at);
  const Catalogue measured = wait_for(progress, [&](const Progress& told) {
    const SkyList list = sky_list(table, parse_columns(columns, "columns"));
    if (list.lon.empty() && list.x.empty())
      throw InputError("no columns of positions; name them: columns='lon=COLUMN,lat=COLUMN'");
    const std::lock_guard lock(mutex_);
    return forced_catalogue(measure_forced(list, result_, asked, told), list, result_.header(), result_.history);
  });
  return table_of(measured);
}

void ImageRun::write(const std::string& path, const std::string& kind, const std::string& columns,
                     const std::string& format, const std::string& patches, const std::string& durable, bool overwrite,
                     const std::vector<std::string>& cards, int more_axes, const nb::object& progress) {
  Request wanted = request_;
  wanted.output = {};
  wanted.output.overwrite = overwrite;
  wanted.output.cards = cards;
  wanted.output.more_axes = more_axes;
  wanted.output.durable = from_string<Durable>(durable, "durable");
  wanted.output.columns = from_string<ColumnSet>(columns, "columns");
  wanted.output.format = format;
  wanted.output.patches = from_string<Patches>(patches, "patches");
  if (kind == "catalogue")
    wanted.output.catalogues = {path};
  else
    path_of(wanted.output, kind) = path;
  wait_for(progress, [&](const Progress& told) {
    const std::lock_guard lock(mutex_);
    return write_products(wanted, result_, Job(told));
  });
}

std::unique_ptr<ImageRun> run_image(Request request, const RunOptions& options, ArrayPixels pixels,
                                    const std::string& cards, const nb::object& progress) {
  apply(options, request);
  Input input = input_of(request);
  if (pixels.lent) {
    input.pixels = pixels.lent;
  } else if (pixels.host) {
    const Shape shape{static_cast<std::int64_t>(pixels.host->shape(0)),
                      static_cast<std::int64_t>(pixels.host->shape(1))};
    input.pixels = memory_source(pixels.host->data(), shape);
  }
  if (input.pixels) {
    auto header = std::make_shared<ImageHeader>(*header_of(cards, input.pixels->shape()));
    if (options.open.unit) header->unit = Unit::parse(*options.open.unit);
    input.header = std::move(header);
  }
  Result result = wait_for(progress, [&](const Progress& told) {
    const std::shared_ptr<Backend> backend = kept_backend(pixels.lent ? "cuda" : options.backend, options.with);
    try {
      return Pipeline(backend, input).run(request, events_of(told));
    } catch (const DeviceError&) {
      forget_backend(backend);
      throw;
    }
  });
  return std::make_unique<ImageRun>(std::move(result), std::move(request), std::move(pixels.host));
}

}  // namespace reber::python
