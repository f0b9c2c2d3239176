// SPDX-License-Identifier: BSD-3-Clause
// Where messages go. Libraries never print: they hand a line to the sink that the caller gave them.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace reber {

enum class LogLevel { detail, info, warning };

/// A place for messages. The default one drops them.
class LogSink {
 public:
  using Function = std::function<void(LogLevel, const std::string&)>;

  LogSink() = default;
  explicit LogSink(Function function) : function_(std::move(function)) {}

  void detail(const std::string& text) const { write(LogLevel::detail, text); }
  void info(const std::string& text) const { write(LogLevel::info, text); }
  void warning(const std::string& text) const { write(LogLevel::warning, text); }

 private:
  void write(LogLevel level, const std::string& text) const {
    if (function_) function_(level, text);
  }

  Function function_;
};

}  // namespace reber
