// SPDX-License-Identifier: BSD-3-Clause
// The table of backends: what a name leads to, and what is said of one that is not there.
#include "kernels/backends.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/base/environment.hpp"
#include "core/base/error.hpp"
#include "core/seam/compute/machine_probe.hpp"

namespace reber {
namespace {

std::string words_of(const std::string& name) {
  try {
    (void)make_backend(name, {}, LogSink());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Backends, AnUnknownNameIsToldWithThoseThatAreKnown) {
  EXPECT_THROW((void)make_backend("gpu", {}, LogSink()), InputError);
  const std::string words = words_of("gpu");
  EXPECT_NE(words.find("unknown backend 'gpu'"), std::string::npos) << words;
  for (const BackendEntry& entry : backend_table()) EXPECT_NE(words.find(entry.name), std::string::npos) << words;
}

TEST(Backends, ACardThatIsNotCompiledInIsSaidToBe) {
  const auto is_card = [](const BackendEntry& entry) { return std::string(entry.name) == "cuda"; };
  if (std::ranges::any_of(backend_table(), is_card))
    return;  // BackendChoice's tests say what is told of a card that is
  EXPECT_THROW((void)make_backend("cuda", {}, LogSink()), DeviceError);
  EXPECT_NE(words_of("cuda").find("REBER_CUDA=ON"), std::string::npos);
}

/// The threads of the processor's backend where it is made of so many parts.
int threads_of_parts(const char* parts, int threads) {
  BackendOptions options;
  options.threads = threads;
  ::setenv(name_of(Variable::cpu_parts), parts, 1);
  const int all = make_backend("cpu", options, LogSink())->info().threads;
  ::unsetenv(name_of(Variable::cpu_parts));
  return all;
}

TEST(Backends, PartsOfTheProcessorShareItsThreadsAndHaveOneEachAtLeast) {
  if (name_of(Variable::cpu_parts) == nullptr) GTEST_SKIP() << "a build without variables of tests";
  EXPECT_EQ(threads_of_parts("3", 6), 6);
  EXPECT_EQ(threads_of_parts("3", 7), 6);
  EXPECT_EQ(threads_of_parts("3", 1), 3);
  EXPECT_EQ(threads_of_parts("1", 5), 5);
  EXPECT_EQ(threads_of_parts("-2", 5), 5);
  EXPECT_EQ(threads_of_parts("two", 5), 5);
  EXPECT_GE(threads_of_parts("2", 0), 2);
}

/// What it measures is a conformance test's.
TEST(Backends, EveryOneOfTheHostHasAProbe) {
  for (const BackendEntry& entry : backend_table()) {
    if (std::string(entry.name) == "cuda" || !entry.unavailable({}).empty()) continue;
    BackendOptions options;
    options.threads = 2;
    EXPECT_NE(entry.probe(options), nullptr) << entry.name;
  }
}

}  // namespace
}  // namespace reber
