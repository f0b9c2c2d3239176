// SPDX-License-Identifier: BSD-3-Clause
// What the process does and when, for a timeline: Chrome's trace event format.
#pragma once

#include <string>

namespace reber::trace {

/// Begins to record. Before it, all functions below do nothing and cost a load of a flag. Safe from any thread.
void start();
[[nodiscard]] bool on();

/// Begins a piece of work of this thread; pieces of one thread are nested.
/// category: "stage", "read", "copy", "card", "host", "write"; must outlive the process
void begin(const char* category, std::string name);
/// Ends the piece that this thread began last.
void end();
/// Adds a piece that the card worked on, which ends now, in a row of its own.   ms: how long
void add_card(std::string name, double ms);

/// Microseconds since start().
[[nodiscard]] double now_us();
/// Adds a piece that the card's engine for copies up worked on, in a row of its own.   times: as now_us() has them
void add_copy_up(std::string name, double begin_us, double end_us);

/// One piece of work, from here to the end of the scope.
class Span {
 public:
  Span(const char* category, const char* name) : open_(on()) {
    if (open_) begin(category, name);
  }
  Span(const char* category, const std::string& name) : open_(on()) {
    if (open_) begin(category, name);
  }
  ~Span() {
    if (open_) end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  bool open_;
};

/// What was recorded, as JSON: {"traceEvents": [...]}, times in microseconds since start(). Recording goes on.
[[nodiscard]] std::string document();

}  // namespace reber::trace
