// SPDX-License-Identifier: BSD-3-Clause
// Planes of maps at their places.
#include "core/run/cube/map_cubes.hpp"

#include <algorithm>
#include <cmath>

#include "core/run/pipeline/product_table.hpp"

namespace reber {

MapCubes::MapCubes(std::shared_ptr<const ImageHeader> like, std::vector<ProductFile> maps,
                   const std::vector<std::string>& history, bool overwrite)
    : like_(std::move(like)), maps_(std::move(maps)), written_(static_cast<std::size_t>(like_->planes)) {
  for (const ProductFile& map : maps_) {
    OutputHeader header;
    header.like = like_.get();
    header.unit = unit_of(product_of(map.word), *like_);
    if (like_->plane_beams.empty()) header.beam = like_->beam;
    header.history = history;
    writers_.push_back(std::make_unique<CubeWriter>(map.path, header, like_->plane_beams, overwrite));
  }
}
MapCubes::~MapCubes() = default;

void MapCubes::write(std::int64_t plane, const Result& result, const Progress& progress) {
  FairTurn turn;
  const Job job(progress);
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const ProductMap made = product_of(maps_[i].word).make({result, job, turn});
    writers_[i]->write_plane(plane, made.rows, progress);
  }
  written_[static_cast<std::size_t>(plane)] = true;
}

std::vector<std::string> MapCubes::finish(const Progress& progress) {
  const FloatRows blank = [&](std::int64_t, std::int64_t ny, float* out) {
    std::fill_n(out, ny * like_->shape.nx, std::nanf(""));
  };
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    for (std::size_t plane = 0; plane < written_.size(); ++plane)
      if (!written_[plane]) writers_[i]->write_plane(static_cast<std::int64_t>(plane), blank, progress);
    writers_[i]->finish();
    paths.push_back(maps_[i].path);
  }
  return paths;
}

}  // namespace reber
