// SPDX-License-Identifier: BSD-3-Clause
// Events in memory, and their JSON.
#include "core/base/trace.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace reber::trace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCardRow = 0;        ///< threads count from 1
constexpr int kCopyRow = 1000000;  ///< behind all threads

struct Event {
  char phase;  ///< B: begins, E: ends, X: whole
  int row;
  const char* category;
  std::string name;
  double at_us, for_us;
};

struct Recorder {
  std::atomic<bool> on{false};
  std::mutex mutex;
  Clock::time_point origin;
  std::vector<Event> events;
};

/// Never destroyed: threads may still end pieces while the process ends.
Recorder& recorder() {
  static auto* const all = new Recorder;
  return *all;
}

int row_of_thread() {
  static std::atomic<int> rows{kCardRow};
  thread_local const int row = ++rows;
  return row;
}

/// The row is a thread's, or the card's.
void add(Event event) {
  Recorder& all = recorder();
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(all.mutex);
  event.at_us = std::chrono::duration<double, std::micro>(now - all.origin).count() - event.for_us;
  all.events.push_back(std::move(event));
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

void start() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  if (all.on) return;
  all.origin = Clock::now();
  all.on = true;
}

bool on() { return recorder().on.load(std::memory_order_relaxed); }

void begin(const char* category, std::string name) {
  if (on()) add({'B', row_of_thread(), category, std::move(name), 0, 0});
}

void end() {
  if (on()) add({'E', row_of_thread(), "", {}, 0, 0});
}

void add_card(std::string name, double ms) {
  if (on()) add({'X', kCardRow, "card", std::move(name), 0, 1e3 * ms});
}

double now_us() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  return std::chrono::duration<double, std::micro>(Clock::now() - all.origin).count();
}

void add_copy_up(std::string name, double begin_us, double end_us) {
  if (!on()) return;
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  all.events.push_back({'X', kCopyRow, "copy", std::move(name), begin_us, end_us - begin_us});
}

std::string document() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  out += R"({"ph": "M", "pid": 1, "tid": 0, "name": "thread_name", "args": {"name": "card"}})";
  out += fmt::format(
      ",\n{{\"ph\": \"M\", \"pid\": 1, \"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": \"copies up\"}}}}",
      kCopyRow);
  for (const Event& event : all.events) {
    fmt::format_to(std::back_inserter(out), ",\n{{\"ph\": \"{}\", \"pid\": 1, \"tid\": {}, \"ts\": {:.1f}", event.phase,
                   event.row, event.at_us);
    if (event.phase == 'X') fmt::format_to(std::back_inserter(out), ", \"dur\": {:.1f}", event.for_us);
    if (event.phase != 'E')
      fmt::format_to(std::back_inserter(out), ", \"cat\": \"{}\", \"name\": {}", event.category, quoted(event.name));
    out += '}';
  }
  return out + "\n]}\n";
}

}  // namespace reber::trace
