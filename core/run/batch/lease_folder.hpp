// SPDX-License-Identifier: BSD-3-Clause
// Leases as files: a name of a lease is a further name of its holder's own file, which the holder keeps locked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/batch/leases.hpp"

namespace reber {

/// FOLDER/.reber-leases. A link is made by one process alone, on every file system; the system frees the lock of a
/// process that ends. Of a process of another machine, where a lock may not be seen, more is asked: that its file,
/// which it touches every second, is a minute older than this process' own, by the clock of the folder's machine.
class FileLeases final : public LeaseFolder {
 public:
  /// throws DataError where the folder cannot be written
  explicit FileLeases(const std::string& folder);
  /// Files of processes that are gone are taken away, and the folder where nobody else is in it.
  ~FileLeases() override;
  FileLeases(const FileLeases&) = delete;
  FileLeases& operator=(const FileLeases&) = delete;

  [[nodiscard]] std::vector<std::string> names() override;
  [[nodiscard]] bool claim(const std::string& name) override;
  void remove(const std::string& name) override;
  [[nodiscard]] bool is_gone(const std::string& name) override;

  /// Whether any other process has been seen here.
  [[nodiscard]] bool met_others() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
