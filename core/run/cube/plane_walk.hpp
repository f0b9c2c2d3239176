// SPDX-License-Identifier: BSD-3-Clause
// Planes of a cube one after another, the next one read while its caller works on the one before.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/run/cube/cube_source.hpp"

namespace reber {

/// One plane: its header, and its pixels as stored. Both live as long as this holds them.
struct CubePlane {
  std::int64_t plane = 0;
  std::shared_ptr<const ImageHeader> header;
  std::shared_ptr<const PixelSource> pixels;
};

/// Why a plane holds no sky and takes part in nothing: all its pixels are blank, or it has no beam where other planes
/// of its cube have one (a flagged channel, which may be stored as zeros). Empty where it takes part.
///   given_beam: the user's own beam stands in place of the planes'
///   throws as PixelSource::read_rows; Cancelled
[[nodiscard]] std::string why_flagged(const CubePlane& plane, bool given_beam, const Progress& progress);

/// Hands out the planes in the order given. One plane at most is read ahead, by a thread of its own, so that memory
/// holds two of them as stored. A plane is read in place, not ahead, where two take more than `ahead_bytes`, and where
/// the file was inflated into memory. For one thread at a time.
///   in_place: for those who read a plane with several threads, which is faster than one thread ahead of them: rows
///   that lie in the file as in the plane are left there, and the system is asked for the next plane's
class PlaneWalk {
 public:
  static constexpr std::int64_t kAheadBytes = std::int64_t{1} << 30;

  PlaneWalk(CubeSource cube, std::vector<std::int64_t> planes, std::int64_t ahead_bytes = kAheadBytes,
            bool in_place = false);
  /// Waits until the reader has stopped, which looks for the wish after a few megabytes.
  ~PlaneWalk();
  PlaneWalk(const PlaneWalk&) = delete;
  PlaneWalk& operator=(const PlaneWalk&) = delete;

  /// The next plane; empty after the last. A plane that cannot be read throws, and the walk goes on after it.
  ///   throws as ImageFile::pixels and PixelSource::read_rows; Cancelled
  [[nodiscard]] std::optional<CubePlane> next(const Progress& progress);

  [[nodiscard]] const std::vector<std::int64_t>& planes() const { return planes_; }
  [[nodiscard]] Shape shape() const { return cube_.shape(); }  ///< of a plane

 private:
  using Pixels = std::shared_ptr<const PixelSource>;
  [[nodiscard]] Pixels read(std::int64_t plane) const;
  void read_ahead();

  CubeSource cube_;
  std::vector<std::int64_t> planes_;
  bool ahead_ = false, in_place_ = false;
  std::size_t at_ = 0;
  std::atomic<bool> stop_{false};
  std::future<Pixels> reading_;  ///< of planes_[at_]; last, so that its thread ends before what it uses
};

}  // namespace reber
