// SPDX-License-Identifier: BSD-3-Clause
// A hub of SAMP (IVOA's Simple Application Messaging Protocol 1.3, Standard Profile), as one who only sends sees it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/files/samp/local_post.hpp"
#include "core/files/samp/xml_rpc.hpp"

namespace reber::samp {

/// What a running hub writes of itself.
struct HubFile {
  LocalAddress address;
  std::string secret;
};

/// The hub of this user: the file that SAMP_HUB names (std-lockurl:file:///PATH), else ~/.samp.
///   throws InputError where there is none, or SAMP_HUB and HOME are not set; DataError where it does not
///   tell address and secret, is not this user's, or may be read or written by others
[[nodiscard]] HubFile find_hub();
/// The lines of such a file.   name: for errors
[[nodiscard]] HubFile hub_file(const std::string& text, const std::string& name);

/// A program that the hub knows, by its id and the name that it gives itself.
struct Client {
  std::string id, name;
};

/// Registered with the hub from the constructor to the destructor; a minute for all that is said to it, and for each
/// thing once it takes calls.
class HubConnection {
 public:
  /// name, text: what others see of the sender.   throws as post() and answer_of()
  HubConnection(const HubFile& hub, const std::string& name, const std::string& text);
  ~HubConnection();
  HubConnection(const HubConnection&) = delete;
  HubConnection& operator=(const HubConnection&) = delete;

  /// Programs that take messages of this type, without the sender itself.
  [[nodiscard]] std::vector<Client> clients_for(const std::string& message) const;
  /// Sends a message without waiting for what comes of it.
  void notify(const Client& client, const std::string& message, const std::map<std::string, Value>& parameters) const;
  /// From here on the hub calls at this address with messages of these types.
  void take_calls(const std::string& url, const std::vector<std::string>& types);
  void notify_all(const std::string& message, const std::map<std::string, Value>& parameters) const;
  /// Answers a message that asked for it: it was taken.
  void reply(const std::string& message_id) const;
  [[nodiscard]] bool is_key(const std::string& key) const { return key == key_; }

 private:
  Value call(const std::string& method, std::vector<Value> arguments) const;
  HubFile hub_;
  std::string key_;
  Deadline deadline_;
  bool stays_ = false;
};

}  // namespace reber::samp
