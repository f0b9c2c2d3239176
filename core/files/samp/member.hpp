// SPDX-License-Identifier: BSD-3-Clause
// One who joined a SAMP hub to stay: it is told what others say, and speaks to all of them.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/files/samp/hub.hpp"
#include "core/files/samp/local_listener.hpp"

namespace reber::samp {

/// What another program says.
struct Heard {
  std::string type;  ///< "image.load.fits"
  std::map<std::string, Value> parameters;
  [[nodiscard]] std::string text(const std::string& key) const {
    const auto found = parameters.find(key);
    return found == parameters.end() ? std::string() : found->second.text;
  }
};

class Member {
 public:
  /// types: of the messages that it takes. heard: from a thread of its own.   throws as HubConnection, LocalListener
  Member(const HubFile& hub, const std::string& name, const std::string& text, const std::vector<std::string>& types,
         std::function<void(const Heard&)> heard);
  /// To every program that takes it.   throws as HubConnection
  void tell_all(const std::string& type, const std::map<std::string, Value>& parameters);

 private:
  LocalListener::Answer answer(const std::string& body);

  std::function<void(const Heard&)> heard_;
  std::mutex mutex_;
  HubConnection hub_;
  LocalListener listener_;  ///< ends first
};

}  // namespace reber::samp
