// SPDX-License-Identifier: BSD-3-Clause
// Messages to other programs: documents of XML-RPC, addresses of this machine, the hub's file, the type by content.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/error.hpp"
#include "core/files/samp/hub.hpp"
#include "core/files/samp/message.hpp"

namespace reber::samp {
namespace {

std::string answer(const std::string& inside) {
  return "<?xml version='1.0'?><methodResponse>" + inside + "</methodResponse>";
}

TEST(Samp, CallHoldsTextsListsAndMapsEscaped) {
  Value list;
  list.kind = Value::Kind::list;
  list.list = {"one", "<two>"};
  const std::vector<Value> arguments{"k&1\x01", std::map<std::string, Value>{{"a<b", list}}};
  EXPECT_EQ(call_text("samp.hub.notify", arguments),
            "<?xml version=\"1.0\"?>\n<methodCall><methodName>samp.hub.notify</methodName><params>"
            "<param><value><string>k&amp;1</string></value></param>"
            "<param><value><struct><member><name>a&lt;b</name><value><array><data><value><string>one</string></value>"
            "<value><string>&lt;two&gt;</string></value></data></array></value></member></struct></value></param>"
            "</params></methodCall>\n");
}

TEST(Samp, AnswerIsReadWithEveryKindOfValue) {
  const Value value = answer_of(
      answer(
          "<params><param><value><struct><member><name>name</name><value>T&amp;C</value></member>"
          "<member><name>n</name><value><int>3</int></value></member>"
          "<member><name>l</name><value><array><data><value><string>x</string></value><value/></data></array></value>"
          "</member></struct></value></param></params>"),
      "hub");
  EXPECT_EQ(value.member("name"), "T&C");
  EXPECT_EQ(value.member("n"), "3");
  EXPECT_EQ(value.member("nothing"), "");
  ASSERT_EQ(value.map.at("l").list.size(), 2U);
  EXPECT_EQ(value.map.at("l").list[0].text, "x");
  EXPECT_EQ(answer_of(answer("<params><param><value>plain</value></param></params>"), "hub").text, "plain");
  EXPECT_EQ(answer_of(answer("<params></params>"), "hub").text, "");
}

TEST(Samp, AnswerThatIsNoneIsRefused) {
  for (const std::string& text : {std::string(), std::string("hello"), std::string("<methodCall/>"),
                                  answer("<params><param><wrong/></param></params>"),
                                  answer("<params><param><value><struct><name/></struct></value></param></params>"),
                                  answer("<params><param><value><string>cut")})
    EXPECT_THROW((void)answer_of(text, "hub"), DataError) << text;
  try {
    (void)answer_of(answer("<fault><value><struct><member><name>faultString</name><value>no such key</value></member>"
                           "</struct></value></fault>"),
                    "samp.hub.notify");
    FAIL() << "a fault is an error";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "samp.hub.notify: the hub refuses: no such key");
  }
}

TEST(Samp, AnswerThatNestsTooDeepIsRefusedBeforeItsEnd) {
  std::string open, close;
  for (int i = 0; i < 40; ++i) {
    open += "<value><array><data>";
    close += "</data></array></value>";
  }
  try {
    (void)answer_of(answer("<params><param>" + open + close + "</param></params>"), "hub");
    FAIL() << "forty levels were expected to be too many";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "hub: its answer nests deeper than 32");
  }
}

TEST(Samp, AddressIsOfThisMachineAlone) {
  const LocalAddress plain = local_address("http://127.0.0.1:21012/xmlrpc");
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, 21012);
  EXPECT_EQ(plain.path, "/xmlrpc");
  EXPECT_EQ(local_address("http://localhost:1").host, "127.0.0.1");
  EXPECT_EQ(local_address("http://localhost:1").path, "/");
  EXPECT_EQ(local_address("http://[::1]:7/a").host, "::1");
  for (const char* url :
       {"http://example.org:80/", "http://127.0.0.1.example.org:80/", "https://127.0.0.1:80/", "http://10.0.0.1:80/",
        "http://127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:8x/",
        "http://127.0.0.1:80/a b", "http://127.0.0.1:80/a\r\nHost: b", "http://[::2]:80/", "127.0.0.1:80", ""})
    EXPECT_THROW((void)local_address(url), DataError) << url;
}

TEST(Samp, HubFileTellsAddressAndSecret) {
  const HubFile hub = hub_file("# JSAMP\r\nsamp.secret=a=b\r\nsamp.hub.xmlrpc.url=http://127.0.0.1:2112/\r\nx\n", "f");
  EXPECT_EQ(hub.secret, "a=b");
  EXPECT_EQ(hub.address.port, 2112);
  EXPECT_THROW((void)hub_file("samp.secret=a\n", "f"), DataError);
}

/// Takes one connection, and says a letter each so often: at most for four seconds.
class SlowServer {
 public:
  explicit SlowServer(std::chrono::milliseconds pause) : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::socklen_t size = sizeof here;
    auto* const address = reinterpret_cast<sockaddr*>(&here);  // as the socket calls want it
    EXPECT_EQ(::bind(listening_, address, size), 0);
    EXPECT_EQ(::listen(listening_, 1), 0);
    EXPECT_EQ(::getsockname(listening_, address, &size), 0);
    to_ = {"127.0.0.1", ntohs(here.sin_port), "/"};
    talk_ = std::thread([this, pause] { serve(pause); });
  }
  ~SlowServer() {
    over_ = true;
    ::shutdown(listening_, SHUT_RDWR);
    talk_.join();
    ::close(listening_);
  }
  SlowServer(const SlowServer&) = delete;
  SlowServer& operator=(const SlowServer&) = delete;
  [[nodiscard]] const LocalAddress& address() const { return to_; }

 private:
  void serve(std::chrono::milliseconds pause) {
    using std::chrono::steady_clock;
    const int peer = ::accept(listening_, nullptr, nullptr);
    const auto end = steady_clock::now() + std::chrono::seconds(4);
    for (auto next = steady_clock::now() + pause; !over_ && steady_clock::now() < end;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (steady_clock::now() < next) continue;
      if (::send(peer, "H", 1, MSG_NOSIGNAL) < 0) break;
      next += pause;
    }
    ::close(peer);
  }

  int listening_;
  LocalAddress to_;
  std::atomic<bool> over_{false};
  std::thread talk_;
};

/// A server that trickles, one that says nothing, and one whose time was over before.
TEST(Samp, NoAnswerIsWaitedForBeyondTheDeadline) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  for (const milliseconds pause : {milliseconds(20), milliseconds(60'000)})
    for (const milliseconds allowed : {milliseconds(300), milliseconds(0), milliseconds(-300)}) {
      const SlowServer server(pause);
      const auto begun = steady_clock::now();
      EXPECT_THROW((void)post(server.address(), "<a/>", begun + allowed), DataError);
      EXPECT_LT(steady_clock::now() - begun, milliseconds(2500)) << pause.count() << " " << allowed.count();
    }
}

TEST(Samp, FileUrlIsAbsoluteAndEscaped) {
  EXPECT_EQ(file_url("/data/x/../a b%\xc3\xa9.fits"), "file:///data/a%20b%25%C3%A9.fits");
  EXPECT_TRUE(file_url("here.fits").starts_with("file:///"));
}

TEST(Samp, PathsComeFromFilesOfThisMachineAlone) {
  for (const char* path : {"/data/a b%\xc3\xa9.fits", "/x"}) EXPECT_EQ(path_of(file_url(path)), path);
  EXPECT_EQ(path_of("file://localhost/a%20b"), "/a b");
  EXPECT_EQ(path_of("file:/a"), "/a");
  for (const char* url : {"http://127.0.0.1/a", "file://other/a", "file:////other/a", "a.fits", "", "FILE"})
    EXPECT_THROW((void)path_of(url), InputError) << url;
}

TEST(Samp, CallsAreRead) {
  const std::vector<Value> arguments{"key", std::map<std::string, Value>{{"samp.mtype", "a<b"}}};
  const Call call = call_of(call_text("samp.client.receiveNotification", arguments), "hub");
  EXPECT_EQ(call.method, "samp.client.receiveNotification");
  ASSERT_EQ(call.arguments.size(), 2u);
  EXPECT_EQ(call.arguments[0].text, "key");
  EXPECT_EQ(call.arguments[1].member("samp.mtype"), "a<b");
  EXPECT_TRUE(call_of("<methodCall><methodName>m</methodName></methodCall>", "hub").arguments.empty());
  EXPECT_EQ(answer_of(answer_text("yes"), "hub").text, "yes");
  for (const char* text : {"", "<a/>", "<methodCall><methodName>m</methodName><params><value/></params></methodCall>",
                           "<methodResponse><params/></methodResponse>", "<methodCall><methodName>m</methodName>"})
    EXPECT_THROW((void)call_of(text, "hub"), DataError) << text;
}

TEST(Samp, TypeOfAMessageFollowsTheContent) {
  const auto folder = std::filesystem::temp_directory_path() / ("reber_samp_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "file").string();
  const auto type_of = [&](std::string text) {
    std::ofstream(path, std::ios::binary) << text;
    return message_for(path).type;
  };
  const auto block = [](std::initializer_list<std::string> cards) {
    std::string text;
    for (std::string card : cards) {
      card.resize(80, ' ');
      text += card;
    }
    text += "END";
    text.resize((text.size() + 2879) / 2880 * 2880, ' ');
    return text;
  };
  const std::string empty = block({"SIMPLE  =                    T", "NAXIS   =                    0"});
  EXPECT_EQ(type_of(block({"SIMPLE  =                    T", "NAXIS   =                    2"})), "image.load.fits");
  EXPECT_EQ(type_of(empty + block({"XTENSION= 'BINTABLE'"})), "table.load.fits");
  EXPECT_EQ(type_of(empty + block({"XTENSION= 'BINTABLE'", "ZIMAGE  =                    T"})), "image.load.fits");
  EXPECT_EQ(type_of(empty + block({"XTENSION= 'BINTABLE'", "ORDERING= 'NUNIQ   '"})), "coverage.load.moc.fits");
  EXPECT_EQ(type_of("<?xml version='1.0'?>\n<VOTABLE>"), "table.load.votable");
  EXPECT_THROW((void)type_of("a,b\n1,2\n"), InputError);
  EXPECT_THROW((void)type_of(""), InputError);
  EXPECT_THROW((void)message_for(folder.string()), DataError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace reber::samp
