// SPDX-License-Identifier: BSD-3-Clause
// Text in, text out: numbers keep every digit, and memory one line.
#include "core/run/batch/join.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/line_reader.hpp"

namespace reber {
namespace {

/// In quotes, as the catalogues' own text; an apostrophe keeps a spreadsheet from running it.
std::string quoted(const std::string& text) {
  std::string cell = "\"";
  if (!text.empty() && std::string("=+-@").find(text.front()) != std::string::npos) cell += '\'';
  for (const char letter : printable(text)) cell += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return cell + '"';
}

/// "# frame: FK4 B1950" in a message; catalogues in ICRS and FK5 J2000 have none.
std::string describe(const std::string& frame) {
  return frame.empty() ? "; ICRS or FK5 J2000" : "; " + frame.substr(9, frame.size() - 10);
}

/// Text on its way to a file, in pieces that are worth a system call.
class Buffer {
 public:
  explicit Buffer(AtomicFile& file) : file_(file) {}
  void add(const std::string& text) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    text_ += text;
    if (text_.size() >= kPiece) flush();
  }
  void flush() {
    file_.write(text_);
    text_.clear();
  }

 private:
  AtomicFile& file_;
  std::string text_;
};

}  // namespace

std::int64_t join_catalogues(const std::function<std::optional<JoinPart>()>& next, const std::string& path,
                             bool overwrite) {
  AtomicFile file(path, overwrite);
  Buffer out(file);
  std::string columns, from, frame;
  std::int64_t rows = 0;
  while (const std::optional<JoinPart> part = next()) {
    const std::string name = printable(part->catalogue);
    LineReader in(part->catalogue);
    std::string line;
    if (!in.next(line)) throw DataError(fmt::format("cannot join '{}': it is empty", name));
    const std::string own = line.starts_with("# frame:") ? line + "\n" : "";
    if (!own.empty() && !in.next(line)) line.clear();
    if (from.empty()) {
      columns = line, from = part->catalogue, frame = own;
      out.add(fmt::format("{}File,{}\n", frame, columns));
    } else if (own != frame) {
      throw DataError(
          fmt::format("cannot join '{}' with '{}': the frames of their positions differ{}{}; give the images of each "
                      "frame a folder, and bring their tables together by reber match",
                      name, printable(from), describe(own), describe(frame)));
    } else if (line != columns) {
      throw DataError(fmt::format("cannot join '{}' with '{}': their columns differ", name, printable(from)));
    }
    const std::string cell = quoted(part->file) + ",";
    for (; in.next(line); ++rows) {
      out.add(cell);
      out.add(line + "\n");
    }
  }
  out.flush();
  file.commit();
  return rows;
}

}  // namespace reber
