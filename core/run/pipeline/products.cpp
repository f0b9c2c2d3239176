// SPDX-License-Identifier: BSD-3-Clause
// Catalogues, maps and picture of a run, from what the pipeline left in memory.
#include "core/run/pipeline/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/fair_turn.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/files/fits/tile_writer.hpp"
#include "core/measure/sources/plane_columns.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/measure/sources/source_list.hpp"
#include "core/run/pipeline/mesh_maps.hpp"
#include "core/run/pipeline/product_islands.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/seam/compute/card_error.hpp"
#include "core/sky/model/image.hpp"

namespace reber {
namespace {

class Writer {
 public:
  Writer(const Request& request, const Result& result, const Job& job, CommitGroup& group)
      : wanted_(request.output),
        how_(request.output.overwrite, &group),
        backend_(*result.backend),
        result_(result),
        job_(job),
        source_{result, job, turn_},
        group_(request.group),
        threads_(usable_threads()) {}

  std::vector<std::string> write();

 private:
  [[nodiscard]] const ImageHeader& header() const { return result_.header(); }
  [[nodiscard]] const BackgroundModel* background() const { return result_.background(); }
  [[nodiscard]] OutputHeader of_map(const Product& product) const;
  void map(const Product& product, const std::string& path);
  void mesh(const Product& product, const std::string& path);
  void labels(const std::string& path) const;
  void picture(const std::string& path, const Catalogue& catalogue) const;
  /// Work beside the caller, or later on its thread where that is the only one.
  template <class Work>
  [[nodiscard]] std::future<void> beside(Work work) const;
  [[nodiscard]] ColumnSet columns_of(const CatalogueFormat& format) const;
  [[nodiscard]] std::map<ColumnSet, Catalogue> tables(const Catalogue& catalogue) const;
  void catalogues(const Catalogue& catalogue, const std::map<ColumnSet, Catalogue>& named) const;

  const OutputRequest& wanted_;
  const FileOptions how_;
  Backend& backend_;
  const Result& result_;
  const Job& job_;
  mutable FairTurn turn_;  ///< the backend serves one thread at a time
  const ProductSource source_;
  const GroupOptions group_;
  const int threads_;
  std::vector<std::string> written_;
};

template <class Work>
std::future<void> Writer::beside(Work work) const {
  if (threads_ == 1) return run_later(std::move(work));
  return run_beside([this, work = std::move(work)] {
    const ThreadBudget budget(threads_);  // that of the caller, which new threads do not have
    work();
  });
}

OutputHeader Writer::of_map(const Product& product) const {
  OutputHeader out;
  out.like = &header();
  out.unit = unit_of(product, header());
  out.beam = result_.beam();
  out.history = result_.history;
  out.cards = wanted_.cards;
  out.more_axes = wanted_.more_axes;
  if (wanted_.keep_axes) out.places = fits::axis_places(header());
  return out;
}

void Writer::map(const Product& product, const std::string& path) {
  const trace::Span span("write", path);
  const ProductMap made = product.make(source_);
  OutputHeader out = of_map(product);
  if (!made.beam) out.beam.reset();
  out.history.insert(out.history.end(), made.history.begin(), made.history.end());
  write_map(path, header().shape, out, made.rows, how_, job_.progress());
  written_.push_back(path);
}

/// Mean or rms as it was measured: at nodes, but for a map that the user gave.
void Writer::mesh(const Product& product, const std::string& path) {
  if (background() == nullptr) return;
  const bool rms = product.seam == MapKind::rms;
  if (rms ? background()->rms_map : background()->mean_map) return map(product, path);
  write_mesh_map(path, mesh_map_of(background()->grid, rms ? background()->rms : background()->mean), of_map(product),
                 how_);
  written_.push_back(path);
}

void Writer::labels(const std::string& path) const {
  const trace::Span span("write", "labels");
  OutputHeader out;
  out.like = &header();
  out.history = result_.history;
  write_map(path, header().shape, out, label_rows(source_), how_);
}

double average(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void draw_result(const std::string& path, const Result& result, const Catalogue& sources, const PixelRows& rows,
                 PictureOptions options) {
  ImageHeader shown = result.header();
  shown.beam = result.beam();
  options.title = shown.object;
  if (const BackgroundModel* background = result.background(); background != nullptr && !background->rms.empty()) {
    const double rms = average(background->rms), mean = average(background->mean);
    options.low = mean - 3 * rms;
    options.high = mean + 100 * rms;
  }
  options.threads = result.backend->info().threads;
  write_sky_picture(path, shown.shape, rows, shown, &sources, options);
}

namespace {

void Writer::picture(const std::string& path, const Catalogue& catalogue) const {
  const trace::Span span("write", "picture");
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* pixels) {
    job_.check();
    const std::lock_guard turn(turn_);
    const trace::Span render("copy", "render");
    backend_.render_rows(MapKind::image, *result_.plane(), nullptr, y0, ny, pixels, job_);
  };
  PictureOptions options;
  options.file = how_;
  options.peaks = [&](std::int64_t block) -> std::optional<std::vector<float>> {
    const std::lock_guard turn(turn_);
    return backend_.block_peaks(*result_.plane(), block, job_);
  };
  draw_result(path, result_, catalogue, rows, options);
}

/// The columns that a path's format is made of.
ColumnSet Writer::columns_of(const CatalogueFormat& format) const {
  if (format.columns != nullptr) return from_string<ColumnSet>(format.columns, format.word);
  return format.table ? wanted_.columns : ColumnSet::pybdsf;
}

/// Catalogues in the columns that the formats ask for; reads islands from the backend.
std::map<ColumnSet, Catalogue> Writer::tables(const Catalogue& catalogue) const {
  std::map<ColumnSet, Catalogue> named;
  std::optional<SourceList> list;
  for (const std::string& path : wanted_.catalogues) {
    const ColumnSet set = columns_of(catalogue_format(path, wanted_.format));
    if (set == ColumnSet::pybdsf || named.contains(set)) continue;
    if (!list) list = source_list_of(result_, group_, job_);
    const ListedSources listed{*list, header()};
    named.emplace(set, in_columns(catalogue, result_.sources(), set, result_.beams(), &listed));
  }
  return named;
}

/// Touches no backend.
void Writer::catalogues(const Catalogue& catalogue, const std::map<ColumnSet, Catalogue>& named) const {
  const trace::Span span("write", "catalogues");
  for (const std::string& path : wanted_.catalogues) {
    job_.check();
    const CatalogueFormat& format = catalogue_format(path, wanted_.format);
    const ColumnSet set = columns_of(format);
    Catalogue with_plane;
    if (wanted_.plane_columns && format.table && format.columns == nullptr) {
      with_plane = set == ColumnSet::pybdsf ? catalogue : named.at(set);
      add_plane_columns(header(), result_.beam(), with_plane);
    }
    const Catalogue& table = !with_plane.columns.empty() ? with_plane
                             : set == ColumnSet::pybdsf  ? catalogue
                                                         : named.at(set);
    if (wanted_.patches != Patches::source && std::string_view(format.word) == "bbs")
      write_sky_model(table, wanted_.patches, path, how_);
    else
      write_catalogue(table, path, how_, wanted_.format);
  }
}

std::vector<std::string> Writer::write() {
  using Kind = Product::Kind;
  const std::string drawn = wanted_.file_of("picture");
  Catalogue catalogue;
  if (!wanted_.catalogues.empty() || !drawn.empty())
    catalogue = make_catalogue(result_.sources(), header(), result_.history);
  const std::map<ColumnSet, Catalogue> named = tables(catalogue);
  // Behind the tables, which they read: they are waited for before these go. None of them tells how far it is.
  std::vector<std::future<void>> others;
  const auto add = [&](auto work) { others.push_back(beside(std::move(work))); };
  // First, since it has most to do once it has its rows.
  std::future<void> drawing;
  if (!drawn.empty()) drawing = beside([&] { picture(drawn, catalogue); });
  if (!wanted_.catalogues.empty()) add([&] { catalogues(catalogue, named); });
  const std::string labelled = result_.islands() ? wanted_.file_of("labels") : std::string();
  if (!labelled.empty()) add([&] { labels(labelled); });
  written_ = wanted_.catalogues;
  job_.check();
  for (const Product& product : kProducts) {
    const std::string path = wanted_.file_of(product.word);
    if (!path.empty() && product.kind == Kind::map) map(product, path);
    if (!path.empty() && product.kind == Kind::nodes) mesh(product, path);
  }
  if (!labelled.empty()) written_.push_back(labelled);
  for (std::future<void>& other : others) other.get();
  if (drawing.valid() && drawn_or_lacking(drawn, how_, [&] { drawing.get(); })) written_.push_back(drawn);
  return std::move(written_);
}

}  // namespace

bool drawn_or_lacking(const std::string& path, const FileOptions& how, const std::function<void()>& draw) {
  try {
    draw();
    return true;
  } catch (const Cancelled&) {
    throw;
  } catch (const DataError&) {
    throw;  // the folder takes no file
  } catch (const CardError&) {
    throw;  // the whole run begins anew
  } catch (const std::bad_alloc&) {
    if (how.group == nullptr) throw;
    how.group->lack(std::make_exception_ptr(DeviceError(
        fmt::format("there was not enough memory to draw '{}'; the other files are written", printable(path)))));
  } catch (const std::exception&) {
    if (how.group == nullptr) throw;
    how.group->lack(std::current_exception());
  }
  return false;
}

bool any_product(const OutputRequest& wanted) { return !wanted.files().empty(); }

SourceList source_list_of(const Result& result, const GroupOptions& options, const Job& job) {
  if (!result.outcomes.judged) throw InternalError("a list of sources of a run that looked for none");
  const auto pixels_of = [&](const Detected& detected) {
    return result.backend->island_pixels(*result.plane(), *result.background(), *detected.islands, 1, job);
  };
  const Detected& found = result.outcomes.positive.detected->value;
  const IslandPixels pixels = pixels_of(found);
  std::optional<IslandPixels> negative;
  if (std::ranges::any_of(result.sources(), &Source::negative))
    negative = pixels_of(result.outcomes.negative.detected->value);
  const SourceListInputs in{result.sources(),      result.header(), result.beams(),
                            found.options.flood,   pixels,          negative ? &*negative : nullptr,
                            found.islands->count()};
  return make_source_list(in, options);
}

std::vector<std::string> write_products(const Request& request, const Result& result, const Job& job,
                                        CommitGroup* outputs) {
  CommitGroup own(request.output.durable);
  std::vector<std::string> written = Writer(request, result, job, outputs != nullptr ? *outputs : own).write();
  own.commit(job.progress());
  return written;
}

}  // namespace reber
