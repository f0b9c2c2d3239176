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

/// Row 0 moved: row 3 stands for it.
std::shared_ptr<const HandRows> moved_row(const LiveResult& result, const std::vector<HandFit>& fits) {
  auto hand = std::make_shared<HandRows>();
  hand->found = 3;
  hand->sources = result.sources;
  hand->sources.push_back(result.sources[0]);
  hand->origin = {Origin::found, Origin::found, Origin::found, Origin::moved};
  hand->replaced = {1, 0, 0, 0};
  hand->fits = fits;
  hand->fit = {0};
  hand->why_not.assign(fits.size(), "");
  return hand;
}

TEST(GuiEdits, AFitByHandIsKeptOnceAResultSaysThatItIsInForce) {
  LiveResult result = three_sources(1);
  SourceView view;
  std::vector<std::int64_t> selected;
  view.follow(result, selected);
  const HandFit fit{Origin::moved, {{0, 0}}, HandPlace{1, 0}};
  view.edits.comment(0, result.sources, "mine");
  view.edits.ask(fit);
  EXPECT_EQ(view.edits.wanted_fits(), std::vector<HandFit>{fit});
  EXPECT_TRUE(view.edits.fits().empty());
  EXPECT_FALSE(view.edits.settle());
  result.hand = moved_row(result, {fit});
  result.sources = result.hand->sources;
  result.edition = 2;
  view.follow(result, selected);
  const auto settled = view.edits.settle();
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->rows, std::vector<std::int64_t>{3});
  EXPECT_EQ(settled->why_not, "");
  EXPECT_EQ(view.edits.fits(), std::vector<HandFit>{fit});
  view.follow(result, selected);
  EXPECT_EQ(view.table.shown(), (std::vector<std::uint32_t>{1, 2, 3}));
  ASSERT_NE(view.edits.of(3), nullptr) << "the comment goes with the row that stands";
  const Catalogue written = rows_to_write(view);
  EXPECT_EQ(std::get<std::vector<std::string>>(written.find("Origin")->values),
            (std::vector<std::string>{"found", "found", "moved"}));
  EXPECT_EQ(written.history.back(), "edited by hand: 0 removed, 0 locked, 1 with a comment; fits: 1 moved");
}

TEST(GuiEdits, AFitByHandThatIsRefusedIsForgottenAndAKeptOneWaits) {
  LiveResult result = three_sources(1);
  SourceEdits edits;
  const HandFit fit{Origin::split, {{0, 0}}, {}, 2};
  edits.ask(fit);
  auto refused = std::make_shared<HandRows>(*moved_row(result, {fit}));
  refused->why_not = {"the fit did not settle"};
  edits.place(refused->sources, 1, refused);
  const auto settled = edits.settle();
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->why_not, "the fit did not settle");
  EXPECT_TRUE(edits.fits().empty());
  edits.set_fits({fit});
  edits.place(refused->sources, 1, refused);
  EXPECT_EQ(edits.waiting(), std::vector<std::string>{"split: the fit did not settle"});
  EXPECT_EQ(edits.fits().size(), 1u);
}

TEST(GuiEdits, FitsByHandComeBackFromJson) {
  const std::vector<HandFit> fits{{Origin::added, {}, HandPlace{1.5, 2}},
                                  {Origin::merged, {{1, 2}, {3, 4}}, {}},
                                  {Origin::split, {{1, 2}}, {}, 3},
                                  {Origin::moved, {{1, 2}}, HandPlace{3, 4}}};
  const Json json{{"hand_fits", to_json(fits)}};
  EXPECT_EQ(fits_from(JsonObject(json, "f").children("hand_fits")), fits);
  const Json odd{
      {"hand_fits", Json::array({Json{{"kind", "added"}}, Json{{"kind", "found"}}, Json{{"kind", "split"}}})}};
  EXPECT_TRUE(fits_from(JsonObject(odd, "f").children("hand_fits")).empty());
  const Json wrong{{"hand_fits", Json::array({Json{{"kind", "guessed"}}})}};
  EXPECT_THROW((void)fits_from(JsonObject(wrong, "f").children("hand_fits")), InputError);
}

}  // namespace
}  // namespace reber::gui
