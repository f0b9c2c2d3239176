// SPDX-License-Identifier: BSD-3-Clause
// Rates by trial; parts by filling the smaller memories first.
#include "kernels/banded/shares.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>

#include "core/files/image/image_file.hpp"

namespace reber::banded {
namespace {

double memory_of_all(const std::vector<Ability>& members) {
  return std::accumulate(members.begin(), members.end(), 0.0,
                         [](double sum, const Ability& one) { return sum + static_cast<double>(one.memory_bytes); });
}

/// The device without its number.
std::string kind_of(const BackendInfo& info) { return info.device.substr(0, info.device.find(" (card ")); }

bool are_alike(const std::vector<BackendInfo>& infos) {
  constexpr double kAlike = 0.8;
  const auto [least, most] = std::ranges::minmax(infos, {}, &BackendInfo::device_memory_bytes);
  return std::ranges::all_of(infos, [&](const BackendInfo& one) { return kind_of(one) == kind_of(infos.front()); }) &&
         static_cast<double>(least.device_memory_bytes) >= kAlike * static_cast<double>(most.device_memory_bytes);
}

}  // namespace

double rate_of(Backend& backend) {
  constexpr Shape kTried{1024, 4096};
  constexpr std::int64_t kBox = 64;
  constexpr int kTurns = 3;  // of which the first makes room and loads code
  std::vector<float> pixels(static_cast<std::size_t>(kTried.count()));
  for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = static_cast<float>(k * 2654435761U % 1024);
  const auto source = memory_source(pixels.data(), kTried);
  TilingPlan tiling;
  tiling.band_rows = kTried.ny;
  double best = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto begun = std::chrono::steady_clock::now();
    const auto plane = backend.load(*source, tiling);
    (void)backend.mesh(*plane, MeshGrid::make(kTried, kBox), {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    best = std::max(best, static_cast<double>(kTried.count()) * sizeof(float) / std::max(took.count(), 1e-9));
  }
  return best;
}

std::vector<Ability> abilities_of(std::span<const std::unique_ptr<Backend>> members) {
  std::vector<BackendInfo> infos;
  for (const auto& member : members) infos.push_back(member->info());
  const bool alike = are_alike(infos);
  std::vector<Ability> abilities;
  for (std::size_t k = 0; k < infos.size(); ++k)
    abilities.push_back({alike ? 1 : rate_of(*members[k]), infos[k].device_memory_bytes});
  return abilities;
}

std::vector<double> shares_of(const std::vector<Ability>& members, std::int64_t bytes) {
  const double all = memory_of_all(members), wanted = std::min(static_cast<double>(bytes), all);
  std::vector<double> shares(members.size(), 0);
  std::vector<bool> full(members.size(), false);
  for (bool again = true; again;) {
    again = false;
    double left = 1, rates = 0;
    for (std::size_t k = 0; k < members.size(); ++k) full[k] ? left -= shares[k] : rates += members[k].rate;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (full[k]) continue;
      shares[k] = left * members[k].rate / rates;
      const auto memory = static_cast<double>(members[k].memory_bytes);
      if (!(memory > 0 && shares[k] * wanted > memory)) continue;
      shares[k] = memory / wanted;
      full[k] = again = true;
      break;
    }
  }
  return shares;
}

double least_memory(const std::vector<Ability>& members) {
  const double all = memory_of_all(members);
  if (!(all > 0)) return 1 / static_cast<double>(members.size());
  return static_cast<double>(std::ranges::min(members, {}, &Ability::memory_bytes).memory_bytes) / all;
}

}  // namespace reber::banded
