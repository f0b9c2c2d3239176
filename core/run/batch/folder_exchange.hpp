// SPDX-License-Identifier: BSD-3-Clause
// Processes of one machine or of many that exchange what they found as files of a folder that all of them see.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/base/exchange.hpp"
#include "core/run/batch/rank.hpp"

namespace reber {

/// How long other processes are waited for.
struct ExchangePatience {
  std::chrono::milliseconds start = std::chrono::minutes(10);   ///< for the last one to begin
  std::chrono::milliseconds silence = std::chrono::minutes(1);  ///< since one was last heard of; it tells every second
};

/// Files of an earlier call that are still in the folder do no harm: every call has a name of its own, which its
/// processes agree on before the first exchange.
class FolderExchange final : public Exchange {
 public:
  /// Waits until all processes are there.   folder: made if it is not there; empties itself in finish()
  ///   identity: what must be the same in all of them
  ///   throws InputError where another process has another identity; DeviceError where one does not come; DataError
  ///   where the folder cannot be written; Cancelled
  FolderExchange(std::string folder, Rank rank, const std::string& identity, const Progress& progress,
                 ExchangePatience patience = {});
  /// Without finish() before it, the others are told that this process failed.
  ~FolderExchange() override;
  FolderExchange(const FolderExchange&) = delete;
  FolderExchange& operator=(const FolderExchange&) = delete;

  [[nodiscard]] std::int64_t index() const override;
  [[nodiscard]] std::int64_t count() const override;
  [[nodiscard]] std::vector<std::string> gather(std::string own, const Progress& progress) override;

  /// This process needs nothing more of the others. The first one waits for all to say so and takes the files away.
  void finish(const Progress& progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
