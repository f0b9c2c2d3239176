// SPDX-License-Identifier: BSD-3-Clause
// Images that stay in their file: the pixels of those in memory, levels kept, checked and swept.
#include "gui/model/image/file_levels.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "gui/model/image/pyramid.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryFolder;

std::vector<float> level_of(const Pyramid& pixels, int level, Reduction reduction, const Rect& rect) {
  std::vector<float> out(static_cast<std::size_t>(rect.ny * rect.nx));
  pixels.read(level, reduction, rect, out.data());
  return out;
}

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void expect_same(const Pyramid& in_file, const Pyramid& in_memory) {
  ASSERT_EQ(in_file.levels(), in_memory.levels());
  for (int level = 0; level < in_memory.levels(); ++level) {
    const Shape shape = in_memory.level_shape(level);
    const Rect whole{0, 0, shape.ny, shape.nx}, part{shape.ny / 3, shape.nx / 2, shape.ny - shape.ny / 3, shape.nx / 4};
    for (const Reduction reduction : {Reduction::mean, Reduction::peak, Reduction::blend}) {
      if (level == 0 && reduction != Reduction::mean) continue;
      for (const Rect& rect : {whole, part})
        EXPECT_TRUE(same_bytes(level_of(in_file, level, reduction, rect), level_of(in_memory, level, reduction, rect)))
            << level;
    }
  }
}

/// An image on the disk that a place can speak of; its pixels come from memory.
struct Case {
  TemporaryFolder folder;
  std::string file = (fs::path(folder.path()) / "image.fits").string();
  std::string cache = (fs::path(folder.path()) / "cache").string();
  Image image = testing::random_image({531, 417}, 0.05, 8);
  std::shared_ptr<const PixelSource> source = memory_source(image.data(), image.shape());

  Case() { std::ofstream(file) << "some bytes"; }
  [[nodiscard]] Pyramid::Large large(std::int64_t most_bytes = 1 << 30) const {
    const LevelCache levels(cache, most_bytes);
    return {levels, levels.place_of(file, 0, 0), {3, 500, 2000}};
  }
  [[nodiscard]] std::shared_ptr<const Pyramid> load(const Pyramid::Large& large) const {
    return Pyramid::load(source, 0, {}, large);
  }
  [[nodiscard]] std::vector<fs::path> kept() const {
    std::vector<fs::path> found;
    if (fs::exists(cache))
      for (const auto& entry : fs::directory_iterator(cache)) found.push_back(entry.path());
    return found;
  }
};

TEST(FileLevels, an_image_in_its_file_shows_what_one_in_memory_does) {
  const Case here;
  const auto in_memory = Pyramid::load(here.source, 1 << 30, {});
  expect_same(*here.load({}), *in_memory);
  expect_same(*here.load(here.large()), *in_memory);
  ASSERT_EQ(here.kept().size(), 1u);
  const auto written = fs::last_write_time(here.kept().front());
  expect_same(*here.load(here.large()), *in_memory);
  EXPECT_GE(fs::last_write_time(here.kept().front()), written) << "counted as used";
}

/// Rows that cannot be read: who asks for them gets none from anywhere else.
class Unreadable final : public PixelSource {
 public:
  explicit Unreadable(Shape shape) : shape_(shape) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t, std::int64_t, std::byte*) const override { throw DataError("not to be read"); }

 private:
  Shape shape_;
};

TEST(FileLevels, kept_levels_are_taken_without_a_look_at_the_image) {
  const Case here;
  const auto made = here.load(here.large());
  const auto again = Pyramid::load(std::make_shared<const Unreadable>(here.image.shape()), 0, {}, here.large());
  for (int level = 3; level < made->levels(); ++level) {
    const Shape shape = made->level_shape(level);
    const Rect whole{0, 0, shape.ny, shape.nx};
    for (const Reduction reduction : {Reduction::peak, Reduction::blend})
      EXPECT_TRUE(same_bytes(level_of(*again, level, reduction, whole), level_of(*made, level, reduction, whole)));
  }
  EXPECT_TRUE(std::isnan(again->value(5, 5)));
}

TEST(FileLevels, levels_of_a_file_that_changed_are_made_again) {
  const Case here;
  (void)here.load(here.large());
  fs::last_write_time(here.file, fs::last_write_time(here.file) + std::chrono::seconds(2));
  EXPECT_THROW((void)Pyramid::load(std::make_shared<const Unreadable>(here.image.shape()), 0, {}, here.large()),
               DataError);
  expect_same(*here.load(here.large()), *Pyramid::load(here.source, 1 << 30, {}));
  EXPECT_EQ(here.kept().size(), 1u) << "in place of the old ones";
}

TEST(FileLevels, a_file_of_levels_that_was_cut_is_made_again) {
  const Case here;
  (void)here.load(here.large());
  const fs::path kept = here.kept().front();
  fs::resize_file(kept, fs::file_size(kept) - 4);
  expect_same(*here.load(here.large()), *Pyramid::load(here.source, 1 << 30, {}));
  std::ofstream(kept, std::ios::trunc) << "something else";
  expect_same(*here.load(here.large()), *Pyramid::load(here.source, 1 << 30, {}));
}

TEST(FileLevels, without_room_nothing_is_kept_and_everything_shown) {
  const Case here;
  expect_same(*here.load(here.large(1000)), *Pyramid::load(here.source, 1 << 30, {}));
  EXPECT_TRUE(here.kept().empty());
  std::ofstream(here.cache + "x") << "no folder";
  Pyramid::Large nowhere = here.large();
  nowhere.cache = LevelCache(here.cache + "x");
  nowhere.place = nowhere.cache.place_of(here.file, 0, 0);
  expect_same(*here.load(nowhere), *Pyramid::load(here.source, 1 << 30, {}));
}

TEST(LevelCache, sweeps_images_that_are_gone_first_and_then_the_longest_unused) {
  const Case here;
  const auto keep = [&](const char* name, int age) {
    const std::string image = (fs::path(here.folder.path()) / name).string();
    std::ofstream(image) << name;
    const LevelPlace place = *LevelCache(here.cache).place_of(image, 0, 0);
    fs::create_directories(here.cache);
    std::ofstream(place.path) << place.identity << '\n' << std::string(1000, ' ');
    fs::last_write_time(place.path, fs::file_time_type::clock::now() - std::chrono::hours(age));
    return std::pair(image, place.path);
  };
  const auto gone = keep("gone", 0), old = keep("old one", 3), middle = keep("middle", 2), fresh = keep("fresh", 1);
  fs::remove(gone.first);
  std::ofstream(fs::path(here.cache) / "notes.txt") << "somebody else's";
  const auto bytes = static_cast<std::int64_t>(fs::file_size(old.second));
  EXPECT_TRUE(LevelCache(here.cache, 3 * bytes + 400).make_room(10));
  EXPECT_FALSE(fs::exists(gone.second));
  EXPECT_TRUE(fs::exists(old.second));
  EXPECT_TRUE(LevelCache(here.cache, 3 * bytes + 400).make_room(bytes));
  EXPECT_FALSE(fs::exists(old.second));
  EXPECT_TRUE(fs::exists(middle.second));
  LevelCache::used({middle.second, {}});
  EXPECT_TRUE(LevelCache(here.cache, 2 * bytes + 400).make_room(bytes));
  EXPECT_TRUE(fs::exists(middle.second));
  EXPECT_FALSE(fs::exists(fresh.second));
  EXPECT_FALSE(LevelCache(here.cache, 1000).make_room(2000));
  EXPECT_TRUE(fs::exists(fs::path(here.cache) / "notes.txt"));
}

TEST(Pyramid, a_first_look_at_an_image_in_its_file_shows_its_pixels_close_up) {
  const Image image = testing::random_image({1000, 700}, 0, 3);
  const auto look = Pyramid::preview_of_file(memory_source(image.data(), image.shape()), 128);
  EXPECT_EQ(look->first_level(), 0);
  EXPECT_EQ(look->row_step(), 8);
  EXPECT_EQ(look->value(503, 401), image.at(503, 401));
  // Row 7 of level 2 stands for rows 28 to 31: row 30 is read.
  const auto row = level_of(*look, 2, Reduction::peak, {7, 3, 1, 1});
  EXPECT_EQ(row[0], std::max({image.at(30, 12), image.at(30, 13), image.at(30, 14), image.at(30, 15)}));
}

}  // namespace
}  // namespace reber::gui
