// SPDX-License-Identifier: BSD-3-Clause
// Feeds kept inputs to their targets: replay CORPUS, with a folder per target. Files cut and changed stand beside them.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace {

using namespace reber::fuzz;
namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*reader)(Bytes bytes);
};
constexpr Target kTargets[] = {
    {"header", header},   {"tiles", tiles},     {"sky", sky},         {"beam_table", beam_table},
    {"regions", regions}, {"tables", tables},   {"votable", votable}, {"toml", toml},
    {"session", session}, {"foreign", foreign}, {"moc", moc},         {"levels", levels},
    {"record", record},   {"list", list},       {"samp", samp},       {"browser_message", browser_message},
};

std::vector<std::uint8_t> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The input, cuts of it, and copies with bytes changed: the same ones in every run.
int feed_with_variants(const Target& target, const std::vector<std::uint8_t>& input) {
  constexpr int kCuts = 16, kChanged = 48;
  constexpr std::uint8_t kOdd[] = {0, 0xff, '\'', ' ', '-', '9', '\n', 0x80};
  feed(target.reader, input);
  for (std::size_t cut = 0; cut < kCuts; ++cut) feed(target.reader, Bytes(input).first(input.size() * cut / kCuts));
  std::minstd_rand random(17);
  for (int i = 0; i < kChanged && !input.empty(); ++i) {
    std::vector<std::uint8_t> changed = input;
    for (int k = 0; k <= i % 4; ++k) changed[random() % changed.size()] = kOdd[random() % std::size(kOdd)];
    feed(target.reader, changed);
  }
  return 1 + kCuts + kChanged;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "replay CORPUS\n");
    return 2;
  }
  bool whole = true;
  for (const Target& target : kTargets) {
    int files = 0, inputs = 0;
    const fs::path folder = fs::path(argv[1]) / target.name;
    if (fs::is_directory(folder))
      for (const auto& entry : fs::directory_iterator(folder)) {
        std::fprintf(stderr, "%s\n", entry.path().c_str());  // the last line names the culprit
        inputs += feed_with_variants(target, read(entry.path()));
        ++files;
      }
    std::printf("%-12s %3d files, %5d inputs\n", target.name, files, inputs);
    whole = whole && files > 0;
  }
  if (!whole) std::fprintf(stderr, "a target has no file\n");
  return whole ? 0 : 1;
}
