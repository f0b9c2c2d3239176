// SPDX-License-Identifier: BSD-3-Clause
// Who does the work of one problem: one thread of a processor, or the threads of a block on a card. Code that is
// written for a team gives the same bits for any size of it, as long as every element of a result is computed by one
// member in an order of its own.
#pragma once

#include "kernels/shared/host_device.hpp"

namespace reber {

/// A team of one. Its numbers are constants, so that loops over its share are plain loops.
struct OneThread {
  /// Whether it leaves out what nobody needs: derivatives at steps that are refused, errors of answers of no use.
  static constexpr bool kLeavesOut = false;
  static constexpr int rank = 0, size = 1;
  static constexpr int together =
      4;  ///< columns of a table that a member computes at once: tables have multiples of it
  static void sync() {}
};

/// The share of one member in a table of so many columns: rows row, row + rows, ...; columns column, column + columns,
/// ... Members next to each other have columns next to each other.
struct Share {
  int row, rows, column, columns;
};

/// across: the most columns that are worked on at once.
template <class Team>
REBER_HD Share share_of(const Team& team, int across) {
  if (across > team.size) across = team.size;
  const int rows = team.size / across, row = team.rank / across;
  // Members that are left over get a row beyond every table.
  return {row < rows ? row : 0x40000000, rows, team.rank % across, across};
}

}  // namespace reber
