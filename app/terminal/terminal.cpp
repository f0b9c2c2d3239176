// SPDX-License-Identifier: BSD-3-Clause
// Progress line, messages and colours.
#include "app/terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "app/terminal/folded.hpp"
#include "app/terminal/signals.hpp"
#include "core/base/printable.hpp"

namespace reber::app {
namespace {

/// stderr as it was before main: while WCSLIB reads a header, another stream stands there
/// (core/sky/model/wcslib_call.cpp).
std::FILE* const error_stream = stderr;

constexpr std::chrono::milliseconds kRedraw{80};
constexpr std::chrono::seconds kPlainLine{5};
constexpr int kBarWidth = 24;
constexpr const char* kEraseLine = "\r\033[K";

std::size_t columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string bar(double fraction) {
  const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kBarWidth);
  return std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kBarWidth - full), '.');
}

bool wants_colour() {
  const char* term = std::getenv("TERM");
  return std::getenv("NO_COLOR") == nullptr && term != nullptr && std::string(term) != "dumb";
}

}  // namespace

Terminal::Terminal() : on_terminal_(isatty(STDERR_FILENO) == 1), colour_(on_terminal_ && wants_colour()) {}

Terminal::~Terminal() { clear_progress(); }

void Terminal::erase_line() {
  if (line_drawn_) std::fputs(kEraseLine, error_stream);
  line_drawn_ = false;
}

void Terminal::write_line(const std::string& text) {
  erase_line();
  std::fputs(text.c_str(), error_stream);
  if (text.empty() || text.back() != '\n') std::fputc('\n', error_stream);
}

void Terminal::print(const std::string& text) { print_page(folded(text, page_columns())); }

void Terminal::print_page(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (verbosity_ == Verbosity::quiet || output_reserved_) return;
  erase_line();
  std::fflush(error_stream);
  std::fputs(text.c_str(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
  std::fflush(stdout);
}

void Terminal::print_document(const std::string& text) {
  const std::lock_guard lock(mutex_);
  erase_line();
  std::fputs(text.c_str(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
}

void Terminal::message(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (verbosity_ != Verbosity::quiet) write_line(text);
}

void Terminal::detail(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (verbosity_ == Verbosity::verbose) write_line(text);
}

void Terminal::error(const std::string& text) {
  const std::lock_guard lock(mutex_);
  write_line(colour_ ? fmt::format("\033[1;31mreber:\033[0m {}", printable(text)) : "reber: " + printable(text));
}

void Terminal::set_subject(std::string subject, std::size_t index, std::size_t count) {
  const std::lock_guard lock(mutex_);
  subject_ = std::move(subject);
  stage_.clear();
  whole_.begin_part(index, count);
}

void Terminal::expect(const std::vector<std::string>& stages) {
  const std::lock_guard lock(mutex_);
  whole_.expect(stages);
}

void Terminal::clear_progress() {
  const std::lock_guard lock(mutex_);
  erase_line();
  std::fflush(error_stream);
}

std::size_t Terminal::page_columns() { return columns_of(STDOUT_FILENO); }

LogSink Terminal::log() {
  return LogSink([this](LogLevel level, const std::string& text) {
    const std::string safe = printable(text);
    switch (level) {
      case LogLevel::detail:
        return detail(safe);
      case LogLevel::info:
        return message(safe);
      case LogLevel::warning:
        return message(colour_ ? "\033[33mwarning:\033[0m " + safe : "warning: " + safe);
    }
  });
}

Progress Terminal::progress() {
  return Progress([this](const std::string& stage, double fraction) { show_progress(stage, fraction); }, &stop_flag());
}

void Terminal::show_progress(const std::string& stage, double fraction) {
  if (verbosity_ == Verbosity::quiet) return;
  // A worker that finds another one drawing has nothing to add.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = Clock::now();
  const double whole = whole_.report(stage, fraction);
  const std::string words(WholeProgress::words_of(stage));
  if (!on_terminal_ && words != stage_) last_shown_ = now;  // a line of stages that take long alone
  stage_ = words;
  if (now - last_shown_ < (on_terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine))) return;
  last_shown_ = now;
  draw_progress(subject_.empty() ? words : fmt::format("{}  {}", words, subject_), whole);
}

void Terminal::show_overall(double fraction, const std::function<std::string()>& words) {
  if (verbosity_ == Verbosity::quiet) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = Clock::now();
  if (now - last_shown_ < (on_terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine))) return;
  last_shown_ = now;
  draw_progress(words(), fraction);
}

std::string Terminal::time_left(double fraction) const {
  constexpr double kLeastSeconds = 1, kLeastFraction = 0.03;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (seconds < kLeastSeconds || fraction < kLeastFraction) return {};
  const auto left = static_cast<std::int64_t>(std::ceil(seconds * (1 - fraction) / fraction));
  if (left >= 3600) return fmt::format("{}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
  return fmt::format("{}:{:02} left", left / 60, left % 60);
}

void Terminal::draw_progress(const std::string& what, double fraction) {
  const int percent = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
  if (!on_terminal_) {
    const std::string left = time_left(fraction);
    write_line(fmt::format("{} {} %{}{}", what, percent, left.empty() ? "" : ", ", left));
    return;
  }
  const std::size_t columns = columns_of(STDERR_FILENO);
  std::string line = fmt::format("{:3} %  {}", percent, printable(what)), left;
  if (columns > 2 * kBarWidth) {  // a number that is cut is another
    line = fmt::format("[{}] {}", bar(fraction), line);
    left = time_left(fraction);
  }
  // The time left stands at the end of the line, and what is done gives way to it.
  const std::size_t room = columns - 1 - std::min(columns - 1, left.empty() ? 0 : left.size() + 2);
  line.resize(left.empty() ? std::min(line.size(), room) : room, ' ');
  if (!left.empty()) line += "  " + left;
  std::fputs(kEraseLine, error_stream);
  std::fputs(line.c_str(), error_stream);
  std::fflush(error_stream);
  line_drawn_ = true;
}

}  // namespace reber::app
