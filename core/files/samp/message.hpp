// SPDX-License-Identifier: BSD-3-Clause
// What a program is asked to load: the type of a message by what a file holds.
#pragma once

#include <map>
#include <string>

#include "core/files/samp/xml_rpc.hpp"

namespace reber::samp {

struct Message {
  std::string type;  ///< "image.load.fits", "table.load.fits", "table.load.votable" or "coverage.load.moc.fits"
  std::map<std::string, Value> parameters;  ///< url, name, and an id by which later messages could mean it
};

/// The message for a file, by its first bytes; the program that takes it reads the file itself.
///   throws DataError where it cannot be read, InputError where it is neither FITS nor a VOTable
[[nodiscard]] Message message_for(const std::string& path);

/// "file:///home/a%20b.fits"; the path is made absolute.
[[nodiscard]] std::string file_url(const std::string& path);

/// The path of such a URL; its host is this one.   throws InputError for any other
[[nodiscard]] std::string path_of(const std::string& url);

/// %41 becomes A.
[[nodiscard]] std::string unescaped(const std::string& text);

}  // namespace reber::samp
