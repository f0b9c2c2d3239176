// SPDX-License-Identifier: BSD-3-Clause
// Numbers for each of several files, from a text file.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace reber {

/// Lines of a name and `count` numbers; what follows a # is a comment. A name is a path as given, or a file's name with
/// or without its ending.
///   returns  the numbers of each file in turn; `otherwise` for a file that no line names
///   throws InputError for a line of another form, a name that is none of the files, or a file that two lines name;
///   DataError where it cannot be read
[[nodiscard]] std::vector<std::vector<double>> read_field_table(const std::string& path,
                                                                const std::vector<std::string>& files, int count,
                                                                double otherwise);

/// The same of words: those of each file in turn, none for a file that no line names.
///   check  of the words of a line: what is wrong with them, or nothing;   throws as read_field_table
[[nodiscard]] std::vector<std::vector<std::string>> read_field_words(
    const std::string& path, const std::vector<std::string>& files,
    const std::function<std::string(const std::vector<std::string>&)>& check);

/// A name in which % stands for a field's path without its ending, if it is in there.
[[nodiscard]] std::string name_of_pattern(const std::string& pattern, const std::string& field);

}  // namespace reber
