// SPDX-License-Identifier: BSD-3-Clause
// Reads an object of a JSON file member by member; what is wrong is named by its place in the file.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/words.hpp"

namespace reber::gui {

using Json = nlohmann::ordered_json;

/// A member that is missing leaves the value as it was, so that files of older and newer versions can be read; one of
/// the wrong kind is an error.   throws InputError: "session.json: view.zoom: a number was expected, not \"big\""
class JsonObject {
 public:
  /// file: for messages; where: path of this object in the file, empty for the whole.
  JsonObject(const Json& json, std::string file, std::string where = {});

  [[nodiscard]] bool has(const char* name) const;
  void read(const char* name, bool& value) const;
  void read(const char* name, int& value) const;
  void read(const char* name, std::int64_t& value) const;
  void read(const char* name, double& value) const;  ///< null reads as NaN
  void read(const char* name, std::string& value) const;
  void read(const char* name, std::vector<std::string>& value) const;
  void read(const char* name, std::vector<std::int64_t>& value) const;
  void read(const char* name, std::vector<double>& value) const;
  void read(const char* name, std::map<std::string, bool>& value) const;
  void read(const char* name, std::map<std::string, double>& value) const;

  template <class Enum>
  void read(const char* name, Enum& value, std::span<const std::pair<const char*, Enum>> names) const {
    std::string text;
    if (!has(name)) return;
    read(name, text);
    std::string known;
    for (const auto& [word, meaning] : names) {
      if (text == word) {
        value = meaning;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    fail(name, "one of " + known + " was expected", member(name));
  }

  /// One of words<Enum>.
  template <Worded Enum>
  void read(const char* name, Enum& value) const {
    std::string text;
    if (!has(name)) return;
    read(name, text);
    const std::optional<Enum> known = find_word<Enum>(text);
    if (!known) fail(name, "one of " + all_words<Enum>(", ") + " was expected", member(name));
    value = *known;
  }

  /// The object of that name; an empty one where it is missing.
  [[nodiscard]] JsonObject child(const char* name) const;
  /// The objects of the array of that name.
  [[nodiscard]] std::vector<JsonObject> children(const char* name) const;
  [[nodiscard]] const Json& json() const { return *json_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  [[noreturn]] void fail(const std::string& name, const std::string& expected, const Json& found) const;

 private:
  [[nodiscard]] const Json& member(const char* name) const;

  const Json* json_;
  std::string file_, where_;
};

/// The word for a value of an enumeration.
template <class Enum>
const char* word_of(Enum value, std::span<const std::pair<const char*, Enum>> names) {
  for (const auto& [word, meaning] : names)
    if (meaning == value) return word;
  return "";
}

/// NaN and infinities have no JSON form: null.
[[nodiscard]] Json json_number(double value);

/// Parses a whole file.   throws DataError where it cannot be read, InputError where it is no JSON object (line,
/// column)
[[nodiscard]] Json read_json_file(const std::string& path);

/// Writes it whole or not at all, over what is there.   throws DataError
void write_json_file(const std::string& path, const Json& json);

}  // namespace reber::gui
