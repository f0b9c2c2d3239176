// SPDX-License-Identifier: BSD-3-Clause
// Reading DS9's and CASA's region files.
#include "core/sky/regions/region_parsers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include "core/base/error.hpp"
#include "core/sky/model/coordinates.hpp"
#include "core/sky/regions/region_io.hpp"

namespace reber {
namespace {

using Frame = SkySystem::Frame;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string trimmed(const std::string& text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), blank);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), blank).base();
  return first < last ? std::string(first, last) : std::string();
}

[[noreturn]] void refuse(int line, const std::string& what) {
  throw InputError(fmt::format("line {}: {}", line, what));
}

/// Words between brackets, commas and blanks.
std::vector<std::string> arguments(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if (c == ',' || c == '(' || c == ')' || c == '[' || c == ']' || std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return out;
}

double angle_or_refuse(const std::string& word, bool hours, int line) {
  const auto v = parse_angle(word, hours);
  if (!v) refuse(line, fmt::format("'{}' is no angle", word));
  return *v;
}

/// A pixel number, with or without a unit at its end.
double pixel_or_refuse(std::string word, int line) {
  for (const char* unit : {"pix", "p", "i"}) {
    const std::string end = unit;
    if (word.size() > end.size() && word.compare(word.size() - end.size(), end.size(), end) == 0) {
      word.resize(word.size() - end.size());
      break;
    }
  }
  const auto v = parse_angle(word, false);
  if (!v || word.find_first_not_of("+-.0123456789e") != std::string::npos) {
    refuse(line, fmt::format("'{}' is no pixel number", word));
  }
  return *v;
}

/// What stands between `open` and `close` behind a word, as in text={name}; empty where it is not there.
std::string property(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + "=");
  if (at == std::string::npos || at + word.size() + 1 >= text.size()) return {};
  const std::size_t start = at + word.size() + 1;
  const char open = text[start], close = open == '{' ? '}' : open;
  if (open != '{' && open != '\'' && open != '"') return {};
  const std::size_t end = text.find(close, start + 1);
  return end == std::string::npos ? std::string() : text.substr(start + 1, end - start - 1);
}

/// Sizes of one shape are all in pixels or all on the sky.
void note_unit(FileRegion& region, bool pixels, int line) {
  if (region.has_size && region.sizes_in_pixels != pixels) refuse(line, "its sizes are in pixels and on the sky both");
  region.has_size = true;
  region.sizes_in_pixels = pixels;
}

class Ds9 {
 public:
  explicit Ds9(const Progress& progress) : progress_(progress) {}
  void read_line(const std::string& given, int number) {
    line_ = number;
    std::string text = given, comment;
    if (const std::size_t hash = text.find('#'); hash != std::string::npos) {
      comment = text.substr(hash);
      text.resize(hash);
    }
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ';');) {
      progress_.check();
      read_part(trimmed(part), comment);
    }
  }
  ParsedRegions out;

 private:
  void read_part(const std::string& text, const std::string& comment) {
    const std::string word = lower(text);
    if (word.empty() || word.rfind("global", 0) == 0) return;
    if (const auto system = system_named(word)) {
      system_ = *system;
      on_sky_ = true;
      return;
    }
    if (word == "image" || word == "physical") {
      on_sky_ = false;
      physical_ = word == "physical";
      return;
    }
    FileRegion region;
    region.line = line_;
    region.excluded = word[0] == '-';
    const std::size_t start = word[0] == '-' || word[0] == '+' ? 1 : 0;
    const std::size_t open = word.find_first_of("( \t", start);
    const std::string shape = word.substr(start, open == std::string::npos ? open : open - start);
    region.on_sky = on_sky_;
    region.physical = !on_sky_ && physical_;
    region.system = system_;
    region.name = property(comment, "text");
    if (comment.find(fmt::format("tag={{{}}}", kCasaBorder)) != std::string::npos) region.border = Border::casa;
    std::vector<std::string> words =
        open == std::string::npos ? std::vector<std::string>() : arguments(word.substr(open));
    if (!read_shape(shape, words, region)) {
      out.skipped.push_back(fmt::format("line {}: {} is not a shape that is drawn here", line_, shape));
      return;
    }
    out.regions.push_back(region);
  }

  bool read_shape(const std::string& shape, const std::vector<std::string>& words, FileRegion& region) {
    const auto need = [&](std::size_t count) {
      if (words.size() < count)
        refuse(line_, fmt::format("{} needs {} numbers and has {}", shape, count, words.size()));
    };
    if (shape == "polygon" || shape == "line") {
      region.kind = shape == "line" ? Region::Kind::line : Region::Kind::polygon;
      need(shape == "line" ? 4 : 6);
      for (std::size_t i = 0; i + 1 < words.size() && (shape != "line" || i < 4); i += 2) add_place(words, i, region);
      return true;
    }
    if (shape == "point") {
      region.kind = Region::Kind::point;
      need(2);
    } else if (shape == "circle") {
      need(3);
      region.half_x = region.half_y = size(words[2], region);
    } else if (shape == "annulus") {
      const std::size_t end = sizes_end(words);
      if (end < 4) refuse(line_, "annulus needs two radii");
      region.inner_x = region.inner_y = size(words[2], region, true);
      region.half_x = region.half_y = size(words[end - 1], region);
      if (!(region.inner_x < region.half_x)) refuse(line_, "an annulus needs its inner radius first");
    } else if (shape == "panda") {
      need(8);
      read_sector(words, region);
      region.inner_x = region.inner_y = size(words[5], region, true);
      region.half_x = region.half_y = size(words[6], region);
      if (!(region.inner_x < region.half_x)) refuse(line_, "a panda needs its inner radius first");
    } else if (shape == "epanda" || shape == "bpanda") {
      need(10);
      read_sector(words, region);
      region.kind = shape == "bpanda" ? Region::Kind::box : Region::Kind::ellipse;
      const double part = shape == "bpanda" ? 0.5 : 1;
      region.inner_x = part * size(words[5], region, true);
      region.inner_y = part * size(words[6], region, true);
      region.half_x = part * size(words[7], region);
      region.half_y = part * size(words[8], region);
      if (words.size() > 10) region.angle_deg = angle_or_refuse(words[10], false, line_);
    } else if (shape == "ellipse" || shape == "box") {
      need(4);
      region.kind = shape == "box" ? Region::Kind::box : Region::Kind::ellipse;
      // Pairs of sizes from the innermost to the outermost, then the angle.
      const double part = shape == "box" ? 0.5 : 1;
      const std::size_t end = sizes_end(words);
      if (end < 4) refuse(line_, fmt::format("{} needs two sizes", shape));
      const std::size_t last = end / 2 * 2 - 2;
      if (last > 2) {
        region.inner_x = part * size(words[2], region, true);
        region.inner_y = part * size(words[3], region, true);
      }
      region.half_x = part * size(words[last], region);
      region.half_y = part * size(words[last + 1], region);
      if (end % 2 == 1) region.angle_deg = angle_or_refuse(words[end - 1], false, line_);
      if (end == words.size() - 2) region.angle_deg = angle_or_refuse(words.back(), false, line_);
    } else {
      return false;
    }
    add_place(words, 0, region);
    return true;
  }

  /// All sectors and rings of a panda are one region.
  void read_sector(const std::vector<std::string>& words, FileRegion& region) const {
    region.from_deg = angle_or_refuse(words[2], false, line_);
    region.to_deg = angle_or_refuse(words[3], false, line_);
    if (region.from_deg == region.to_deg) refuse(line_, "a sector needs two angles");
    if (region.to_deg < region.from_deg) region.to_deg += 360 * std::ceil((region.from_deg - region.to_deg) / 360);
    if (region.to_deg - region.from_deg >= 360) region.from_deg = region.to_deg = 0;
  }

  /// Where the sizes of a shape end: before "n=3", which says how many rings are between two of them.
  static std::size_t sizes_end(const std::vector<std::string>& words) {
    const auto rings = std::ranges::find_if(words, [](const std::string& word) { return word.rfind("n=", 0) == 0; });
    return static_cast<std::size_t>(rings - words.begin());
  }

  void add_place(const std::vector<std::string>& words, std::size_t i, FileRegion& region) const {
    if (region.on_sky) {
      region.places.push_back(angle_or_refuse(words[i], region.system->equatorial(), line_));
      region.places.push_back(angle_or_refuse(words[i + 1], false, line_));
    } else {
      const double base = region.physical ? 0 : 1;
      region.places.push_back(pixel_or_refuse(words[i], line_) - base);
      region.places.push_back(pixel_or_refuse(words[i + 1], line_) - base);
    }
  }

  /// may_be_zero: an annulus from its middle has no hole.
  double size(const std::string& word, FileRegion& region, bool may_be_zero = false) const {
    const bool pixels = !region.on_sky || word.back() == 'p' || word.back() == 'i';
    note_unit(region, pixels, line_);
    const double v = pixels ? pixel_or_refuse(word, line_) : angle_or_refuse(word, false, line_);
    if (!(v > 0) && !(may_be_zero && v == 0)) refuse(line_, fmt::format("'{}' is no size", word));
    return v;
  }

  const Progress& progress_;
  int line_ = 0;
  bool on_sky_ = false, physical_ = false;
  SkySystem system_;
};

class Crtf {
 public:
  explicit Crtf(const Progress& progress) : progress_(progress) {}
  void read_line(const std::string& given, int number) {
    progress_.check();
    line_ = number;
    std::string text = trimmed(given);
    if (text.empty() || text[0] == '#') return;
    std::string small = lower(text);
    if (small.rfind("global", 0) == 0) {
      read_coord(small);
      return;
    }
    FileRegion region;
    region.line = line_;
    region.border = Border::casa;
    region.excluded = small[0] == '-';
    if (small[0] == '-' || small[0] == '+') small.erase(0, 1);
    small = trimmed(small);
    region.annotation = small.rfind("ann ", 0) == 0;
    if (region.annotation) small = trimmed(small.substr(4));
    const std::size_t open = small.find('['), close = matching(small, open);
    if (open == std::string::npos || close == std::string::npos) refuse(line_, "a shape and its [ ] were expected");
    const std::optional<SkySystem> kept = system_;
    read_coord(small.substr(close));
    const std::string shape = trimmed(small.substr(0, open));
    const auto words = arguments(small.substr(open, close - open + 1));
    region.system = system_;
    region.name = property(text, "label");
    if (read_shape(shape, words, region)) {
      out.regions.push_back(region);
    } else {
      out.skipped.push_back(fmt::format("line {}: {} is not a shape that is drawn here", line_, shape));
    }
    system_ = kept;
  }
  ParsedRegions out;

 private:
  static std::size_t matching(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
      if (depth == 0) return i;
    }
    return std::string::npos;
  }

  void read_coord(const std::string& text) {
    const std::size_t at = text.find("coord=");
    if (at == std::string::npos) return;
    const auto words = arguments(text.substr(at + 6));
    const auto system = words.empty() ? std::nullopt : system_named(words.front());
    if (!system) refuse(line_, "the frame behind coord= is not known: ICRS, J2000, B1950, GALACTIC and ECLIPTIC are");
    system_ = *system;
  }

  [[nodiscard]] static bool in_pixels(const std::string& word) {
    return word.size() > 3 && word.compare(word.size() - 3, 3, "pix") == 0;
  }

  double value(const std::string& word, bool longitude, const FileRegion& region) const {
    if (!region.on_sky) return pixel_or_refuse(word, line_);
    // Colons are hours in every frame of CASA's.
    return angle_or_refuse(word, longitude, line_);
  }

  double size(const std::string& word, FileRegion& region) const {
    note_unit(region, in_pixels(word), line_);
    const double v = region.sizes_in_pixels ? pixel_or_refuse(word, line_) : angle_or_refuse(word, false, line_);
    if (!(v > 0)) refuse(line_, fmt::format("'{}' is no size", word));
    return v;
  }

  bool read_shape(const std::string& shape, const std::vector<std::string>& words, FileRegion& region) {
    const auto need = [&](std::size_t count) {
      if (words.size() < count) refuse(line_, fmt::format("{} needs {} values and has {}", shape, count, words.size()));
    };
    need(2);
    region.on_sky = !in_pixels(words[0]);
    const auto places = [&](std::size_t count) {
      need(count);
      for (std::size_t i = 0; i < count; ++i) region.places.push_back(value(words[i], i % 2 == 0, region));
    };
    if (shape == "poly" || shape == "line") {
      region.kind = shape == "line" ? Region::Kind::line : Region::Kind::polygon;
      need(shape == "line" ? 4 : 6);
      places(shape == "line" ? 4 : words.size() / 2 * 2);
    } else if (shape == "symbol" || shape == "point") {
      region.kind = Region::Kind::point;
      places(2);
    } else if (shape == "circle") {
      places(2);
      need(3);
      region.half_x = region.half_y = size(words[2], region);
    } else if (shape == "annulus") {
      places(2);
      need(4);
      region.inner_x = region.inner_y = size(words[2], region);
      region.half_x = region.half_y = size(words[3], region);
      if (!(region.inner_x < region.half_x)) refuse(line_, "an annulus needs its inner radius first");
    } else if (shape == "ellipse" || shape == "rotbox" || shape == "centerbox") {
      const bool box = shape != "ellipse";
      region.kind = box ? Region::Kind::box : Region::Kind::ellipse;
      places(2);
      need(shape == "centerbox" ? 4 : 5);
      region.half_x = (box ? 0.5 : 1) * size(words[2], region);
      region.half_y = (box ? 0.5 : 1) * size(words[3], region);
      if (shape != "centerbox") region.angle_deg = angle_or_refuse(words[4], false, line_) + (box ? 0 : 90);
    } else if (shape == "box") {
      read_corners(words, region);
    } else {
      return false;
    }
    return true;
  }

  /// A box by two opposite corners: its four corners as a polygon, which is what it is on the sky.
  void read_corners(const std::vector<std::string>& words, FileRegion& region) const {
    if (words.size() < 4) refuse(line_, "box needs two corners");
    double v[4];
    for (std::size_t i = 0; i < 4; ++i) v[i] = value(words[i], i % 2 == 0, region);
    region.kind = Region::Kind::polygon;
    region.places = {v[0], v[1], v[2], v[1], v[2], v[3], v[0], v[3]};
  }

  const Progress& progress_;
  int line_ = 0;
  std::optional<SkySystem> system_;  ///< empty: the image's own
};

template <class Reader>
ParsedRegions read_lines(const std::string& text, const Progress& progress) {
  Reader reader(progress);
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    reader.read_line(line, ++number);
  }
  return std::move(reader.out);
}

}  // namespace

ParsedRegions parse_ds9(const std::string& text, const Progress& progress) { return read_lines<Ds9>(text, progress); }
ParsedRegions parse_crtf(const std::string& text, const Progress& progress) { return read_lines<Crtf>(text, progress); }

}  // namespace reber
