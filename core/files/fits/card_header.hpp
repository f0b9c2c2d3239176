// SPDX-License-Identifier: BSD-3-Clause
// What the cards of an image say, whoever read them: axes, texts, unit, beams and sky of each plane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/files/fits/beam_table.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber::fits {

/// The header of an image with several planes. Safe from several threads once it is made.
class CardHeader {
 public:
  /// facts: path, hdu, hdus, axes, bitpix and warnings so far; the rest is read from the cards
  ///   cards: of the image as if it were not compressed   inherited: of the primary header where INHERIT = T
  ///   options: the unit; with Planes::one the plane, too
  ///   throws InputError where the plane is not there, or a cube has none chosen
  CardHeader(ImageHeader facts, CardTable cards, std::optional<CardTable> inherited, const OpenOptions& options,
             Planes planes);

  /// What all planes share.
  [[nodiscard]] const ImageHeader& common() const { return common_; }
  [[nodiscard]] const CardTable& cards() const { return cards_; }
  void warn(std::string warning) { common_.warnings.push_back(std::move(warning)); }
  /// Beams of planes, which go before those of cards.
  void take(BeamTable beams);

  /// With beam, frequency and WCS of this plane.   throws InputError where there is no such plane
  [[nodiscard]] ImageHeader of(std::int64_t plane) const;
  /// throws InputError where there is no such plane
  void check(std::int64_t plane) const;

 private:
  ImageHeader common_;
  CardTable cards_;
  std::optional<CardTable> inherited_;
  BeamTable beams_;
};

}  // namespace reber::fits
