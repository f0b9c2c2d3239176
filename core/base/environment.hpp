// SPDX-License-Identifier: BSD-3-Clause
// The variables of the environment that are Reber's own. docs/reliability.md#variables-of-the-environment lists them.
#pragma once

namespace reber {

/// Those for tests come last: builds without REBER_TEST_HOOKS, such as packages, neither read nor name them.
enum class Variable {
  cuda_timeout,
  cuda_sync,
  cuda_memory,
  card_lost,
  view_anew,
  cuda_fault,
  cuda_fits,
  cuda_shared,
  cuda_buffers,
  cpu_vectors,
  host_bands,
  cpu_parts,
  write_pictures,
};

/// What it is called outside; null where this build has none.
[[nodiscard]] const char* name_of(Variable variable) noexcept;
/// Its value; null where it is not set, or this build has none.
[[nodiscard]] const char* environment(Variable variable) noexcept;

}  // namespace reber
