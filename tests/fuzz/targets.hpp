// SPDX-License-Identifier: BSD-3-Clause
// What the fuzzer feeds: one function per reader of bytes that others wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// Each reads the bytes as its reader would, and uses what it read. Errors of reber are right answers; any other
/// exception, a signal, a report of a sanitizer or a hang is a finding.
void header(Bytes bytes);      ///< FITS headers, and the pixels of plain images, gzip and bzip2 among them
void tiles(Bytes bytes);       ///< layouts, descriptors and streams of tile-compressed images
void sky(Bytes bytes);         ///< cards as a WCS and a beam
void beam_table(Bytes bytes);  ///< CASA's table of beams
void regions(Bytes bytes);     ///< DS9's and CASA's
void tables(Bytes bytes);      ///< catalogues as FITS or as text
void votable(Bytes bytes);
void toml(Bytes bytes);             ///< a file for --config
void session(Bytes bytes);          ///< of the viewer
void foreign(Bytes bytes);          ///< what a caged child tells of an image
void moc(Bytes bytes);              ///< coverage maps, as FITS and as text
void levels(Bytes bytes);           ///< of quality reports
void record(Bytes bytes);           ///< a line of a batch's records
void list(Bytes bytes);             ///< of images
void samp(Bytes bytes);             ///< answers of a hub, and its file
void browser_message(Bytes bytes);  ///< to the viewer

/// One input. What a reader may throw ends here.
template <class Feed>
void feed(Feed reader, Bytes bytes) {
  try {
    reader(bytes);
  } catch (const Error&) {
  }
}

/// A file that lies in memory.
class MemoryBytes final : public fits::ByteSource {
 public:
  explicit MemoryBytes(Bytes bytes) : bytes_(bytes) {}
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, void* out, std::int64_t count) const override {
    if (offset < 0 || count < 0 || offset > size() || count > size() - offset) throw DataError("the file ends there");
    if (count > 0) std::memcpy(out, bytes_.data() + offset, static_cast<std::size_t>(count));
  }
  [[nodiscard]] std::string reopen_path() const override { return {}; }

 private:
  Bytes bytes_;
};

/// The same under a name, which lives as long as this does.
class NamedBytes {
 public:
  explicit NamedBytes(Bytes bytes);
  ~NamedBytes();
  NamedBytes(const NamedBytes&) = delete;
  NamedBytes& operator=(const NamedBytes&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace reber::fuzz
