// SPDX-License-Identifier: BSD-3-Clause
// From ImGui's triangles back to areas and text.
#include "gui/export/draw_list_items.hpp"

#include <imgui.h>

#include <array>
#include <cmath>
#include <map>

namespace reber::gui {
namespace {

Rgba rgba(ImU32 packed) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(packed);
  return {c.x, c.y, c.z, c.w};
}

struct Glyph {
  const ImFont* font = nullptr;
  const ImFontGlyph* glyph = nullptr;
};

/// Glyphs by the left upper corner of their picture.
std::map<std::pair<float, float>, Glyph> glyphs_by_place() {
  std::map<std::pair<float, float>, Glyph> glyphs;
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
    for (const ImFontGlyph& glyph : font->Glyphs)
      if (glyph.Visible != 0) glyphs[{glyph.U0, glyph.V0}] = {font, &glyph};
  return glyphs;
}

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Joins glyphs that follow each other on one line into one text.
class TextCollector {
 public:
  explicit TextCollector(std::vector<FigureItem>& items) : items_(items) {}
  ~TextCollector() { flush(); }
  TextCollector(const TextCollector&) = delete;
  TextCollector& operator=(const TextCollector&) = delete;

  /// left, top, bottom: of the glyph's picture on the screen.
  void add(const Glyph& glyph, double left, double top, double bottom, ImU32 colour) {
    const double scale = (bottom - top) / (glyph.glyph->Y1 - glyph.glyph->Y0);
    const double size = glyph.font->FontSize * scale;
    const double base = top - glyph.glyph->Y0 * scale + glyph.font->Ascent * scale;
    const double start = left - glyph.glyph->X0 * scale;
    const bool goes_on = open_ && font_ == glyph.font && colour == colour_ && std::abs(base - text_.at.y) < 0.75 &&
                         start > pen_ - 0.35 * size && start < pen_ + 1.2 * size;
    if (!goes_on) {
      flush();
      open_ = true;
      font_ = glyph.font;
      colour_ = colour;
      text_ = {};
      text_.at = {start, base};
      // ImGui's size is the height of a line; cairo's is the em: 0.86 of it in DejaVu's fonts.
      text_.size = 0.86 * size;
      text_.colour = rgba(colour);
      text_.fixed_width = glyph.font->FindGlyph('i')->AdvanceX == glyph.font->FindGlyph('W')->AdvanceX;
    } else if (start > pen_ + 0.18 * size) {
      text_.text += ' ';
    }
    append_utf8(text_.text, glyph.glyph->Codepoint);
    pen_ = start + glyph.glyph->AdvanceX * scale;
  }
  void flush() {
    if (open_) items_.emplace_back(text_);
    open_ = false;
  }

 private:
  std::vector<FigureItem>& items_;
  bool open_ = false;
  FigureText text_;
  const ImFont* font_ = nullptr;
  ImU32 colour_ = 0;
  double pen_ = 0;
};

void add_triangle(std::vector<FigureItem>& items, const std::array<const ImDrawVert*, 3>& corners) {
  const Rgba colour = rgba(corners[0]->col);
  auto* area = items.empty() ? nullptr : std::get_if<FigureArea>(&items.back());
  if (area == nullptr || !(area->colour == colour)) {
    items.emplace_back(FigureArea{{}, colour});
    area = &std::get<FigureArea>(items.back());
  }
  for (const ImDrawVert* corner : corners) area->triangles.push_back({corner->pos.x, corner->pos.y});
}

}  // namespace

std::vector<FigureItem> items_of(const ImDrawList& list) {
  std::vector<FigureItem> items;
  const auto glyphs = glyphs_by_place();
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  TextCollector text(items);
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr || command.TextureId != ImGui::GetIO().Fonts->TexID) continue;
    const ImDrawIdx* index = &list.IdxBuffer[static_cast<int>(command.IdxOffset)];
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      std::array<const ImDrawVert*, 3> corners{};
      for (unsigned k = 0; k < 3; ++k) corners[k] = &list.VtxBuffer[static_cast<int>(index[i + k] + command.VtxOffset)];
      if (corners[0]->uv.x == white.x && corners[0]->uv.y == white.y) {
        text.flush();
        add_triangle(items, corners);
        continue;
      }
      // The first triangle of a glyph has its upper left, upper right and lower right corner; the second says no more.
      const auto found = glyphs.find({corners[0]->uv.x, corners[0]->uv.y});
      const bool first = corners[1]->uv.y == corners[0]->uv.y;
      if (found != glyphs.end() && first)
        text.add(found->second, corners[0]->pos.x, corners[0]->pos.y, corners[2]->pos.y, corners[0]->col);
    }
  }
  text.flush();
  return items;
}

}  // namespace reber::gui
