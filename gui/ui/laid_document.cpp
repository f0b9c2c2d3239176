// SPDX-License-Identifier: BSD-3-Clause
// A document made of another: what overlays need to draw it on a grid that is not its own.
#include "gui/ui/laid_document.hpp"

#include "core/base/error.hpp"
#include "core/files/fits/grid_cards.hpp"
#include "core/sky/regions/region_writers.hpp"
#include "core/studies/imaging/regrid.hpp"
#include "gui/model/region_copies.hpp"
#include "gui/model/tables/laid_shapes.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/compare_view.hpp"

namespace reber::gui {
namespace {

/// The header with the grid of another image; its beam is that in the middle of the grid.
std::shared_ptr<const ImageHeader> laid_header(const ImageHeader& image, const ImageHeader& onto) {
  const SkyGrid grid = sky_grid(onto);
  auto header = std::make_shared<ImageHeader>(on_grid(image, grid));
  if (image.beam) {
    try {
      header->beam = BeamOnGrid(image, *image.beam, beam_is(image, BeamIs::automatic), grid).middle();
    } catch (const InputError&) {
      header->beam.reset();  // no geometry at its middle
    }
  }
  return header;
}

/// Whether a row is shown over the image itself.
bool row_shown(const ViewerState& state, const Document& of, std::size_t row) {
  const SourceView& view = of.sources;
  if (view.generation != of.result->generation || view.edition != of.result->edition) return true;
  if (state.filter_ellipses && !view.table.filter().empty()) return view.table.passes(row);
  return !view.edits.hidden(static_cast<std::int64_t>(row));
}

/// Its ellipses, where they are not there yet.
void put_sources(ViewerState& state, LaidDocument& laid, const Document& shown, const Document& other) {
  Document& document = laid.document;
  document.selection = other.selection;
  document.submitted = other.submitted;
  const std::uint64_t edition = other.result ? other.result->edition : 0, table = other.sources.table.version();
  const bool before = document.result != nullptr;
  if (before == (other.result != nullptr) && laid.edition == edition && laid.table == table) return;
  laid.edition = edition;
  laid.table = table;
  document.result.reset();
  document.shapes.clear();
  if (!other.result) return;
  auto result = std::make_shared<LiveResult>(*other.result);
  if (result->beam) result->beam = document.header->beam;
  result->edition = (edition << 24) + table;  // pictures follow the rows that are shown, too
  document.result = std::move(result);
  document.shapes = laid_shapes(lock_between(*state.workbench, other, shown), other.shapes);
  for (std::size_t row = 0; row < document.shapes.size(); ++row)
    if (!row_shown(state, other, row)) document.shapes[row] = kNoShape;
}

/// Its regions, where they are not there yet; those off the shown image's sky are left out.
void put_regions(LaidDocument& laid, const Document& other) {
  if (laid.regions == other.inspect.version) return;
  laid.regions = other.inspect.version;
  DocumentInspect& inspect = laid.document.inspect;
  inspect.regions.clear();
  ++inspect.version;
  const auto system = system_of(other.header->wcs);
  if (!system) return;
  for (const Region& region : other.inspect.regions) {
    try {
      paste_regions(laid.document, regions_text({region}, other.header->wcs, RegionFormat::ds9, *system, true));
    } catch (const InputError&) {
      continue;
    }
  }
}

}  // namespace

Document* laid_document(Context& context, const Document& shown, const Document& other, LayerKind layer) {
  const Pyramid* pixels = pixels_on_grid(context, shown, other, layer);
  RegridWork& work = context.state.workbench->regrids.front();
  if (pixels == nullptr || pixels != work.pixels.get()) return nullptr;
  std::unique_ptr<LaidDocument>& laid = work.laid;
  if (!laid || laid->of != other.header || laid->onto != shown.header) {
    laid = std::make_unique<LaidDocument>();
    laid->of = other.header;
    laid->onto = shown.header;
    laid->document.header = laid_header(*other.header, *shown.header);
  }
  Document& document = laid->document;
  document.id = -2 - other.id;  // of no open document
  document.name = other.title();
  document.in_memory = true;
  document.shown = layer;
  document.view = shown.view;
  document.fit_when_drawn = false;
  Layer& there = document.layer(layer);
  const Layer& own = other.layer(layer);
  if (there.pixels != work.pixels) there = own;
  there.pixels = work.pixels;
  there.render = own.render;
  there.generation = own.generation;
  put_sources(context.state, *laid, shown, other);
  put_regions(*laid, other);
  return &document;
}

}  // namespace reber::gui
