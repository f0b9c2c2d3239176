// SPDX-License-Identifier: BSD-3-Clause
// Takes HTTP posts of programs of this machine, as SAMP's hub calls those who joined it.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace reber::samp {

/// Listens at 127.0.0.1, at a port that the system chooses and a path that nobody can guess, on a thread of its own.
/// One request at a time, of at most 1 MB and three seconds.
class LocalListener {
 public:
  struct Answer {
    std::string body;
    std::function<void()> after;  ///< called once the caller has its answer; may be empty
  };
  /// answer: from the listener's thread, with the body of each post; what it throws is answered with status 500
  ///   throws DeviceError where the system gives no port
  explicit LocalListener(std::function<Answer(const std::string& body)> answer);
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  /// "http://127.0.0.1:PORT/SECRET"
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  void loop();
  void serve(int caller);

  std::function<Answer(const std::string&)> answer_;
  int door_ = -1, stop_ = -1;  ///< stop_: an event that ends the loop
  std::string path_, url_;
  std::thread thread_;
};

}  // namespace reber::samp
