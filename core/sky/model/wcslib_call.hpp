// SPDX-License-Identifier: BSD-3-Clause
// Calls into WCSLIB that tell a lost allocation from what the header says.
#pragma once

namespace reber {

/// What a function of WCSLIB does beside its work.
enum class WcslibCall {
  computes,  ///< wcsp2s, wcss2p
  parses,    ///< headers or units: its scanners complain on stderr where they get no memory, and go on
};

namespace wcslib {

/// Runs call(argument) on this thread as call_wcslib() does.
int run_guarded(WcslibCall kind, int (*call)(void*), void* argument);

}  // namespace wcslib

/// One call into WCSLIB. Where memory is not there, the library answers in three ways: by its status 2, by a complaint
/// of its scanners, or by following a null pointer. A header leads to none of them.
///   call     returns WCSLIB's status; must not own anything: a crash jumps out of it
///   returns  the status, never 2
///   throws   std::bad_alloc; DeviceError after a crash. What the call was given is then to be left, not freed.
template <class Call>
int call_wcslib(WcslibCall kind, Call call) {
  return wcslib::run_guarded(
      kind, [](void* argument) { return (*static_cast<Call*>(argument))(); }, &call);
}

}  // namespace reber
