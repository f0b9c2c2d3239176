// SPDX-License-Identifier: BSD-3-Clause
// Masks of lines: where a cube is above its noise over several channels.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/run/cube/channel_noise.hpp"
#include "core/run/cube/strip.hpp"

namespace reber {

/// PHANGS' rule for strict masks (Leroy et al. 2021, ApJS 255, 19): regions of voxels above low_sigma over at least
/// low_channels channels on end, joined across faces in three dimensions, that hold a voxel above high_sigma over at
/// least high_channels channels on end.
struct MaskRule {
  double high_sigma = 4;
  int high_channels = 2;
  double low_sigma = 2;
  int low_channels = 2;

  /// "4,2,2,2" in the order of the members.   throws InputError; also where the low rule is above the high one
  static MaskRule parse(const std::string& text);
};

/// The mask of one cube. It holds runs of channels, not voxels: its memory grows with what is in the mask, and with the
/// peaks of noise in some rows.
class LineMask {
 public:
  /// throws InputError for more than 65535 planes
  LineMask(const MaskRule& rule, Shape shape, std::int64_t planes);

  /// Takes a strip's voxels. Strips of a band come in order, bands in any order, from several threads.
  void add(const Strip& strip, const Band& band, const ChannelNoise& noise);
  void band_done(const Band& band);
  /// Drops regions without a high voxel, when all bands are done.
  void finish();

  /// Copies what is in the mask; what is in no mask keeps what it is.
  void keep(const Strip& from, Strip& to) const;
  [[nodiscard]] std::int64_t voxels() const;

 private:
  struct Run {
    std::uint32_t x;
    std::uint16_t from, to;  ///< channels, both included
  };
  struct Found {
    std::int64_t y0 = 0;
    std::vector<std::vector<Run>> rows;
    std::vector<std::vector<unsigned char>> high;
  };
  void add_row(const std::vector<Run>& runs, const std::vector<unsigned char>& high);
  void join_row(std::size_t from, std::size_t above);
  [[nodiscard]] std::uint32_t root(std::uint32_t i);
  void join(std::uint32_t a, std::uint32_t b);
  void prune(bool all);

  MaskRule rule_;
  Shape shape_;
  std::int64_t planes_;
  std::mutex mutex_;
  std::map<std::int64_t, Found> waiting_;  ///< bands that are found and wait for those before them
  std::set<std::int64_t> done_;            ///< of these, whole
  std::int64_t next_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> parent_;
  std::vector<unsigned char> high_;  ///< of a root: its region has a high voxel
  std::vector<std::size_t> rows_{0};
  std::size_t pruned_ = 0;
};

}  // namespace reber
