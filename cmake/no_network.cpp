// SPDX-License-Identifier: BSD-3-Clause
// In place of libcurl, for CFITSIO linked into the program: Reber opens files by their descriptors, no address.
// Debian's curl brings TLS, Kerberos and LDAP, 27 libraries whose loading takes each process 5 to 7 ms. Types are those
// of curl/easy.h.
namespace {
constexpr int kFailedToInitialise = 2;  // CURLE_FAILED_INIT
}

#define REBER_OF_CURL __attribute__((visibility("hidden")))
extern "C" {
REBER_OF_CURL int curl_global_init(long) { return kFailedToInitialise; }
REBER_OF_CURL void curl_global_cleanup() {}
REBER_OF_CURL void* curl_easy_init() { return nullptr; }
REBER_OF_CURL int curl_easy_setopt(void*, int, ...) { return kFailedToInitialise; }
REBER_OF_CURL int curl_easy_perform(void*) { return kFailedToInitialise; }
REBER_OF_CURL void curl_easy_cleanup(void*) {}
}
