// SPDX-License-Identifier: BSD-3-Clause
// Looked for from the program's own place alone: names in the environment do not matter.
#include "core/base/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/base/error.hpp"

namespace reber {

void* module_function(const std::string& stem, const char* entry, const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::string name = "libreber_" + stem + ".so";
  for (const fs::path& folder : {beside, beside.parent_path() / "lib/reber"}) {
    const fs::path path = folder / name;
    if (!fs::exists(path, unknown)) continue;
    void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const function = opened != nullptr ? ::dlsym(opened, entry) : nullptr;
    if (function != nullptr) return function;
    const char* const reason = ::dlerror();
    throw InputError(fmt::format("{}: {}", what, reason != nullptr ? reason : "it is of another version"));
  }
  throw InputError(
      fmt::format("{}: this installation has no {}, which is built where its library is; it is looked for in {} and {}",
                  what, name, beside.string(), (beside.parent_path() / "lib/reber").string()));
}

}  // namespace reber
