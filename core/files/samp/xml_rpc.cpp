// SPDX-License-Identifier: BSD-3-Clause
// Documents of XML-RPC there and back.
#include "core/files/samp/xml_rpc.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/io/xml_reader.hpp"

namespace reber::samp {
namespace {

constexpr int kDeepest = 32;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n')
      out += c;
  }
  return out;
}

std::string value_text(const Value& value) {
  std::string out = "<value>";
  switch (value.kind) {
    case Value::Kind::text:
      out += "<string>" + escaped(value.text) + "</string>";
      break;
    case Value::Kind::list:
      out += "<array><data>";
      for (const Value& one : value.list) out += value_text(one);
      out += "</data></array>";
      break;
    case Value::Kind::map:
      out += "<struct>";
      for (const auto& [name, one] : value.map)
        out += "<member><name>" + escaped(name) + "</name>" + value_text(one) + "</member>";
      out += "</struct>";
      break;
  }
  return out + "</value>";
}

/// Walks through an answer or a call.
class RpcReader {
 public:
  RpcReader(const std::string& document, const std::string& name) : xml_(document, name), name_(name) {}

  Value read() {
    expect("methodResponse");
    const XmlTag tag = xml_.next();
    if (tag.opens && tag.name == "fault") {
      expect("value");
      const Value fault = value(0);
      throw DataError(fmt::format("{}: the hub refuses: {}", name_, fault.member("faultString")));
    }
    if (!tag.opens || tag.name != "params") refuse(tag);
    const XmlTag first = xml_.next();
    if (!first.opens) return {};  // an answer without a value
    if (first.name != "param") refuse(first);
    expect("value");
    return value(0);
  }

  Call read_call() {
    expect("methodCall");
    expect("methodName");
    const XmlTag method = xml_.next();
    if (method.opens) refuse(method);
    Call call{method.text, {}};
    XmlTag tag = xml_.next();
    if (!tag.opens && tag.name == "methodCall") return call;
    if (!tag.opens || tag.name != "params") refuse(tag);
    for (tag = xml_.next(); tag.opens; tag = xml_.next()) {
      if (tag.name != "param") refuse(tag);
      expect("value");
      call.arguments.push_back(value(0));
      expect_end("param");
    }
    return call;
  }

 private:
  [[noreturn]] void refuse(const XmlTag& tag) const {
    throw DataError(fmt::format("{}: not an answer of XML-RPC: <{}> is out of place", name_, tag.name));
  }
  void expect(const char* name) {
    const XmlTag tag = xml_.next();
    if (!tag.opens || tag.name != name) refuse(tag);
  }
  void expect_end(const std::string& name) {
    const XmlTag tag = xml_.next();
    if (tag.opens || tag.name != name) refuse(tag);
  }

  /// After <value>, up to and with </value>.
  Value value(int depth) {
    if (depth > kDeepest) throw DataError(fmt::format("{}: its answer nests deeper than {}", name_, kDeepest));
    XmlTag tag = xml_.next();
    if (!tag.opens) {  // <value>text</value>
      if (tag.name != "value") refuse(tag);
      return tag.text;
    }
    Value out;
    if (tag.name == "struct") {
      out = members(depth);
    } else if (tag.name == "array") {
      out.kind = Value::Kind::list;
      expect("data");
      for (tag = xml_.next(); tag.opens; tag = xml_.next()) {
        if (tag.name != "value") refuse(tag);
        out.list.push_back(value(depth + 1));
      }
      expect_end("array");
    } else {
      const XmlTag end = xml_.next();
      if (end.opens) refuse(end);
      out.text = end.text;
    }
    expect_end("value");
    return out;
  }

  Value members(int depth) {
    std::map<std::string, Value> all;
    for (XmlTag tag = xml_.next(); tag.opens; tag = xml_.next()) {
      if (tag.name != "member") refuse(tag);
      expect("name");
      const XmlTag name = xml_.next();
      if (name.opens || name.name != "name") refuse(name);
      expect("value");
      all[name.text] = value(depth + 1);
      expect_end("member");
    }
    return all;
  }

  XmlReader xml_;
  std::string name_;
};

}  // namespace

std::string Value::member(const std::string& key) const {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second.text;
}

std::string call_text(const std::string& method, std::span<const Value> arguments) {
  std::string out = "<?xml version=\"1.0\"?>\n<methodCall><methodName>" + escaped(method) + "</methodName><params>";
  for (const Value& one : arguments) out += "<param>" + value_text(one) + "</param>";
  return out + "</params></methodCall>\n";
}

std::string answer_text(const Value& value) {
  return "<?xml version=\"1.0\"?>\n<methodResponse><params><param>" + value_text(value) +
         "</param></params></methodResponse>\n";
}

Call call_of(const std::string& document, const std::string& name) { return RpcReader(document, name).read_call(); }

Value answer_of(const std::string& document, const std::string& name) { return RpcReader(document, name).read(); }

}  // namespace reber::samp
