// SPDX-License-Identifier: BSD-3-Clause
// Which planes of a cube are meant: "all", "0:7", "3,8,20:24".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reber {

/// The planes that a list names, in ascending order, each once. Parts stand between commas: a plane as --plane takes
/// it, from 0; `a:b`, both ends included; `a:` to the last; `:b` from the first; `all`.   planes: that there are
///   name: of the option, for messages
///   throws InputError where a part is none of these or names a plane that is not there
[[nodiscard]] std::vector<std::int64_t> parse_planes(const std::string& text, std::int64_t planes,
                                                     const std::string& name = "--planes");

}  // namespace reber
