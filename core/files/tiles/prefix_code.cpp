// SPDX-License-Identifier: BSD-3-Clause
// Two queues in place of a heap: symbols in the order of their counts, and sums, which come in order by themselves.
#include "core/files/tiles/prefix_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace reber::fits {
namespace {

constexpr std::size_t kMostBits = 15;
using LengthCounts = std::array<std::uint32_t, kMostBits + 1>;  ///< codes of each length

/// How deep each leaf lies in Huffman's tree, no deeper than `most`, as numbers of leaves.   counts: ascending
LengthCounts depths(const std::vector<std::uint64_t>& counts, std::size_t most) {
  const std::size_t leaves = counts.size(), nodes = 2 * leaves - 1;
  std::vector<std::uint64_t> sums(counts);
  sums.reserve(nodes);
  std::vector<std::size_t> parent(nodes, 0);
  std::size_t leaf = 0, inner = leaves;
  const auto take_least = [&] {
    const bool from_leaves = leaf < leaves && (inner >= sums.size() || sums[leaf] <= sums[inner]);
    return from_leaves ? leaf++ : inner++;
  };
  while (sums.size() < nodes) {
    const std::size_t one = take_least(), other = take_least();
    parent[one] = parent[other] = sums.size();
    sums.push_back(sums[one] + sums[other]);
  }
  LengthCounts found{};
  std::vector<std::size_t> depth(nodes, 0);
  for (std::size_t node = nodes - 1; node-- > 0;) {
    depth[node] = depth[parent[node]] + 1;
    if (node < leaves) ++found[std::min(depth[node], most)];
  }
  return found;
}

/// Makes room for codes that were cut to `most` bits, where all together would be too many.
void make_prefix_free(LengthCounts& found, std::size_t most) {
  std::uint64_t taken = 0;  // in codes of `most` bits
  for (std::size_t bits = 1; bits <= most; ++bits) taken += std::uint64_t{found[bits]} << (most - bits);
  for (; taken > std::uint64_t{1} << most; --taken) {
    std::size_t bits = most - 1;
    while (found[bits] == 0) --bits;
    // A shorter code becomes two, of which one is a longest code's.
    --found[most];
    --found[bits];
    found[bits + 1] += 2;
  }
}

}  // namespace

void code_lengths(std::span<const std::uint32_t> counts, int most, std::span<std::uint8_t> lengths) {
  std::vector<std::size_t> used;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol)
    if (counts[symbol] > 0) used.push_back(symbol);
  std::ranges::fill(lengths, std::uint8_t{0});
  std::ranges::stable_sort(used, {}, [&](std::size_t symbol) { return counts[symbol]; });
  std::vector<std::uint64_t> ascending;
  ascending.reserve(used.size());
  for (const std::size_t symbol : used) ascending.push_back(counts[symbol]);
  const auto longest = static_cast<std::size_t>(most);
  LengthCounts found = depths(ascending, longest);
  make_prefix_free(found, longest);
  auto symbol = used.begin();
  for (std::size_t bits = longest; bits > 0; --bits)
    for (std::uint32_t k = 0; k < found[bits]; ++k) lengths[*symbol++] = static_cast<std::uint8_t>(bits);
}

void codes_of(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes) {
  std::array<std::uint32_t, kMostBits + 2> next{};
  for (const std::uint8_t bits : lengths)
    if (bits > 0) ++next[bits + std::size_t{1}];
  for (std::size_t bits = 1; bits < next.size(); ++bits) next[bits] = (next[bits] + next[bits - 1]) << 1;
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    codes[symbol] = 0;
    if (lengths[symbol] == 0) continue;
    const std::uint32_t code = next[lengths[symbol]]++;
    for (int bit = 0; bit < lengths[symbol]; ++bit)
      codes[symbol] = static_cast<std::uint16_t>(codes[symbol] << 1 | (code >> bit & 1));
  }
}

}  // namespace reber::fits
