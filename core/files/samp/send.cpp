// SPDX-License-Identifier: BSD-3-Clause
// Chooses the programs.
#include "core/files/samp/send.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.hpp"

namespace reber::samp {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::vector<std::string> send_message(const HubConnection& hub, const Message& message, const std::string& path,
                                      const std::string& to) {
  std::vector<std::string> names;
  for (const Client& client : hub.clients_for(message.type)) {
    if (!to.empty() && lower(client.name) != lower(to)) continue;
    hub.notify(client, message.type, message.parameters);
    names.push_back(client.name);
  }
  if (names.empty())
    throw InputError(fmt::format("{}: no program {}takes {}; start one that does, and have it join the SAMP hub", path,
                                 to.empty() ? "" : fmt::format("named '{}' ", to), message.type));
  return names;
}

}  // namespace reber::samp
