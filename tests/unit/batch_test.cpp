// SPDX-License-Identifier: BSD-3-Clause
// Batches: lists of inputs, records and what is believed of them, ranks, lanes, the joined catalogue.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/run/batch/deal.hpp"
#include "core/run/batch/input_list.hpp"
#include "core/run/batch/join.hpp"
#include "core/run/batch/rank.hpp"
#include "core/run/batch/record_file.hpp"

namespace reber::testing {
namespace {

namespace fs = std::filesystem;

class batch : public ::testing::Test {
 protected:
  batch() : folder_(fs::temp_directory_path() / ("reber_batch_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~batch() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(path(name)).rdbuf();
    return all.str();
  }
  /// A record that holds: its input and its output are there.
  [[nodiscard]] ImageRecord record(const std::string& name, std::int64_t index) const {
    write(name, "input");
    write(name + ".csv", "a,b\n1,2\n");
    ImageRecord made;
    made.input = name;
    made.path = path(name);
    made.state = state_of(made.path);
    made.options = "options";
    made.list = "list";
    made.index = index;
    made.count = 3;
    made.outputs = {{name + ".csv", 8}};
    made.sources = 1;
    made.stages = {{"read", 0.5}};
    made.ended = now_utc();
    return made;
  }

 private:
  fs::path folder_;
};

TEST_F(batch, inputs_come_in_the_order_of_the_words_and_of_names_within_a_pattern) {
  for (const char* name : {"b.fits", "a.fits", "c[1].fits"}) write(name, "");
  write("list", "# a night\n\n \t" + path("z.fits") + " \r\n" + path("[ab].fits") + "\n#end\n");
  const std::vector<std::string> all{path("c[1].fits"), path("z.fits"), path("a.fits"), path("b.fits"), path("a.fits")};
  const InputList list = expand_inputs({path("c[1].fits"), "@" + path("list"), path("a*.fits")});
  EXPECT_EQ(list.paths, all);
  EXPECT_FALSE(list.one_file);
  EXPECT_TRUE(expand_inputs({"nowhere.fits"}).one_file);
  EXPECT_FALSE(expand_inputs({path("b*.fits")}).one_file);
  EXPECT_THROW((void)expand_inputs({path("x*.fits")}), InputError);
  EXPECT_THROW((void)expand_inputs({"-", "-"}), InputError);
  EXPECT_THROW((void)expand_inputs({"@" + path("missing")}), DataError);
  write("list", "# nothing\n");
  EXPECT_THROW((void)expand_inputs({"@" + path("list")}), InputError);
}

TEST_F(batch, patterns_match_as_in_a_shell) {
  for (const char* folder : {"day", "night", ".hidden", "[x]"}) {
    fs::create_directories(path(folder));
    for (const char* name : {"/a.fits", "/b.fits", "/.c.fits"}) write(folder + std::string(name), "");
  }
  fs::create_symlink("nowhere", path("day/z.fits"));
  write("file", "");
  const auto matches = [this](const std::string& pattern) {
    std::vector<std::string> names;
    for (const std::string& each : expand_inputs({path(pattern)}).paths) names.push_back(each.substr(path("").size()));
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(matches("*/a.fits"), (Names{"[x]/a.fits", "day/a.fits", "night/a.fits"}));
  EXPECT_EQ(matches("d*/*"), (Names{"day/a.fits", "day/b.fits", "day/z.fits"}));
  EXPECT_EQ(matches("*y//../night/[!a]*"), (Names{"day//../night/b.fits"}));
  EXPECT_EQ(matches("\\[x]/?.fits"), (Names{"[x]/a.fits", "[x]/b.fits"}));
  EXPECT_EQ(matches(".h*/.c*"), (Names{".hidden/.c.fits"}));
  EXPECT_EQ(matches("[dnf]*/"), (Names{"day/", "night/"}));
  EXPECT_THROW((void)matches("*a*a*a*a*b"), InputError);
}

TEST_F(batch, patterns_and_lists_can_be_stopped) {
  write("a.fits", "");
  write("list", path("a.fits") + "\n");
  const std::atomic<bool> stop = true;
  const Progress stopped({}, &stop);
  EXPECT_THROW((void)expand_inputs({path("*.fits")}, stopped), Cancelled);
  EXPECT_THROW((void)expand_inputs({"@" + path("list")}, stopped), Cancelled);
}

TEST_F(batch, records_are_read_back_and_the_latest_of_an_image_counts) {
  ImageRecord first = record("a", 1), other = record("b", 0);
  first.exit_code = 3;
  first.message = "broken \"here\"\n";
  {
    RecordFile file(path("batch.jsonl"));
    file.append(first, true);
    file.append(other);
  }
  std::ofstream(path("batch.jsonl"), std::ios::app) << R"({"input":"half)";
  first.exit_code = 0;
  RecordFile(path("batch.jsonl")).append(first);
  write("batch.x.jsonl", "no record\n");
  const FolderRecords found = read_records(path(""));
  ASSERT_EQ(found.images.size(), 2U);
  EXPECT_EQ(found.images[0].input, "b");
  EXPECT_EQ(to_line(found.images[1]), to_line(first));
  EXPECT_EQ(found.files.size(), 1U);
  EXPECT_EQ(found.unreadable, 1U);
  EXPECT_EQ(found.missing, 1);
}

TEST_F(batch, records_are_no_link_and_no_input) {
  write("image", "input");
  const ImageRecord made = record("a", 0);
  const auto refused = [&](const char* what) {
    EXPECT_THROW(RecordFile(path("batch.jsonl")).append(made), DataError) << what;
    EXPECT_EQ(text("image"), "input") << what;
    fs::remove(path("batch.jsonl"));
  };
  fs::create_symlink(path("image"), path("batch.jsonl"));
  refused("a soft link");
  fs::create_symlink(path("nowhere"), path("batch.jsonl"));
  refused("a link that leads nowhere");
  EXPECT_FALSE(fs::exists(path("nowhere")));
  fs::create_hard_link(path("image"), path("batch.jsonl"));
  refused("a hard link");
  write("batch.jsonl", "of the list");
  (void)expand_inputs({path("batch.jsonl")});
  EXPECT_THROW(RecordFile(path("batch.jsonl")).append(made), DataError);
  EXPECT_EQ(text("batch.jsonl"), "of the list");
}

TEST_F(batch, a_record_waits_for_others_that_hold_the_file) {
  const ImageRecord made = record("a", 0);
  RecordFile file(path("batch.jsonl"));
  file.append(made);
  const std::size_t before = text("batch.jsonl").size();
  const int other = ::open(path("batch.jsonl").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_SH), 0);
  auto second = std::async(std::launch::async, [&] { file.append(made); });
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  EXPECT_EQ(text("batch.jsonl").size(), before);
  ::flock(other, LOCK_UN);
  second.get();
  ::close(other);
  EXPECT_EQ(text("batch.jsonl").size(), 2 * before);
}

TEST_F(batch, records_of_others_outlive_a_process_that_wrote_none) {
  const ImageRecord made = record("a", 0);
  {
    const RecordFile stopped(path("batch.jsonl"));
    RecordFile(path("batch.jsonl")).append(made);
  }
  EXPECT_EQ(read_records(path("")).images.size(), 1U);
  RecordFile moved(path("batch.jsonl"));
  fs::rename(path("batch.jsonl"), path("elsewhere"));
  moved.append(made);
  EXPECT_EQ(text("batch.jsonl"), text("elsewhere"));
}

TEST_F(batch, records_of_planes_of_one_cube_do_not_take_each_others_place) {
  ImageRecord plane = record("cube", 0);
  {
    RecordFile file(path("batch.jsonl"));
    for (plane.plane = 0; plane.plane < 3; ++plane.plane) {
      plane.index = plane.plane;
      file.append(plane);
    }
  }
  const FolderRecords found = read_records(path(""));
  ASSERT_EQ(found.images.size(), 3U);
  EXPECT_EQ(found.images[1].plane, 1);
  EXPECT_EQ(found.missing, 0);
}

TEST_F(batch, a_record_holds_while_input_options_and_outputs_are_as_it_says) {
  const ImageRecord made = record("a", 0);
  EXPECT_TRUE(still_true(made, path(""), "options"));
  EXPECT_FALSE(still_true(made, path(""), "others"));
  ImageRecord failed = made;
  failed.exit_code = 3;
  EXPECT_FALSE(still_true(failed, path(""), "options"));
  failed.exit_code = 1;  // a bound of --verify is broken: there are results
  EXPECT_TRUE(still_true(failed, path(""), "options"));
  write("a.csv", "a,b\n");
  EXPECT_FALSE(still_true(made, path(""), "options"));
  write("a.csv", "a,b\n1,2\n");
  fs::last_write_time(path("a"), fs::last_write_time(path("a")) + std::chrono::milliseconds(1));
  EXPECT_FALSE(still_true(made, path(""), "options"));
}

TEST_F(batch, a_hash_tells_lines_apart) {
  EXPECT_EQ(hash_of({"a", "b"}), hash_of({"a", "b"}));
  EXPECT_NE(hash_of({"a", "b"}), hash_of({"ab"}));
  EXPECT_NE(hash_of({"a", "b"}), hash_of({"b", "a"}));
  EXPECT_EQ(hash_of({}).size(), 16U);
}

TEST_F(batch, ranks_share_a_list_without_gaps) {
  for (std::int64_t image = 0; image < 10; ++image) {
    int owners = 0;
    for (const char* text : {"0/3", "1/3", "2/3"}) owners += parse_rank(text).owns(image) ? 1 : 0;
    EXPECT_EQ(owners, 1);
  }
  EXPECT_TRUE(parse_rank("0/1").alone());
  for (const char* wrong : {"", "1", "3/3", "-1/3", "0/0", "1/x", "1/3/5", " 1/3"})
    EXPECT_THROW((void)parse_rank(wrong), InputError) << wrong;
}

TEST_F(batch, mpirun_comes_before_srun_and_a_script_outside_srun_is_alone) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_STEP_ID"})
    ::unsetenv(name);
  ::setenv("SLURM_PROCID", "0", 1);
  ::setenv("SLURM_NTASKS", "4", 1);
  EXPECT_EQ(rank_of_environment().count, 4);
  ::setenv("SLURM_JOB_ID", "9", 1);
  EXPECT_TRUE(rank_of_environment().alone());
  ::setenv("SLURM_STEP_ID", "0", 1);
  EXPECT_EQ(rank_of_environment().count, 4);
  ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_EQ(rank_of_environment().index, 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_THROW((void)rank_of_environment(), InputError);
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS",
                           "SLURM_JOB_ID", "SLURM_STEP_ID"})
    ::unsetenv(name);
}

TEST_F(batch, each_image_is_dealt_once_and_a_lane_that_throws_ends_the_dealing) {
  std::vector<std::int64_t> images(500);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::int64_t>(2 * i);
  std::vector<std::atomic<int>> visits(1000);
  const Lane lane = [&](std::int64_t image) { ++visits[static_cast<std::size_t>(image)]; };
  deal(images, {lane, lane, lane});
  for (std::size_t i = 0; i < visits.size(); ++i) EXPECT_EQ(visits[i].load(), i % 2 == 0 ? 1 : 0);
  std::atomic<int> done{0};
  const Lane fails = [&](std::int64_t image) {
    if (image == 20) throw DataError("the disk is full");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // longer than a throw takes
    ++done;
  };
  EXPECT_THROW(deal(images, {fails, fails}), DataError);
  EXPECT_LT(done.load(), 499);
  EXPECT_EQ(divide_threads(7, 3), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(divide_threads(2, 3), (std::vector<int>{1, 1, 1}));
}

TEST_F(batch, catalogues_are_joined_in_order_if_their_columns_agree) {
  write("a.csv", "x,y\n1.5,\"p\"\n2,\"q\"\n");
  write("b.csv", "x,y\n");
  write("c.csv", "x,z\n1,2\n");
  std::vector<JoinPart> parts{{"a \"1\".fits", path("a.csv")}, {"b.fits", path("b.csv")}, {"=a.fits", path("a.csv")}};
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<JoinPart> {
    return at < parts.size() ? std::optional(parts[at++]) : std::nullopt;
  };
  EXPECT_EQ(join_catalogues(next, path("all.csv"), false), 4);
  EXPECT_EQ(text("all.csv"),
            "File,x,y\n\"a \"\"1\"\".fits\",1.5,\"p\"\n\"a \"\"1\"\".fits\",2,\"q\"\n"
            "\"'=a.fits\",1.5,\"p\"\n\"'=a.fits\",2,\"q\"\n");
  parts.push_back({"c.fits", path("c.csv")});
  at = 0;
  EXPECT_THROW((void)join_catalogues(next, path("other.csv"), false), DataError);
  EXPECT_FALSE(fs::exists(path("other.csv")));
}

TEST_F(batch, catalogues_of_one_frame_keep_its_comment_and_others_are_not_joined) {
  write("a.csv", "# frame: FK4 B1950\nx\n1\n");
  write("b.csv", "# frame: FK4 B1950\nx\n2\n");
  write("c.csv", "x\n3\n");
  std::vector<std::string> names{"a.csv", "b.csv"};
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<JoinPart> {
    if (at >= names.size()) return std::nullopt;
    const std::string name = names[at++];
    return JoinPart{name, path(name)};
  };
  EXPECT_EQ(join_catalogues(next, path("all.csv"), false), 2);
  EXPECT_EQ(text("all.csv"), "# frame: FK4 B1950\nFile,x\n\"a.csv\",1\n\"b.csv\",2\n");
  names = {"a.csv", "c.csv"};
  at = 0;
  try {
    (void)join_catalogues(next, path("mixed.csv"), false);
    ADD_FAILURE() << "frames are mixed";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("FK4 B1950"), std::string::npos) << error.what();
  }
}

TEST_F(batch, a_catalogue_that_cannot_be_joined_is_told_with_its_reason) {
  fs::create_directory(path("folder.csv"));  // opens, and cannot be read
  write("empty.csv", "");
  for (const auto& [name, reason] : {std::pair("none.csv", "No such file"), std::pair("folder.csv", "it is a folder"),
                                     std::pair("empty.csv", "empty")}) {
    bool given = false;
    const auto next = [&]() -> std::optional<JoinPart> {
      return std::exchange(given, true) ? std::nullopt : std::optional(JoinPart{"a.fits", path(name)});
    };
    try {
      (void)join_catalogues(next, path("joined.csv"), false);
      ADD_FAILURE() << name;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_FALSE(fs::exists(path("joined.csv")));
  }
}

}  // namespace
}  // namespace reber::testing
