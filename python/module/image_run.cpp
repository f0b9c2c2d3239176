// SPDX-License-Identifier: BSD-3-Clause
// Pixels and header in, NumPy arrays out.
#include "python/module/image_run.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/base/threads.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/catalogue/sky_model.hpp"
#include "core/files/fits/header_beam.hpp"
#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/run/pipeline/row_account.hpp"
#include "core/run/request/expected_stages.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "python/module/kept_backends.hpp"
#include "python/module/request_of.hpp"
#include "python/module/waiting.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

constexpr int kMostAxes = 9;

/// Python's names of products, as a list of words; of maps alone where asked for.
std::string product_names(bool maps) {
  std::string text;
  for (const Product& product : kProducts)
    if (!product.python.empty() && (!maps || product.kind == Product::Kind::map))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", product.python);
  return text;
}

/// The map of a name that this run has.   throws InputError where it has not
const Product& map_of(const Result& result, const std::string& name) {
  const Product* const product = python_product(name);
  if (product == nullptr || product->kind != Product::Kind::map)
    throw InputError(fmt::format("no map '{}'; expected one of: {}", name, product_names(true)));
  if (const std::string why = why_no_product(*product, result); !why.empty()) throw InputError(why);
  return *product;
}

const Product& written_product(const std::string& name) {
  const Product* const product = python_product(name);
  if (product == nullptr)
    throw InputError(fmt::format("no product '{}'; expected catalogue or one of: {}", name, product_names(false)));
  return *product;
}

}  // namespace

nb::list products() {
  nb::list rows;
  for (const Product& product : kProducts) {
    if (product.python.empty()) continue;
    nb::dict row;
    row["name"] = nb::str(product.python.data(), product.python.size());
    row["text"] = nb::str(product.text.data(), product.text.size());
    row["map"] = product.kind == Product::Kind::map;
    rows.append(row);
  }
  return rows;
}

std::shared_ptr<const ImageHeader> array_header(const std::string& text, Shape shape, const RunOptions& options,
                                                const std::string& path) {
  auto header = std::make_shared<ImageHeader>();
  const fits::CardTable cards(text);
  header->path = path;
  header->shape = shape;
  header->axes = {shape.nx, shape.ny};
  header->object = cards.string("OBJECT").value_or("");
  header->telescope = cards.string("TELESCOP").value_or("");
  header->date_obs = cards.string("DATE-OBS").value_or("");
  header->unit = Unit::parse(options.open.unit ? *options.open.unit : cards.string("BUNIT").value_or(""));
  std::string closed = text + "END";
  closed.resize(text.size() + fits::kCardBytes, ' ');
  int axes = 2;
  for (int axis = 3; axis <= kMostAxes; ++axis)
    if (cards.has(fmt::format("CTYPE{}", axis))) axes = axis;
  const std::vector<double> first(static_cast<std::size_t>(axes), 1.0);  // the pixels are the first plane
  header->wcs = Wcs::parse(closed, 0, 1, first, axes, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
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

RunOptions run_options(const nb::dict& with, const std::optional<BeamTuple>& beam) {
  RunOptions options;
  options.backend = text_of(with["backend"]);
  options.with.device = static_cast<int>(number_of(with["device"], "call.device"));
  options.with.threads = static_cast<int>(number_of(with["threads"], "call.threads"));
  options.with.device_memory_bytes = static_cast<std::int64_t>(number_of(with["device_memory"], "call.device_memory"));
  options.open.check = truth_of(with["check"], "check");
  if (!with["hdu"].is_none()) options.open.hdu = static_cast<int>(number_of(with["hdu"], "call.hdu"));
  if (!with["plane"].is_none()) options.open.plane = static_cast<std::int64_t>(number_of(with["plane"], "call.plane"));
  if (!with["unit"].is_none()) options.open.unit = text_of(with["unit"]);
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

Catalogue ImageRun::catalogue(const std::string& word) {
  const auto set = from_string<ColumnSet>(word, "columns");
  const nb::gil_scoped_release without_lock;
  const std::lock_guard lock(mutex_);
  Catalogue catalogue = make_catalogue(result_.sources(), result_.header(), result_.history);
  if (set == ColumnSet::pybdsf) return catalogue;
  const SourceList list = source_list_of(result_, request_.group);
  const ListedSources listed{list, result_.header()};
  return in_columns(catalogue, result_.sources(), set, result_.beams(), &listed);
}

nb::dict ImageRun::table(const std::string& word) { return table_of(catalogue(word)); }

void ImageRun::write_table(const std::string& path, const std::string& set, const nb::dict& more,
                           const std::string& patches, const std::string& root) {
  Catalogue table = catalogue(set);
  if (!root.empty()) table.image = root;
  for (Column& column : catalogue_of(more).columns) table.columns.push_back(std::move(column));
  const auto which = from_string<Patches>(patches, "patches");
  const nb::gil_scoped_release without_lock;
  check_columns(table);
  if (std::string_view(catalogue_format(path).word) == "bbs")
    write_sky_model(table, which, path, true);
  else
    write_catalogue(table, path, true);
}

void ImageRun::drop_wider(double area_deg2) {
  const nb::gil_scoped_release without_lock;
  const std::lock_guard lock(mutex_);
  if (!result_.outcomes.judged) throw InputError("this run looked for no sources");
  auto kept = std::make_shared<Outcome<std::vector<Source>>>(*result_.outcomes.judged);
  std::erase_if(kept->value, [&](const Source& one) { return one.major_deg * one.minor_deg > area_deg2; });
  result_.outcomes.judged = std::move(kept);
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
    const Product& product = map_of(result_, kind);
    run_beside([&] {
      FairTurn turn;
      const Job job;
      product.make({result_, job, turn}).rows(0, shape.ny, pixels.data());
    }).get();
  }
  return array_of(std::move(pixels), shape);
}

std::string ImageRun::why(std::int64_t row) {
  const nb::gil_scoped_release without_lock;
  const std::lock_guard lock(mutex_);
  if (!result_.outcomes.judged) throw InputError("this run looked for no sources");
  return to_text(RowAccounts(result_).of(row));
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
  const std::optional<MapKind> seam = labels ? MapKind::image : map_of(result_, kind).seam;
  if (!seam) throw InputError(fmt::format("the map '{}' is made in host memory: no card has it", kind));
  auto tile = run_beside([&] {
    return labels ? card->device_labels(*result_.islands())
                  : card->device_map(*seam, *result_.plane(), result_.background());
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
    wanted.output.want(written_product(kind).word, path);
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
    input.header = array_header(cards, input.pixels->shape(), options, request.input);
  }
  Result result = wait_for(
      progress,
      [&](const Progress& told) {
        const std::shared_ptr<Backend> backend = kept_backend(pixels.lent ? "cuda" : options.backend, options.with);
        try {
          return Pipeline(backend, input).run(request, events_of(told));
        } catch (const DeviceError&) {
          forget_backend(backend);
          throw;
        }
      },
      expected_stages(request));
  return std::make_unique<ImageRun>(std::move(result), std::move(request), std::move(pixels.host));
}

}  // namespace reber::python
