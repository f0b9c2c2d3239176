// SPDX-License-Identifier: BSD-3-Clause
// What the user sees: results on standard output; progress, messages and errors on standard error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/base/whole_progress.hpp"

namespace reber::app {

enum class Verbosity { quiet, normal, verbose };

/// On a terminal progress is one line that is drawn over; elsewhere a plain line every few seconds of a long stage.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void set_verbosity(Verbosity verbosity) { verbosity_ = verbosity; }
  /// Standard output then carries nothing but a JSON document.
  void reserve_output() { output_reserved_ = true; }

  /// A result for people, no wider than the page; silent when quiet, or when standard output is reserved.
  void print(const std::string& text);
  /// The same with every line as it is: a page for a file or a program.
  void print_page(const std::string& text);
  /// The JSON document that standard output was reserved for.
  void print_document(const std::string& text);
  /// A message; silent when quiet.
  void message(const std::string& text);
  /// Only with --verbose.
  void detail(const std::string& text);
  /// Always shown.
  void error(const std::string& text);

  /// What is worked on now, shown after the stage: "[3/10] m31.fits", which is part `index` of `count`.
  void set_subject(std::string subject, std::size_t index = 0, std::size_t count = 1);
  /// The stages that the work has, by the words in which they report: the bar goes by what they cost.
  void expect(const std::vector<std::string>& stages);
  /// One line for work of several parts, with the time left: shown where the last one is old enough. Safe from several
  /// threads.
  void show_overall(double fraction, const std::function<std::string()>& words);
  void clear_progress();

  /// Columns of standard output: those of the terminal where it is one, else 80.
  [[nodiscard]] static std::size_t page_columns();

  [[nodiscard]] LogSink log();
  /// Stops (throws Cancelled) once a signal has asked for it.
  [[nodiscard]] Progress progress();

 private:
  using Clock = std::chrono::steady_clock;

  void show_progress(const std::string& stage, double fraction);
  void draw_progress(const std::string& what, double fraction);
  /// "0:12 left"; empty as long as nobody can tell.
  [[nodiscard]] std::string time_left(double fraction) const;
  void erase_line();
  void write_line(const std::string& text);

  std::mutex mutex_;
  bool on_terminal_ = false;
  bool colour_ = false;
  bool line_drawn_ = false;
  bool output_reserved_ = false;
  Verbosity verbosity_ = Verbosity::normal;
  std::string subject_, stage_;
  WholeProgress whole_;
  Clock::time_point begin_ = Clock::now(), last_shown_ = begin_;
};

}  // namespace reber::app
