// SPDX-License-Identifier: BSD-3-Clause
// Numbers for each of several files, from a text file.
#pragma once

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

}  // namespace reber
