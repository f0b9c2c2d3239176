// SPDX-License-Identifier: BSD-3-Clause
// Claim the next number, look again, and step back for anybody else who is there.
#include "core/run/batch/leases.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <set>

namespace reber {
namespace {

/// "KEY.3" is 3; 0: no lease of this key.
std::int64_t number_of(const std::string& name, const std::string& key) {
  if (!name.starts_with(key + ".")) return 0;
  std::int64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + key.size() + 1, end, number);
  return error == std::errc() && stop == end && number > 0 ? number : 0;
}

}  // namespace

Leases::~Leases() {
  try {
    while (!held_.empty()) release(std::string(held_.begin()->first));
    sweep();
  } catch (const std::exception&) {
    // Whoever comes next sees that this process is gone.
  }
}

bool Leases::take(const std::string& key) {
  std::int64_t last = 0;
  std::string latest;
  for (const std::string& name : folder_.names())
    if (const std::int64_t number = number_of(name, key); number > last) last = number, latest = name;
  if (last > 0 && !folder_.is_gone(latest)) return false;
  const std::string own = key + "." + std::to_string(last + 1);
  if (!folder_.claim(own)) return false;
  std::vector<std::string> left;
  for (const std::string& name : folder_.names()) {
    if (name == own || number_of(name, key) == 0) continue;
    if (!folder_.is_gone(name)) {
      folder_.remove(own);
      return false;
    }
    left.push_back(name);
  }
  for (const std::string& name : left) folder_.remove(name);
  held_[key] = own;
  return true;
}

void Leases::release(const std::string& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  const std::string name = found->second;
  held_.erase(found);
  folder_.remove(name);
}

void Leases::sweep() {
  std::set<std::string> keys;
  for (const std::string& name : folder_.names()) {
    const std::size_t point = name.rfind('.');
    if (point != std::string::npos && number_of(name, name.substr(0, point)) > 0) keys.insert(name.substr(0, point));
  }
  for (const std::string& key : keys)
    if (!held_.contains(key) && take(key)) release(key);
}

}  // namespace reber
