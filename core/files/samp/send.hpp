// SPDX-License-Identifier: BSD-3-Clause
// One file to the programs that take it.
#pragma once

#include <string>
#include <vector>

#include "core/files/samp/hub.hpp"
#include "core/files/samp/message.hpp"

namespace reber::samp {

/// Sends a message to every program that takes it, or to those of the name `to` alone (the letters' case aside);
/// returns their names.   path: for errors
///   throws InputError where there is none; as HubConnection
std::vector<std::string> send_message(const HubConnection& hub, const Message& message, const std::string& path,
                                      const std::string& to);

}  // namespace reber::samp
