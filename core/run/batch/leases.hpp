// SPDX-License-Identifier: BSD-3-Clause
// Which of several processes works on an image of a folder that all of them see.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace reber {

/// What leases need of a folder: core/run/batch/lease_folder.hpp, or one that a test plays.
class LeaseFolder {
 public:
  virtual ~LeaseFolder() = default;
  /// All names that are claimed.
  [[nodiscard]] virtual std::vector<std::string> names() = 0;
  /// Gives the name to this process.   returns false where somebody has it; one process alone gets a name
  [[nodiscard]] virtual bool claim(const std::string& name) = 0;
  virtual void remove(const std::string& name) = 0;
  /// Whether the process that claimed the name has ended, or has not been heard of for long.
  [[nodiscard]] virtual bool is_gone(const std::string& name) = 0;
};

/// A lease per thing, one holder at a time. That of a holder that is gone is taken over under the next number, so that
/// nobody who looked before takes away the lease of somebody who looked after him:
///
///   KEY.1   the first holder; it is gone
///   KEY.2   whoever claims this name first holds the lease, and removes KEY.1
class Leases {
 public:
  explicit Leases(LeaseFolder& folder) : folder_(folder) {}
  /// What is still held is given back, and what processes left that are gone is taken away.
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  /// key: letters and digits.   returns false where another process holds it   throws as the folder
  [[nodiscard]] bool take(const std::string& key);
  void release(const std::string& key);
  /// Takes away what processes left that are gone.
  void sweep();

 private:
  LeaseFolder& folder_;
  std::map<std::string, std::string> held_;  ///< names by key
};

}  // namespace reber
