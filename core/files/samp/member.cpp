// SPDX-License-Identifier: BSD-3-Clause
// Calls of the hub to one who joined it.
#include "core/files/samp/member.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace reber::samp {

Member::Member(const HubFile& hub, const std::string& name, const std::string& text,
               const std::vector<std::string>& types, std::function<void(const Heard&)> heard)
    : heard_(std::move(heard)),
      hub_(hub, name, text),
      listener_([this](const std::string& body) { return answer(body); }) {
  hub_.take_calls(listener_.url(), types);
}

void Member::tell_all(const std::string& type, const std::map<std::string, Value>& parameters) {
  const std::lock_guard lock(mutex_);
  hub_.notify_all(type, parameters);
}

LocalListener::Answer Member::answer(const std::string& body) {
  Call call = call_of(body, "SAMP hub");
  // (key, sender, message) or (key, sender, id, message)
  const bool asked = call.method == "samp.client.receiveCall";
  const std::size_t at = asked ? 3 : 2;
  if (call.arguments.size() <= at || !hub_.is_key(call.arguments[0].text)) throw DataError("not of the hub");
  if (!asked && call.method != "samp.client.receiveNotification") return {answer_text(""), {}};
  const Value& message = call.arguments[at];
  const auto parameters = message.map.find("samp.params");
  heard_({message.member("samp.mtype"),
          parameters == message.map.end() ? std::map<std::string, Value>{} : parameters->second.map});
  if (!asked) return {answer_text(""), {}};
  // A hub with one thread takes the reply only when it has its answer.
  return {answer_text(""), [this, id = call.arguments[2].text] {
            try {
              const std::lock_guard lock(mutex_);
              hub_.reply(id);
            } catch (const std::exception&) {
              // The hub is gone; nobody waits.
            }
          }};
}

}  // namespace reber::samp
