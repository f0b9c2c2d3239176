// SPDX-License-Identifier: BSD-3-Clause
// The four kinds of failure. Libraries throw them; app turns them into exit codes, the viewer into a message.
#pragma once

#include <stdexcept>
#include <string>

namespace reber {

/// Base of every failure that Reber reports. The message says what, where, what was expected and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request cannot be carried out as asked; the user can mend it (exit code 2).
class InputError : public Error {
 public:
  using Error::Error;
};

/// A file is missing, damaged or not what it claims to be (exit code 3).
class DataError : public Error {
 public:
  using Error::Error;
};

/// A compute device failed or is not there (exit code 4).
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A promise inside Reber was broken: our bug (exit code 70).
class InternalError : public Error {
 public:
  using Error::Error;
};

/// The user asked to stop. Nothing half-written stays behind (exit code 130).
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace reber
