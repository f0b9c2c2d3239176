// SPDX-License-Identifier: BSD-3-Clause
// The ordered table of compute backends in this build.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "core/seam/compute/machine_probe.hpp"

namespace reber {

/// One backend that was compiled in.
struct BackendEntry {
  const char* name;
  const char* text;                                   ///< one line for --help
  std::string (*unavailable)(const BackendOptions&);  ///< empty where it can run, else why not
  std::unique_ptr<Backend> (*make)(const BackendOptions&);
  std::unique_ptr<MachineProbe> (*probe)(const BackendOptions&);  ///< of the hardware that the backend runs on
  std::vector<std::string> (*describe)();                         ///< versions and devices, a line each; may be null
};

/// In the order in which `auto` tries them: cuda (if compiled in), cpu, reference.
[[nodiscard]] std::span<const BackendEntry> backend_table();

/// name: "auto" or a name of the table. auto takes the first that can run, never reference where cpu can, and says in
/// the log which one and why the ones before it were passed over.
///   throws InputError for an unknown name, DeviceError where the one asked for cannot run here
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options,
                                                    const LogSink& log);

}  // namespace reber
