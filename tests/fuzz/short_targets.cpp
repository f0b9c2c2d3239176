// SPDX-License-Identifier: BSD-3-Clause
// Small readers: what a caged child tells, coverage maps, levels of reports, records and lists of a batch, answers of a
// SAMP hub.
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/files/foreign/described.hpp"
#include "core/files/samp/hub.hpp"
#include "core/run/batch/input_list.hpp"
#include "core/run/batch/record.hpp"
#include "core/sky/mask/moc_file.hpp"
#include "core/studies/quality/levels.hpp"
#include "tests/fuzz/targets.hpp"

namespace reber::fuzz {

void foreign(Bytes bytes) {
  constexpr std::int64_t kMostPixelBytes = 1 << 20;
  const auto raw = std::as_bytes(bytes);
  std::vector<std::byte> message(raw.begin(), raw.end());
  std::optional<Described> found;
  try {
    found = read_described(message);
  } catch (const std::runtime_error&) {
    return;  // as its reader says it
  }
  const fits::CardHeader header = header_of(*found, "fuzz", kMostPixelBytes, {}, Planes::many);
  for (const std::int64_t plane : {std::int64_t{0}, header.common().planes - 1}) (void)header.of(plane);
}

void moc(Bytes bytes) {
  const NamedBytes file(bytes);
  (void)read_moc(file.path());
  (void)is_moc_text(text_of(bytes));
}

void levels(Bytes bytes) {
  const NamedBytes file(bytes);
  (void)read_levels(file.path());
}

void record(Bytes bytes) {
  if (const auto found = record_of(text_of(bytes))) (void)record_of(to_line(*found));
}

/// A list for @LIST; its lines name files, which are not opened. Patterns would walk through this machine's folders.
void list(Bytes bytes) {
  if (text_of(bytes).find_first_of("*?[") != std::string_view::npos) return;
  const NamedBytes file(bytes);
  (void)expand_inputs({"@" + file.path()});
}

void samp(Bytes bytes) {
  const std::string text(text_of(bytes));
  if (!text.starts_with("<")) (void)samp::hub_file(text, "fuzz");
  (void)samp::answer_of(text, "fuzz");
}

}  // namespace reber::fuzz
