// SPDX-License-Identifier: BSD-3-Clause
// Which share of a list is this process's: one of many that were started side by side.
#pragma once

#include <cstdint>
#include <string>

namespace reber {

/// Process `index` of `count`. Image i of a list is its own where i % count == index.
struct Rank {
  std::int64_t index = 0, count = 1;

  [[nodiscard]] bool alone() const { return count == 1; }
  [[nodiscard]] bool owns(std::int64_t image) const { return image % count == index; }
};

/// "i/n" with 0 <= i < n.   throws InputError
[[nodiscard]] Rank parse_rank(const std::string& text);

/// What mpirun (OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and PMI_SIZE) or srun (SLURM_PROCID and SLURM_NTASKS) left in
/// the environment, in this order: mpirun may itself have been started by srun. A batch script of Slurm, outside
/// srun, is one process whatever the job's tasks, and stands alone.
///   throws InputError where the two do not fit
[[nodiscard]] Rank rank_of_environment();

}  // namespace reber
