// SPDX-License-Identifier: BSD-3-Clause
// What every program of ours tells its sanitizers (REBER_SANITIZE), compiled in: a decoding child may open no file of
// suppressions, and no test of system calls has to know of one. ASAN_OPTIONS and its like are read after these.

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the runtime looks for these names
extern "C" {

const char* __asan_default_options();
const char* __asan_default_options() { return "detect_stack_use_after_return=1:allocator_may_return_null=1"; }

const char* __lsan_default_options();
const char* __lsan_default_options() { return "print_suppressions=0"; }

/// What libraries never give back, by the library.
const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n"
         "leak:libGL\n"
         "leak:libLLVM\n"
         "leak:libgallium\n";
}

const char* __ubsan_default_options();
const char* __ubsan_default_options() { return "print_stacktrace=1"; }

const char* __tsan_default_options();
const char* __tsan_default_options() { return "halt_on_error=1"; }

/// CFITSIO keeps a table of open files that it reads without its lock. OpenCV, of the viewer and the tests, starts what
/// it needs once.
const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() {
  return "called_from_lib:libcfitsio.so\n"
         "called_from_lib:libopencv_core.so\n";
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
