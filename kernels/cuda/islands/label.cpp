// SPDX-License-Identifier: BSD-3-Clause
// The steps from pixels to numbered islands; everything after the masks works on runs alone.
#include "kernels/cuda/islands/label.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/islands/flood_masks.hpp"
#include "kernels/cuda/islands/island_runs.hpp"

namespace reber::cuda {
namespace {

FloodMasks make_masks(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& options,
                      std::unique_ptr<Foretold> foretold, const Job& job) {
  if (foretold && foretold->become(plane, background, options, job)) return std::move(*foretold).take();
  foretold.reset();  // before there are others
  const Range range("masks");
  Context& context = *plane.context();
  FloodMasks masks(plane);
  const DeviceBackground on_device(context, background);
  for_each_band(context, band_edges(plane), 1, job, "label", [&](const Band& band) {
    const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
    const DeviceBackground::Rows levels = on_device.hold(band.y0, band.ny, band.stream);
    masks.take(band, rows.window, levels.view, options);
  });
  return masks;
}

/// The room of LabelWork, in one piece of memory: a small image takes longer to ask for twelve than to label.
struct Room {
  LabelWork work;
  DeviceBuffer<std::byte> memory;

  Room(Shape shape, std::int64_t places, cudaStream_t stream) {
    work.ny = static_cast<std::uint32_t>(shape.ny);
    work.pieces = Divisor::of(static_cast<std::uint32_t>(pieces_of(shape.nx)));
    work.room = static_cast<std::uint32_t>(places);
    const std::int64_t bytes = take_all(nullptr);
    memory = DeviceBuffer<std::byte>(bytes, stream);
    take_all(memory.data());
  }

 private:
  /// Points into memory from `base` on.   returns how many bytes there must be
  std::int64_t take_all(std::byte* base) {
    std::int64_t taken = 0;
    const auto take = [&]<class T>(T*& pointer, std::int64_t count) {
      if (base != nullptr) pointer = reinterpret_cast<T*>(base + taken);
      taken += (count * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;
    };
    const std::int64_t pieces = work.count(), words = work.room / 32 + 1;
    take(work.totals, 1);
    take(work.sums, kSumsOfBlocks);
    take(work.first_run, pieces + 1);
    take(work.joint, pieces);
    take(work.part, work.room);
    take(work.parent, work.room);
    take(work.first_of, work.room);
    take(work.area, work.room);
    take(work.heads, words);
    take(work.heads_before, words);
    take(work.kept, words);
    take(work.kept_before, words);
    return taken;
  }
};

/// Room for every eighth pixel to begin a run, unless the image is large: asking how many do would be waiting. Less
/// where memory is short, which is why an image is streamed.
std::int64_t first_guess(const CudaPlane& plane) {
  constexpr std::int64_t kLeast = 4096, kMost = std::int64_t{1} << 22, kMostStreamed = std::int64_t{1} << 20;
  return std::clamp(plane.shape().count() / 8, kLeast, plane.resident() ? kMost : kMostStreamed);
}

/// Room for one run of an island in so many pixels, so that they are written before the host knows how many there are.
std::int64_t kept_guess(Shape shape) {
  constexpr std::int64_t kPixelsPerRun = 256, kLeast = 4096, kMost = std::int64_t{1} << 22;
  return std::clamp(shape.count() / kPixelsPerRun, kLeast, kMost);
}

/// throws InputError where runs could not be numbered in 31 bits
std::int64_t room_for(unsigned long long places) {
  if (places > static_cast<unsigned long long>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("more than 2^31 runs of pixels above the flood threshold; raise the threshold");
  return static_cast<std::int64_t>(places);
}

}  // namespace

std::unique_ptr<CudaIslands> find_islands(const CudaPlane& plane, const CudaBackground& background,
                                          const DetectOptions& options, std::unique_ptr<Foretold> foretold,
                                          const Job& job) {
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  const cudaStream_t stream = context.stream();
  auto islands = std::make_unique<CudaIslands>(plane.context(), shape, options);
  if (shape.count() == 0) return islands;
  const FloodMasks masks = make_masks(plane, background, options, std::move(foretold), job);
  const Range range("runs");
  islands->piece_begin = DeviceBuffer<std::uint32_t>(shape.ny * pieces_of(shape.nx) + 1, stream);
  const auto make_room = [&](std::int64_t runs) {
    islands->runs = DeviceBuffer<rules::Run>(runs, stream);
    islands->labels = DeviceBuffer<std::uint32_t>(runs, stream);
  };
  make_room(kept_guess(shape));
  LabelTotals totals{};
  for (std::int64_t places = first_guess(plane);; places = room_for(totals.places)) {
    const Room room(shape, places, stream);
    LabelWork work = room.work;
    work.flood = masks.flood;
    work.seed = masks.seed;
    work.diagonal = options.connectivity == Connectivity::eight;
    work.min_area = static_cast<unsigned long long>(std::max<std::int64_t>(options.min_area, 0));
    work.kept_begin = islands->piece_begin.data();
    label_runs(stream, context.device().multiprocessors, work);
    keep_runs(stream, work, *islands);
    context.down(&totals, work.totals, sizeof(totals), stream);
    if (totals.places > static_cast<unsigned long long>(places)) continue;
    islands->islands = totals.islands;
    islands->run_count = totals.kept;
    islands->largest = static_cast<std::int64_t>(totals.largest);
    if (islands->islands == 0) return islands;
    if (islands->run_count > islands->runs.size()) {
      make_room(islands->run_count);
      keep_runs(stream, work, *islands);
    }
    islands->kept = masks.keeper.give(*islands, masks.flood);
    return islands;
  }
}

std::unique_ptr<CudaIslands> islands_of_runs(const std::shared_ptr<Context>& context, const LabelRuns& runs,
                                             std::int64_t count, const DetectOptions& options) {
  const Shape shape = runs.shape;
  const cudaStream_t stream = context->stream();
  auto islands = std::make_unique<CudaIslands>(context, shape, options);
  if (shape.count() == 0) return islands;
  const auto pieces = static_cast<std::size_t>(pieces_of(shape.nx));
  std::vector<rules::Run> places;
  std::vector<std::uint32_t> labels, piece_begin;
  places.reserve(runs.runs.size());
  labels.reserve(runs.runs.size());
  piece_begin.reserve(static_cast<std::size_t>(shape.ny) * pieces + 1);
  std::vector<std::int64_t> pixels(static_cast<std::size_t>(count), 0);
  for (const LabelRuns::Run& run : runs.runs) {
    // Of each piece up to the run's own: no run before this one starts there.
    const std::size_t here = static_cast<std::size_t>(run.y) * pieces + static_cast<std::size_t>(run.x0 / kPiecePixels);
    while (piece_begin.size() <= here) piece_begin.push_back(static_cast<std::uint32_t>(places.size()));
    places.push_back({run.y, run.x0, run.x1});
    labels.push_back(static_cast<std::uint32_t>(run.label));
    pixels[static_cast<std::size_t>(run.label) - 1] += run.x1 - run.x0;
  }
  piece_begin.resize(static_cast<std::size_t>(shape.ny) * pieces + 1, static_cast<std::uint32_t>(places.size()));
  islands->piece_begin = upload_vector(*context, piece_begin, stream);
  if (places.empty()) return islands;
  islands->runs = upload_vector(*context, places, stream);
  islands->labels = upload_vector(*context, labels, stream);
  islands->islands = count;
  islands->run_count = static_cast<std::int64_t>(places.size());
  islands->largest = *std::ranges::max_element(pixels);
  return islands;
}

}  // namespace reber::cuda
