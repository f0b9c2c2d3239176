// SPDX-License-Identifier: BSD-3-Clause
// Files that get their names together, once all of them are on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "core/base/progress.hpp"
#include "core/base/words.hpp"

namespace reber {

class AtomicFile;

/// When results are made safe against a loss of power. A file is whole under its name in any case.
enum class Durable { each, end, no };
template <>
inline constexpr auto words<Durable> =
    std::to_array<Word<Durable>>({{"each", Durable::each, "each file before the next one begins"},
                                  {"end", Durable::end, "all files together, before any has its name"},
                                  {"no", Durable::no, "left to the system: files have their names at once"}});

/// Takes files whose commit() is due. commit() syncs them from several threads, then names them in the order in which
/// they came, then syncs each folder once. What was not committed leaves nothing.
class CommitGroup {
 public:
  explicit CommitGroup(Durable durable = Durable::end);
  ~CommitGroup();
  CommitGroup(const CommitGroup&) = delete;
  CommitGroup& operator=(const CommitGroup&) = delete;

  [[nodiscard]] Durable durable() const;
  /// For AtomicFile::commit(), from any thread.
  void take(AtomicFile file, std::int64_t expected_bytes);
  [[nodiscard]] std::size_t size() const;  ///< files that wait
  /// One more file was wanted and could not be made. commit() throws the reason once the others have their names.
  void lack(std::exception_ptr reason);

  /// Nothing is named where one of them fails before that, or where the work is to stop. The group is empty afterwards.
  ///   throws as AtomicFile::commit(); Cancelled; what lack() was given first
  void commit(const Progress& progress = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
