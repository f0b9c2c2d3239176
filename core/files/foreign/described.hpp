// SPDX-License-Identifier: BSD-3-Clause
// What a caged child tells of an image, and the header that its parent makes of it. The child may have been taken over
// by what it read: nothing that it says is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/files/fits/card_header.hpp"
#include "core/files/foreign/foreign_reader.hpp"
#include "core/files/image/image_file.hpp"

namespace reber {

/// Writes cards; what FITS has no card for is left out.
class Cards final : public CardSink {
 public:
  void text(const std::string& keyword, const std::string& value) override;
  void number(const std::string& keyword, double value) override;
  void integer(const std::string& keyword, std::int64_t value) override;
  void logical(const std::string& keyword, bool value) override;
  void card(const std::string& card) override;
  [[nodiscard]] const std::string& all() const { return text_; }

 private:
  std::string text_;
};

struct Described {
  ForeignImage image;
  std::string cards;  ///< whole ones, of 80 characters
};

/// From the child, into memory that both see.   throws std::runtime_error where there is no room
void write_described(const ForeignImage& image, const Cards& cards, std::span<std::byte> out);
/// By the parent.   throws std::runtime_error for counts and lengths that cannot be
[[nodiscard]] Described read_described(std::span<std::byte> in);

/// With the cards of the axes, where the library leaves them out.
///   path: for messages   most_pixel_bytes: that the file can hold   throws DataError, InputError
[[nodiscard]] fits::CardHeader header_of(const Described& found, const std::string& path, std::int64_t most_pixel_bytes,
                                         const OpenOptions& options, Planes planes);

}  // namespace reber
