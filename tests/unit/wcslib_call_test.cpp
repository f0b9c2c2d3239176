// SPDX-License-Identifier: BSD-3-Clause
// What a call into WCSLIB says of lost memory, in each of the library's ways; other calls and threads are left alone.
#include "core/sky/model/wcslib_call.hpp"

#include <gtest/gtest.h>
#include <wcslib/wcs.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <thread>

#include "core/base/error.hpp"

namespace reber {
namespace {

using enum WcslibCall;

TEST(WcslibCall, GivesTheStatusThatIsNotOfMemory) {
  for (const WcslibCall kind : {computes, parses}) {
    EXPECT_EQ(call_wcslib(kind, [] { return 0; }), 0);
    EXPECT_EQ(call_wcslib(kind, [] { return int{WCSERR_BAD_PIX}; }), WCSERR_BAD_PIX);
    EXPECT_THROW(call_wcslib(kind, [] { return int{WCSERR_MEMORY}; }), std::bad_alloc);
  }
}

TEST(WcslibCall, AComplaintOfAScannerIsLostMemory) {
  const auto complains = [] {
    std::fputs("out of dynamic memory in wcsutrnalloc()\n", stderr);
    return 0;
  };
  EXPECT_THROW(call_wcslib(parses, complains), std::bad_alloc);
  EXPECT_EQ(call_wcslib(parses, [] { return 0; }), 0);  // it is forgotten
}

TEST(WcslibCall, WordsOfAnotherThreadAreItsOwn) {
  ::testing::internal::CaptureStderr();
  const int status = call_wcslib(parses, [] {
    std::thread([] { std::fputs("words of another thread\n", stderr); }).join();
    return 0;
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "words of another thread\n");
  EXPECT_EQ(status, 0);
}

TEST(WcslibCall, ACrashInsideIsAnErrorAndTheNextCallWorks) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "this sanitizer has no jumps out of a handler";
#endif
  for (int times = 0; times < 2; ++times) {
    for (const WcslibCall kind : {computes, parses}) {
      EXPECT_THROW(call_wcslib(kind, [] { return ::raise(SIGSEGV); }), DeviceError);
      EXPECT_EQ(call_wcslib(kind, [] { return 0; }), 0);
    }
  }
}

TEST(WcslibCall, ThreadsHaveAStackForSignalsEach) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "this sanitizer has no jumps out of a handler";
#endif
  bool told = false;
  std::thread([&told] {
    try {
      call_wcslib(parses, [] { return ::raise(SIGSEGV); });
    } catch (const DeviceError&) {
      told = true;
    }
  }).join();
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace reber
