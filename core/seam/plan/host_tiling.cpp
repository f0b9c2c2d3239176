// SPDX-License-Identifier: BSD-3-Clause
// Bytes of host memory that a run needs with the image there, and with bands of it.
#include "core/seam/plan/host_tiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::int64_t kFloat = 4;
constexpr std::int64_t kMebi = std::int64_t{1} << 20;
/// The program, its threads' stacks, the buffers of outputs.
constexpr std::int64_t kFixedBytes = 160 * kMebi;
/// Cells, runs and islands; pixels known to be blank: one byte for so many pixels.
constexpr std::int64_t kPixelsATableByte = 8;
/// Larger bands gain nothing (8192 x 8192 on two cores: 64 MiB and 1 GiB take the same time).
constexpr std::int64_t kMostBandBytes = 128 * kMebi;

/// What a card's driver keeps for its context, and the page-locked rings of blocks on their way up and down.
constexpr std::int64_t kCardBytes = 640 * kMebi;

std::int64_t tables_bytes(const HostNeeds& needs) { return kFixedBytes + needs.shape.count() / kPixelsATableByte; }

std::int64_t mebibytes(std::int64_t bytes) { return (bytes + kMebi - 1) / kMebi; }

std::int64_t plane_bytes(const HostNeeds& needs) { return needs.shape.count() * kFloat; }

std::int64_t streamed_bytes(const HostNeeds& needs, std::int64_t rows) {
  return tables_bytes(needs) + needs.held_bytes + needs.buffers * rows * needs.shape.nx * kFloat;
}

[[noreturn]] void refuse(const HostNeeds& needs, std::int64_t wanted, std::int64_t allowed, bool asked) {
  const std::string sizes =
      fmt::format("an image of {} x {} pixels takes {} MiB of host memory {}, and {} MiB may be used", needs.shape.nx,
                  needs.shape.ny, mebibytes(wanted),
                  needs.held_bytes > 0    ? "decoded from its compressed file"
                  : !needs.sources_stream ? "with this backend"
                                          : "even in the smallest bands",
                  allowed / kMebi);
  const std::string way = needs.held_bytes > 0    ? "; unpack the file (a plain one is read in bands)"
                          : !needs.sources_stream ? "; --backend cpu reads the file in bands"
                                                  : "";
  if (asked) throw InputError(sizes + "; allow more with --host-memory" + way);
  throw DeviceError(sizes + "; use a machine or a limit with more" + way);
}

/// A plan of bands that go through a device: no plane stands in host memory.
TilingPlan left_by_device(TilingPlan plan, const HostNeeds& needs, const HostRoom& host) {
  const bool asked = host.asked > 0;
  plan.host_bytes = tables_bytes(needs) + needs.held_bytes + kCardBytes;
  if (plan.host_bytes > (asked ? host.asked : host.total))
    refuse(needs, plan.host_bytes, asked ? host.asked : host.total, asked);
  plan.in_source = true;
  plan.reason += fmt::format("; read from the file in blocks, with {} MiB of host memory", mebibytes(plan.host_bytes));
  return plan;
}

}  // namespace

TilingPlan plan_host(TilingPlan plan, const HostNeeds& needs, const HostRoom& host) {
  if (needs.band_rows > 0 && needs.sources_stream) return left_by_device(std::move(plan), needs, host);
  const bool asked = host.asked > 0;
  const bool can_stream = needs.sources_stream && needs.held_bytes == 0;
  const std::int64_t planes = needs.planes * plane_bytes(needs);
  const std::int64_t whole = planes + needs.held_bytes + (asked ? tables_bytes(needs) : 0);
  const std::int64_t room = asked ? host.asked : can_stream ? host.free / 4 * 3 : host.total;
  plan.host_bytes = planes;
  const bool shared = needs.processes > 1 && can_stream;
  const bool in_bands = needs.wanted_rows > 0 && can_stream;
  if (whole <= room && !shared && !in_bands) return plan;
  const std::int64_t allowed = asked ? host.asked : host.total;
  const std::int64_t least = std::clamp<std::int64_t>(needs.least_rows, 1, std::max<std::int64_t>(needs.shape.ny, 1));
  const std::int64_t smallest = can_stream ? streamed_bytes(needs, least) : whole;
  if (smallest > allowed) refuse(needs, smallest, allowed, asked);
  const std::int64_t row_bytes = std::max<std::int64_t>(needs.shape.nx * kFloat, 1);
  const std::int64_t fits = (std::min(room, allowed) - tables_bytes(needs)) / (needs.buffers * row_bytes);
  const std::int64_t wanted = std::max(least, in_bands ? needs.wanted_rows : kMostBandBytes / row_bytes);
  plan.resident = false;
  plan.in_source = true;
  if (needs.band_rows == 0) plan.band_rows = std::min(std::clamp(wanted, least, std::max(fits, least)), needs.shape.ny);
  plan.host_bytes = streamed_bytes(needs, plan.band_rows);
  if (shared)
    plan.reason = fmt::format("{} processes, each of which reads its part of the file, in bands of {} rows: {} MiB",
                              needs.processes, plan.band_rows, mebibytes(plan.host_bytes));
  else
    plan.reason = fmt::format(
        "read from the file in bands of {} rows: {} of pixels would take {} MiB of host memory, and {} MiB may be "
        "used; "
        "{} MiB this way",
        plan.band_rows, needs.planes == 1 ? "one plane" : fmt::format("{} planes", needs.planes), mebibytes(planes),
        room / kMebi, mebibytes(plan.host_bytes));
  return plan;
}

}  // namespace reber
