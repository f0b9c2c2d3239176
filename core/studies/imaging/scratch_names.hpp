// SPDX-License-Identifier: BSD-3-Clause
// Files between two steps have names that say nothing to the user: what messages call them instead.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/log.hpp"

namespace reber {

/// Scratch files in the words of the user.
class ScratchNames {
 public:
  /// name: the user's file, and what was done with it
  void add(std::string path, std::string name) { names_.emplace_back(std::move(path), std::move(name)); }
  /// The text with names in place of paths.
  [[nodiscard]] std::string in(std::string text) const {
    for (const auto& [path, name] : names_)
      for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos; at += name.size())
        text.replace(at, path.size(), name);
    return text;
  }
  /// Hands messages on so.   log: must outlive what is given
  [[nodiscard]] LogSink over(const LogSink& log) const {
    return LogSink([this, &log](LogLevel level, const std::string& text) {
      level == LogLevel::warning ? log.warning(in(text))
      : level == LogLevel::info  ? log.info(in(text))
                                 : log.detail(in(text));
    });
  }
  /// work(), with its complaints said so.   what: complains, a step or a file; put before what does not name it
  template <class Work>
  auto told(const std::string& what, Work work) const {
    try {
      return work();
    } catch (const InputError& error) {
      throw InputError(said(what, error));
    } catch (const DataError& error) {
      throw DataError(said(what, error));
    }
  }

 private:
  [[nodiscard]] std::string said(const std::string& what, const Error& error) const {
    const std::string text = in(error.what());
    return text.find(what) == std::string::npos ? what + ": " + text : text;
  }

  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace reber
