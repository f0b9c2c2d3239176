// SPDX-License-Identifier: BSD-3-Clause
// The clock, the flushes and the comparisons of the benchmark.
#include "app/bench/bench_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"

namespace reber::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBandPixels = 16 << 20, kSharePixels = 1 << 18;
constexpr int kSamples = 8;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Infinite where one is NaN and the other is not.
double difference_of(double x, double y) {
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  const double difference = std::abs(x - y);
  return std::isnan(difference) ? kInfinite : difference;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return kInfinite;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = difference_of(a[i], b[i]);
    if (difference > 0) worst = std::max(worst, difference / std::max(std::abs(a[i]), std::abs(b[i])));
  }
  return worst;
}

std::vector<double> numbers_of(const BenchCase& one, const BenchSession& session) {
  if (one.numbers) return one.numbers(session);
  std::vector<double> numbers;
  if (one.values) {
    for (const auto& [name, value] : one.values(session)) numbers.push_back(value);
  }
  return numbers;
}

/// The backend whose result this one's is compared with; null for none.
BenchSession* partner_of(const std::vector<std::unique_ptr<BenchSession>>& sessions, const BenchSession& session) {
  const auto named = [&](const char* name) -> BenchSession* {
    for (const auto& other : sessions)
      if (other->name == name) return other.get();
    return nullptr;
  };
  if (session.name == "reference") return nullptr;
  BenchSession* reference = named("reference");
  if (session.name == "cpu") return reference;
  BenchSession* cpu = named("cpu");
  return cpu != nullptr ? cpu : reference;
}

}  // namespace

BenchRunner::BenchRunner(std::vector<std::unique_ptr<BenchSession>>& sessions, Shape shape,
                         std::function<BenchPace(const std::string&)> pace, const Progress& progress)
    : sessions_(sessions), shape_(shape), pace_(std::move(pace)), progress_(progress) {}

std::vector<BenchRow> BenchRunner::run(const BenchCase& one, const BenchCase& load) {
  std::vector<BenchRow> rows;
  double cpu_ms = 0;
  for (const auto& session : sessions_) {
    BenchRow row = guarded(one, *session, [&](BenchRow& fresh) {
      if (!start(one, *session, fresh)) return;
      time(one, load, *session, fresh);
      fresh.work = one.work(*session);
      add_values(one, *session, fresh);
    });
    if (session->name == "cpu") cpu_ms = row.wall.median;
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].cpu_ms = cpu_ms;
    BenchSession* partner = partner_of(sessions_, *sessions_[i]);
    const auto timed = [&](const BenchRow& row) {
      return partner != nullptr && row.backend == partner->name && row.timed();
    };
    if (rows[i].timed() && std::any_of(rows.begin(), rows.end(), timed)) compare(one, *sessions_[i], *partner, rows[i]);
  }
  for (const auto& session : sessions_) session->forget();
  return rows;
}

BenchRow BenchRunner::run_alone(const BenchCase& one, BenchSession& session) {
  BenchRow row = guarded(one, session, [&](BenchRow& fresh) {
    if (!start(one, session, fresh)) return;
    time_flushed(one, session, fresh);
    fresh.work = one.work(session);
  });
  session.forget();
  return row;
}

BenchRow BenchRunner::guarded(const BenchCase& one, BenchSession& session, const std::function<void(BenchRow&)>& body) {
  BenchRow row;
  row.operation = one.name;
  row.group = one.group;
  row.backend = session.name;
  const BenchRow untimed = row;
  try {
    body(row);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    row = untimed;
    row.why_not = fmt::format("failed: {}", error.what());
    row.agrees = false;
    session.forget();
  }
  return row;
}

bool BenchRunner::start(const BenchCase& one, BenchSession& session, BenchRow& row) {
  const auto begin = Clock::now();
  if (!one.prepare(session, row.why_not)) return false;
  row.why_not.clear();
  one.run(session);
  row.first_ms = ms_since(begin);
  row.predicted_ms = one.predicted_ms(session);
  return true;
}

void BenchRunner::time(const BenchCase& one, const BenchCase& load, BenchSession& session, BenchRow& row) {
  time_flushed(one, session, row);
  // A shorter list beside the first machine: a large image takes the host long enough.
  if (&session != sessions_.front().get() && !pace_(session.name).thorough) return;
  time_warm(one, session, row);
  if (one.from_image) time_transfers(one, load, session, row);
}

std::vector<double> BenchRunner::repeat(const BenchSession& session, const std::function<double()>& body) {
  const BenchPace pace = pace_(session.name);
  std::vector<double> samples;
  const auto begin = Clock::now();
  for (int i = 0; i < pace.repeats; ++i) {
    progress_.check();
    samples.push_back(body());
    if (ms_since(begin) > 1e3 * pace.seconds && i + 1 >= pace.least) break;
  }
  return samples;
}

void BenchRunner::time_flushed(const BenchCase& one, BenchSession& session, BenchRow& row) {
  std::vector<double> device;
  row.wall = Timing::of(repeat(session, [&] {
    session.probe->flush_cache();
    session.counters = {};
    const auto begin = Clock::now();
    one.run(session);
    const double ms = ms_since(begin);
    device.push_back(session.counters.device_ms);
    return ms;
  }));
  row.device = Timing::of(std::move(device));
}

void BenchRunner::time_warm(const BenchCase& one, BenchSession& session, BenchRow& row) {
  row.warm = Timing::of(repeat(session, [&] {
    session.counters = {};
    const auto begin = Clock::now();
    one.run(session);
    const double ms = ms_since(begin), device_ms = session.counters.device_ms;
    return device_ms > 0 ? device_ms : ms;
  }));
}

void BenchRunner::time_transfers(const BenchCase& one, const BenchCase& load, BenchSession& session, BenchRow& row) {
  if (one.rows) host_.resize(static_cast<std::size_t>(shape_.count()));
  std::vector<double> samples;
  for (int i = 0; i < pace_(session.name).transfers; ++i) {
    progress_.check();
    session.probe->flush_cache();
    const auto begin = Clock::now();
    load.run(session);
    if (!one.loads) one.run(session);
    if (one.fetch_each) {
      one.fetch_each(session, host_.data());
    } else if (one.rows) {
      one.rows(session, 0, shape_.ny, host_.data());
    }
    samples.push_back(ms_since(begin));
  }
  row.with_transfers = Timing::of(std::move(samples));
}

void BenchRunner::compare(const BenchCase& one, BenchSession& a, BenchSession& b, BenchRow& row) {
  const double pixels = one.rows ? compare_rows(one, a, b) : 0;
  const double numbers = relative_difference(numbers_of(one, a), numbers_of(one, b));
  row.compared_with = b.name;
  row.difference = std::max(pixels, numbers);
  row.bound = b.name == "reference" ? one.reference_bound : one.bound;
  row.agrees = row.difference <= row.bound;  // false for NaN
  if (row.difference == 0) {
    row.agreement = "identical";
  } else {
    row.agreement = fmt::format("{:.1e} {}", row.difference, pixels >= numbers ? "of peak" : "relative");
  }
  if (!row.agrees) row.agreement += fmt::format(" > {:.1g}!", row.bound);
}

double BenchRunner::compare_rows(const BenchCase& one, BenchSession& a, BenchSession& b) {
  const std::int64_t band = std::max<std::int64_t>(1, kBandPixels / shape_.nx);
  std::vector<float> of_a(static_cast<std::size_t>(std::min(band, shape_.ny) * shape_.nx)), of_b(of_a.size());
  double worst = 0, largest = 0;
  for (std::int64_t y0 = 0; y0 < shape_.ny; y0 += band) {
    progress_.check();
    const std::int64_t ny = std::min(band, shape_.ny - y0), pixels = ny * shape_.nx;
    one.rows(a, y0, ny, of_a.data());
    one.rows(b, y0, ny, of_b.data());
    const std::int64_t shares = (pixels + kSharePixels - 1) / kSharePixels;
    std::vector<std::pair<double, double>> found(static_cast<std::size_t>(shares));
    threads_.for_each(shares, [&](std::int64_t share) {
      const auto value = [&](const std::vector<float>& from, std::int64_t i) -> double {
        if (!one.labels) return from[static_cast<std::size_t>(i)];
        std::int32_t label = 0;
        std::memcpy(&label, &from[static_cast<std::size_t>(i)], sizeof(label));
        return label;
      };
      auto& [difference, size] = found[static_cast<std::size_t>(share)];
      for (std::int64_t i = share * kSharePixels; i < std::min(pixels, (share + 1) * kSharePixels); ++i) {
        const double x = value(of_a, i);
        difference = std::max(difference, difference_of(x, value(of_b, i)));
        size = std::max(size, std::abs(x));
      }
    });
    for (const auto& [difference, size] : found) {
      worst = std::max(worst, difference);
      largest = std::max(largest, size);
    }
  }
  const double scale = one.scale > 0 ? one.scale : largest;
  return worst == 0 ? 0 : scale > 0 ? worst / scale : kInfinite;
}

void BenchRunner::add_values(const BenchCase& one, BenchSession& session, BenchRow& row) {
  if (one.values) row.values = one.values(session);
  if (!one.rows || one.labels) return;
  std::vector<float> line(static_cast<std::size_t>(shape_.nx));
  for (int i = -1; i <= kSamples; ++i) {
    // Two corners, and places spread over the image by the golden ratio.
    const double part = std::fmod(0.6180339887 * (i + 1), 1.0);
    const std::int64_t y = i < 0 ? 0 : std::min(shape_.ny - 1, (2 * i + 1) * shape_.ny / (2 * kSamples));
    const std::int64_t x = i < 0           ? 0
                           : i == kSamples ? shape_.nx - 1
                                           : static_cast<std::int64_t>(part * static_cast<double>(shape_.nx));
    one.rows(session, y, 1, line.data());
    row.values.emplace_back(fmt::format("{},{}", y, x), line[static_cast<std::size_t>(x)]);
  }
}

void measure_limits(BenchSession& session, Shape shape, BenchMachine& machine) {
  const MachineLimits now = session.probe->measure(shape.count() * static_cast<std::int64_t>(sizeof(float)));
  MachineLimits& best = machine.limits;
  const bool again = best.fma_per_ms > 0;
  const auto keep = [&](double MachineLimits::*rate) {
    if (again && best.*rate > 0) machine.drift = std::max(machine.drift, std::abs(now.*rate / (best.*rate) - 1));
    best.*rate = std::max(best.*rate, now.*rate);
  };
  keep(&MachineLimits::read_bytes_per_ms);
  keep(&MachineLimits::copy_bytes_per_ms);
  keep(&MachineLimits::fma_per_ms);
  best.up_bytes_per_ms = std::max(best.up_bytes_per_ms, now.up_bytes_per_ms);
  best.down_bytes_per_ms = std::max(best.down_bytes_per_ms, now.down_bytes_per_ms);
  best.launch_ms = again ? std::min(best.launch_ms, now.launch_ms) : now.launch_ms;
}

}  // namespace reber::app
