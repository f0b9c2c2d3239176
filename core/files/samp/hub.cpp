// SPDX-License-Identifier: BSD-3-Clause
// Calls of the Standard Profile.
#include "core/files/samp/hub.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/samp/message.hpp"

namespace reber::samp {
namespace {

std::string path_of_hub_file() {
  const char* const named = std::getenv("SAMP_HUB");
  if (named != nullptr && *named != '\0') {
    constexpr std::string_view kStart = "std-lockurl:file://";
    std::string path = named;
    if (!path.starts_with(kStart))
      throw InputError(fmt::format("SAMP_HUB is '{}'; std-lockurl:file:///PATH was expected", path));
    path.erase(0, kStart.size());
    path.erase(0, path.find('/'));  // of localhost
    return unescaped(path);
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw InputError("HOME is not set, where a SAMP hub leaves its file; set it, or SAMP_HUB=std-lockurl:file:///PATH");
  return std::string(home) + "/.samp";
}

/// The secret in it is this user's, and so are the programs that it leads to.
void check_owner(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return;  // whoever reads it says so
  if (found.st_uid != ::geteuid()) throw DataError(fmt::format("{}: a hub's file, but of another user", path));
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw DataError(fmt::format("{}: others may read or write it, and it holds the hub's secret; chmod 600 it", path));
}

}  // namespace

HubFile hub_file(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string line, url, secret;
  while (std::getline(lines, line)) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const std::size_t at = line.find('=');
    if (line.starts_with('#') || at == std::string::npos) continue;
    if (line.substr(0, at) == "samp.hub.xmlrpc.url") url = line.substr(at + 1);
    if (line.substr(0, at) == "samp.secret") secret = line.substr(at + 1);
  }
  if (url.empty() || secret.empty())
    throw DataError(fmt::format("{}: not a hub's file: samp.hub.xmlrpc.url and samp.secret were expected", name));
  return {local_address(url), secret};
}

HubFile find_hub() {
  const std::string path = path_of_hub_file();
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(fmt::format("no SAMP hub runs here ({} is not there); start TOPCAT or Aladin first", path));
  constexpr std::int64_t kMostBytes = 65536;
  const std::string text = fits::read_text(path, kMostBytes);
  check_owner(path);
  return hub_file(text, path);
}

HubConnection::HubConnection(const HubFile& hub, const std::string& name, const std::string& text)
    : hub_(hub), deadline_(std::chrono::steady_clock::now() + std::chrono::minutes(1)) {
  const Value told = call("samp.hub.register", {hub_.secret});
  const std::string key = told.member("samp.private-key");
  if (key.empty()) throw DataError("SAMP hub: it gives no key to those who register");
  key_ = key;
  (void)call("samp.hub.declareMetadata",
             {std::map<std::string, Value>{{"samp.name", name}, {"samp.description.text", text}}});
}

HubConnection::~HubConnection() {
  try {
    (void)call("samp.hub.unregister", {});
  } catch (const std::exception&) {
    // The hub is gone, and with it the registration.
  }
}

Value HubConnection::call(const std::string& method, std::vector<Value> arguments) const {
  if (!key_.empty()) arguments.insert(arguments.begin(), key_);
  const Deadline deadline = stays_ ? std::chrono::steady_clock::now() + std::chrono::minutes(1) : deadline_;
  return answer_of(post(hub_.address, call_text(method, arguments), deadline),
                   fmt::format("{} of the SAMP hub", method));
}

std::vector<Client> HubConnection::clients_for(const std::string& message) const {
  std::vector<Client> clients;
  const Value told = call("samp.hub.getSubscribedClients", {message});
  for (const auto& [id, subscription] : told.map) {
    const std::string name = call("samp.hub.getMetadata", {id}).member("samp.name");
    clients.push_back({id, name.empty() ? id : name});
  }
  return clients;
}

void HubConnection::notify(const Client& client, const std::string& message,
                           const std::map<std::string, Value>& parameters) const {
  (void)call("samp.hub.notify",
             {client.id, std::map<std::string, Value>{{"samp.mtype", message}, {"samp.params", parameters}}});
}

void HubConnection::take_calls(const std::string& url, const std::vector<std::string>& types) {
  stays_ = true;
  (void)call("samp.hub.setXmlrpcCallback", {url});
  std::map<std::string, Value> wanted;
  for (const std::string& type : types) wanted[type] = std::map<std::string, Value>{};
  (void)call("samp.hub.declareSubscriptions", {wanted});
}

void HubConnection::notify_all(const std::string& message, const std::map<std::string, Value>& parameters) const {
  (void)call("samp.hub.notifyAll",
             {std::map<std::string, Value>{{"samp.mtype", message}, {"samp.params", parameters}}});
}

void HubConnection::reply(const std::string& message_id) const {
  const std::map<std::string, Value> none;
  (void)call("samp.hub.reply",
             {message_id, std::map<std::string, Value>{{"samp.status", "samp.ok"}, {"samp.result", none}}});
}

}  // namespace reber::samp
