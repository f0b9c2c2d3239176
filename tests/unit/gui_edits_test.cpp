// SPDX-License-Identifier: BSD-3-Clause
// Edits of rows by hand: kept by position, refused where locked, written only where there are any.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "gui/model/source_edits_json.hpp"
#include "gui/model/tables/source_view.hpp"

namespace reber::gui {
namespace {

LiveResult three_sources(std::uint64_t generation) {
  LiveResult result;
  result.header = std::make_shared<ImageHeader>();
  result.sources.resize(3);
  for (int i = 0; i < 3; ++i) result.sources[static_cast<std::size_t>(i)].x = 10.0 * i;
  result.generation = generation;
  return result;
}

TEST(GuiEdits, ARemovedRowLeavesTableAndFileAndComesBack) {
  const LiveResult result = three_sources(1);
  SourceView view;
  std::vector<std::int64_t> selected;
  view.follow(result, selected);
  const auto plain = rows_to_write(view);
  EXPECT_EQ(view.edits.remove({1}, result.sources), "");
  view.follow(result, selected);
  EXPECT_EQ(view.table.shown(), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(view.table.passes(1));
  const Catalogue edited = rows_to_write(view);
  ASSERT_NE(edited.find("Origin"), nullptr);
  EXPECT_EQ(edited.find("Comment"), nullptr);
  EXPECT_EQ(std::get<std::vector<std::string>>(edited.find("Origin")->values),
            (std::vector<std::string>{"found", "found"}));
  EXPECT_EQ(edited.history.back(), "edited by hand: 1 removed, 0 locked, 0 with a comment");
  view.edits.restore_all();
  view.follow(result, selected);
  const Catalogue again = rows_to_write(view);
  EXPECT_EQ(again.rows(), 3);
  EXPECT_EQ(again.columns.size(), plain.columns.size());
  EXPECT_EQ(again.history, plain.history);
}

TEST(GuiEdits, StayWithSourcesThatMoveByLessThanHalfABeam) {
  LiveResult result = three_sources(1);
  SourceEdits edits;
  edits.place(result.sources, 2);
  EXPECT_EQ(edits.remove({2}, result.sources), "");
  edits.comment(0, result.sources, "a jet");
  std::ranges::reverse(result.sources);
  result.sources[0].x += 1.9;
  edits.place(result.sources, 2);
  EXPECT_TRUE(edits.removed(0));
  ASSERT_NE(edits.of(2), nullptr);
  EXPECT_EQ(edits.of(2)->comment, "a jet");
  result.sources[0].x += 0.2;
  edits.place(result.sources, 2);
  EXPECT_EQ(edits.removed_rows(), 0);
  EXPECT_EQ(edits.marks().size(), 2U);  // it waits
  result.sources[0].x -= 2;
  result.sources[0].negative = true;
  edits.place(result.sources, 2);
  EXPECT_EQ(edits.removed_rows(), 0);
}

TEST(GuiEdits, OfTwoMarksAndTwoRowsEachHasItsOwn) {
  LiveResult result = three_sources(1);
  result.sources.resize(2);
  result.sources[1].x = 1;
  SourceEdits edits;
  edits.place(result.sources, 3);
  edits.comment(0, result.sources, "left");
  edits.comment(1, result.sources, "right");
  result.sources[0].x += 0.9;  // both are nearest to the right one's mark
  result.sources[1].x += 0.2;
  edits.place(result.sources, 3);
  EXPECT_EQ(edits.of(0)->comment + " " + edits.of(1)->comment, "right left");
  result.sources[0].x = 0.4;
  edits.place(result.sources, 3);
  EXPECT_EQ(edits.of(0)->comment + " " + edits.of(1)->comment, "left right");
}

TEST(GuiEdits, ALockedRowIsNotRemoved) {
  const LiveResult result = three_sources(1);
  SourceEdits edits;
  edits.place(result.sources, 1);
  edits.lock({0, 2}, result.sources, true);
  EXPECT_EQ(edits.remove({0, 1, 2}, result.sources), "0, 2 are locked");
  EXPECT_TRUE(edits.removed(1));
  EXPECT_FALSE(edits.removed(0));
  edits.lock({0, 2}, result.sources, false);
  edits.restore_all();
  EXPECT_TRUE(edits.empty());
}

TEST(GuiEdits, ComeBackFromJsonAndNameWhatIsWrong) {
  const std::vector<RowMark> marks{{1.5, 2, false, true, false, ""}, {3, 4, true, false, true, "caf\xC3\xA9 \"x\""}};
  const Json json{{"edits", to_json(marks)}};
  EXPECT_EQ(marks_from(JsonObject(json, "f").children("edits")), marks);
  const Json old = Json::object();
  EXPECT_TRUE(marks_from(JsonObject(old, "f").children("edits")).empty());
  const Json wrong{{"edits", Json::array({Json{{"x", "far"}}})}};
  EXPECT_THROW((void)marks_from(JsonObject(wrong, "f").children("edits")), InputError);
}

}  // namespace
}  // namespace reber::gui
