// SPDX-License-Identifier: BSD-3-Clause
// JSON of others: how deep it may nest, and what is shown of it.
#include "core/base/json_text.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/run/batch/record.hpp"
#include "core/sky/mask/moc_file.hpp"
#include "core/studies/quality/levels.hpp"
#include "gui/model/json_object.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;
using testing_files::save;
using testing_files::TemporaryFolder;

std::string nested(int depth, const std::string& open = "[", const std::string& close = "]") {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonText, NestsAHundredDeepAtTheMost) {
  EXPECT_FALSE(parsed_json<Json>(nested(100)).is_discarded());
  EXPECT_TRUE(parsed_json<Json>(nested(101)).is_discarded());
  EXPECT_FALSE(parsed_json<Json>(nested(100, "{\"a\":", "}")).is_discarded());
  EXPECT_TRUE(parsed_json<Json>(nested(101, "{\"a\":", "}")).is_discarded());
  // What stands in a text opens nothing.
  EXPECT_FALSE(
      parsed_json<Json>("[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"]").is_discarded());
  EXPECT_TRUE(parsed_json<Json>("[\"\\\\\"" + nested(101).substr(0, 150)).is_discarded());
}

TEST(JsonText, AValueIsShownByItsFirstLettersWhateverItsBytes) {
  EXPECT_EQ(shown(Json{{"a", 1}}), "{\"a\":1}");
  EXPECT_EQ(shown(Json(std::string(100, 'x'))), "\"" + std::string(59, 'x') + "...");
  EXPECT_EQ(shown(Json("\xff")), "\"\xef\xbf\xbd\"");
}

/// Each reader of JSON, on text that would end a parser or printer that calls itself for each level.
TEST(JsonText, EveryReaderRefusesWhatNestsDeep) {
  const TemporaryFolder folder;
  const std::string path = folder.file("deep"), deep = nested(300'000);
  save(path, "[offset]\npass = " + deep + "\n");
  EXPECT_THROW((void)read_levels(path), InputError);
  save(path, "{\"offset\": {\"pass\": " + deep + "}}");
  EXPECT_THROW((void)read_levels(path), InputError);
  EXPECT_THROW((void)gui::read_json_file(path), InputError);
  save(path, "{\"3\": " + deep + "}");
  EXPECT_THROW((void)read_moc(path), DataError);
  EXPECT_FALSE(record_of("{\"input\": " + deep + "}"));
}

TEST(Levels, TextThatIsNoUtf8IsRefusedInASentence) {
  const TemporaryFolder folder;
  const std::string path = folder.file("levels.toml");
  save(path, "[offset]\npass = '\xff'\n");
  EXPECT_THROW((void)read_levels(path), InputError);
}

}  // namespace
}  // namespace reber
