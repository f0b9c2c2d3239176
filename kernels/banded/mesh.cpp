// SPDX-License-Identifier: BSD-3-Clause
// Rows of cells are dealt by the rows of pixels that they need, and joined in their order.
#include "kernels/banded/mesh.hpp"

#include <algorithm>
#include <utility>

#include "core/seam/compute/mesh_filter.hpp"

namespace reber::banded {
namespace {

/// Rows of cells that are measured together, and the rows of pixels that they are measured on.
struct Piece {
  Rows cells, rows;
  MeshCells found = {};
};

/// What the rows of cells [cells.begin, cells.end) need, with what a plane's rows must have about them.
Rows rows_of(const MeshGrid& grid, Rows cells, const BandedPlane& plane) {
  Rows rows{grid.image.ny, 0};
  for (std::int64_t j = cells.begin; j < cells.end; ++j) {
    const PixelSpan& span = grid.rows[static_cast<std::size_t>(j)];
    rows = {std::min(rows.begin, span.begin), std::max(rows.end, span.end)};
  }
  return about(rows, plane.margin(), grid.image.ny);
}

void pack(const MeshCells& cells, Packed& to) {
  for (const auto values : {&MeshCells::mean, &MeshCells::rms, &MeshCells::filtered_mean, &MeshCells::filtered_rms})
    to.add(cells.*values);
}
MeshCells unpack(Unpacked& from) {
  MeshCells cells;
  for (const auto values : {&MeshCells::mean, &MeshCells::rms, &MeshCells::filtered_mean, &MeshCells::filtered_rms})
    cells.*values = from.next<float>();
  return cells;
}

void measure(Members& members, const BandedPlane& plane, const MeshGrid& grid, const MeshOptions& options,
             std::vector<Piece>& pieces, const Job& job) {
  std::vector<Members::Task> tasks;
  std::vector<Asked> wanted;
  std::vector<Piece*> measured;  // by each task
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (pieces[k].cells.size() == 0) continue;
    wanted.push_back({pieces[k].rows, k});
    measured.push_back(&pieces[k]);
    tasks.push_back({k, [&, &piece = pieces[k]](Backend& by, const Job& own) {
                       const auto pixels = plane.rows(by, piece.rows, own);
                       const Rows all = covering(grid, piece.cells, piece.rows);
                       const Rows own_cells{piece.cells.begin - all.begin, piece.cells.end - all.begin};
                       const MeshCells found =
                           by.mesh(*pixels, clamped(cut(grid, all, piece.rows), own_cells), options, own);
                       piece.found = found.part(static_cast<std::size_t>((piece.cells.begin - all.begin) * grid.nx()),
                                                static_cast<std::size_t>(piece.cells.size() * grid.nx()));
                     }});
  }
  plane.prepare(wanted, job);
  members.share(
      tasks, [&](std::size_t k, Packed& to) { pack(measured[k]->found, to); },
      [&](std::size_t k, Unpacked& from) { measured[k]->found = unpack(from); }, job);
}

/// Values of the pieces, in their order.
std::vector<float> joined(const std::vector<const Piece*>& pieces, std::vector<float> MeshCells::*values) {
  std::vector<float> all;
  for (const Piece* piece : pieces) all.insert(all.end(), (piece->found.*values).begin(), (piece->found.*values).end());
  return all;
}

/// What pieces filtered holds where their windows end in them; the rest is filtered here.
std::vector<float> filtered(const std::vector<const Piece*>& pieces, std::vector<float> MeshCells::*from,
                            const std::vector<float>& values, const MeshGrid& grid, int side) {
  const std::int64_t ny = grid.ny(), nx = grid.nx(), reach = side / 2;
  std::vector<float> all = joined(pieces, from);
  if (all.size() != values.size()) return {};
  std::int64_t done = 0;
  for (const Piece* piece : pieces) {
    const Rows sure = inside(piece->cells, reach, ny);  // cells beside the piece's, cut or not, are not in its windows
    if (sure.size() == 0) continue;
    filter_cell_rows(values, ny, nx, side, done, sure.begin, all);
    done = sure.end;
  }
  filter_cell_rows(values, ny, nx, side, done, ny, all);
  return all;
}

}  // namespace

MeshCells measure_mesh(Members& members, const BandedPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                       const std::optional<LabelHint>& hint, const Job& job) {
  std::vector<Piece> in_bands, across;
  std::vector<Rows> cells_in_bands;
  for (std::size_t k = 0; k < plane.bands().size(); ++k) {
    in_bands.push_back({cells_of_band(grid, plane.bands()[k], plane.margin()), plane.bands()[k]});
    cells_in_bands.push_back(in_bands.back().cells);
  }
  for (const Rows& cells : gaps_between(cells_in_bands, grid.ny()))
    across.push_back({cells, rows_of(grid, cells, plane)});
  // Strips first: a hint is for the next mesh, and what a member foretold of its band holds until it loads rows.
  measure(members, plane, grid, options, across, job);
  if (hint)
    for (std::size_t k = 0; k < hint->plane.bands().size(); ++k)
      if (members.is_own(k))
        members.of(k).will_label(*hint->plane.rows(members.of(k), hint->plane.bands()[k], job), hint->options);
  measure(members, plane, grid, options, in_bands, job);
  std::vector<const Piece*> pieces;
  for (const std::vector<Piece>* list : {&in_bands, &across})
    for (const Piece& piece : *list)
      if (piece.cells.size() > 0) pieces.push_back(&piece);
  std::ranges::sort(pieces, {}, [](const Piece* piece) { return piece->cells.begin; });
  MeshCells all{joined(pieces, &MeshCells::mean), joined(pieces, &MeshCells::rms)};
  all.filtered_mean = filtered(pieces, &MeshCells::filtered_mean, all.mean, grid, options.filter);
  all.filtered_rms = filtered(pieces, &MeshCells::filtered_rms, all.rms, grid, options.filter);
  return all;
}

MeshCells measure_meshes(Members& members, const BandedPlane& plane, std::span<const MeshGrid> grids,
                         const MeshOptions& options, const Job& job) {
  const std::vector<Rows> valid = plane.valid_bands();
  std::vector<std::vector<std::size_t>> of_band(valid.size());
  std::vector<MeshCells> found(grids.size());
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const Rows all{0, grids[g].ny()};
    const Rows rows = rows_of(grids[g], all, plane);
    const auto band = std::ranges::find_if(valid, [&](Rows one) { return one.holds(rows); });
    if (band != valid.end())
      of_band[static_cast<std::size_t>(band - valid.begin())].push_back(g);
    else
      found[g] = measure_mesh(members, plane, grids[g], options, {}, job);
  }
  std::vector<Members::Task> tasks;
  std::vector<const std::vector<std::size_t>*> measured;  // by each task
  for (std::size_t k = 0; k < of_band.size(); ++k) {
    if (of_band[k].empty()) continue;
    tasks.push_back({k, [&, k, band = plane.bands()[k]](Backend& by, const Job& own) {
                       std::vector<MeshGrid> here;
                       for (const std::size_t g : of_band[k]) here.push_back(cut(grids[g], {0, grids[g].ny()}, band));
                       const MeshCells cells = by.mesh_each(*plane.rows(by, band, own), here, options, own);
                       std::size_t at = 0;
                       for (std::size_t n = 0; n < here.size(); ++n) {
                         const auto count = static_cast<std::size_t>(here[n].ny() * here[n].nx());
                         found[of_band[k][n]] = cells.part(at, count);
                         at += count;
                       }
                     }});
    measured.push_back(&of_band[k]);
  }
  members.share(
      tasks,
      [&](std::size_t k, Packed& to) {
        for (const std::size_t g : *measured[k]) pack(found[g], to);
      },
      [&](std::size_t k, Unpacked& from) {
        for (const std::size_t g : *measured[k]) found[g] = unpack(from);
      },
      job);
  MeshCells all;
  for (const MeshCells& cells : found) all.append(cells);
  return all;
}

}  // namespace reber::banded
