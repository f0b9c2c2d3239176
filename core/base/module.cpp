// SPDX-License-Identifier: BSD-3-Clause
// Looked for from the places of the program and of the library that asks: names in the environment do not matter.
#include "core/base/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>
#include <vector>

#include "core/base/error.hpp"

namespace reber {
namespace {

/// Where the program is, and where the library that this stands in is, as Python's module is one; lib/reber is a folder
/// beside each of them.
std::vector<std::filesystem::path> own_places() {
  std::error_code unknown;
  std::vector<std::filesystem::path> places{std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path()};
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&module_function), &self) != 0 && self.dli_fname != nullptr)
    if (const std::filesystem::path library(self.dli_fname); library.is_absolute())
      places.insert(places.end(), {library, library.parent_path().parent_path()});
  return places;
}

std::atomic<int>& openings() noexcept {
  static constinit std::atomic<int> count{0};
  return count;
}

}  // namespace

ModuleOpening::ModuleOpening() noexcept { ++openings(); }
ModuleOpening::~ModuleOpening() { --openings(); }
bool a_module_opens() noexcept { return openings() > 0; }

void* module_function(const std::string& stem, const char* entry, const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const std::vector<fs::path> places = own_places();
  const fs::path& beside = places.front();
  const std::string name = "libreber_" + stem + ".so";
  std::vector<fs::path> folders{beside};
  for (const fs::path& place : places) folders.push_back(place.parent_path() / "lib/reber");
  for (const fs::path& folder : folders) {
    const fs::path path = folder / name;
    if (fs::status(path, unknown).type() == fs::file_type::not_found) continue;
    errno = 0;
    void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const function = opened != nullptr ? ::dlsym(opened, entry) : nullptr;
    if (function != nullptr) return function;
    if (errno == ENOMEM) throw std::bad_alloc();
    const char* const reason = ::dlerror();
    throw InputError(fmt::format("{}: {}", what, reason != nullptr ? reason : "it is of another version"));
  }
  throw InputError(
      fmt::format("{}: this installation has no {}, which is built where its library is; it is looked for in {} and {}",
                  what, name, beside.string(), (beside.parent_path() / "lib/reber").string()));
}

}  // namespace reber
