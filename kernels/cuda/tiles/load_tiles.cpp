// SPDX-License-Identifier: BSD-3-Clause
// All streams are there before one kernel decodes all tiles: a tile's own chain takes the time, and decoding in parts
// would take it for each part.
#include "kernels/cuda/tiles/load_tiles.hpp"

#include <optional>
#include <span>
#include <utility>

#include "core/base/trace.hpp"
#include "core/files/tiles/coded_tiles.hpp"
#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/tiles/decode_tiles.hpp"
#include "kernels/shared/coded_upload.hpp"

namespace reber::cuda {
namespace {

using rice::CodedUpload;

/// Bytes of the card for the decoding of a plane, itself included.
std::int64_t needed_bytes(const CodedUpload& upload, Shape shape) {
  const std::int64_t tables = upload.batch().count * static_cast<std::int64_t>(sizeof(rice::Tile)) +
                              static_cast<std::int64_t>(fits::dither_randoms().size_bytes() + sizeof(TileCounts));
  return shape.ny * pitch_of(shape.nx) * static_cast<std::int64_t>(sizeof(float)) + upload.bytes() + tables;
}

/// Queues the copy of all streams.
void send(Context& context, const CodedUpload& upload, std::byte* device, const Job& job) {
  const auto tell = [&](std::int64_t at) {
    job.report("load", static_cast<double>(at) / static_cast<double>(upload.bytes()));
  };
  context.stager().up_made(
      context.stream(), device, upload.pieces(), upload.piece_bytes(),
      [&](std::int64_t first, std::int64_t count, std::byte* out) { upload.fill_pieces(first, count, out); },
      [&](std::int64_t piece) { tell(piece * upload.piece_bytes()); });
  context.stager().up_made(
      context.stream(), device + upload.plain_at(), upload.plain_count(), upload.plain_bytes(),
      [&](std::int64_t first, std::int64_t count, std::byte* out) { upload.fill_plain(first, count, out); },
      [&](std::int64_t tile) { tell(upload.plain_at() + tile * upload.plain_bytes()); });
  check(cudaMemsetAsync(device + upload.bytes() - rice::kPadding, 0, rice::kPadding, context.stream()),
        "cudaMemsetAsync");
}

/// Decodes the tiles into the plane.
TileCounts decode(CudaPlane& plane, const CodedUpload& upload, const std::byte* streams) {
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<rice::Tile> tiles = upload_vector(context, upload.tiles(), stream);
  const std::span<const float> list = fits::dither_randoms();
  const DeviceBuffer<float> randoms(upload.dithers() ? static_cast<std::int64_t>(list.size()) : 0, stream);
  if (upload.dithers()) context.up(randoms.data(), list.data(), randoms.bytes(), stream);
  const DeviceBuffer<TileCounts> counts(1, stream);
  check(cudaMemsetAsync(counts.data(), 0, sizeof(TileCounts), stream), "cudaMemsetAsync");
  rice::Batch batch = upload.batch();
  batch.streams = streams;
  batch.tiles = tiles.data();
  batch.randoms = randoms.data();
  batch.out = plane.device_pixels();
  batch.pitch = plane.pitch();
  const bool timed = trace::on();
  const Event begun(timed), done(timed);
  begun.record(stream);
  decode_tiles(stream, batch, upload.kind(), upload.pixel_bytes(), counts.data());
  done.record(stream);
  TileCounts found;
  context.down(&found, counts.data(), sizeof found, stream);
  if (timed) trace::add_card("decode Rice tiles", Event::elapsed_ms(begun, done));
  return found;
}

}  // namespace

std::unique_ptr<CudaPlane> load_tiles(const std::shared_ptr<Context>& context, const PixelSource& source,
                                      const TilingPlan& tiling, const Job& job) {
  const fits::CodedTiles* const tiles = source.coded_tiles();
  const Shape shape = source.shape();
  if (tiles == nullptr || !tiling.resident || shape.count() == 0) return nullptr;
  std::optional<fits::CodedPlane> coded = tiles->coded();
  if (!coded) return nullptr;
  const CodedUpload upload(source, *tiles, *std::move(coded));
  if (!upload.usual() || !upload.worth_it(context->threads().threads())) return nullptr;
  if (needed_bytes(upload, shape) > context->usable_bytes()) return nullptr;
  auto plane = std::make_unique<CudaPlane>(context, shape, tiling);
  const DeviceBuffer<std::byte> streams(upload.bytes(), context->stream());
  send(*context, upload, streams.data(), job);
  job.check();
  const TileCounts found = decode(*plane, upload, streams.data());
  if (found.damaged > 0) return nullptr;
  plane->set_blank(static_cast<std::int64_t>(found.blank), static_cast<std::int64_t>(found.infinite));
  plane->set_largest(float_of(static_cast<std::uint32_t>(found.largest)));
  return plane;
}

}  // namespace reber::cuda
