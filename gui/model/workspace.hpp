// SPDX-License-Identifier: BSD-3-Clause
// A session: all that the viewer needs to stand again as it stood. docs/viewer-inside.md describes the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/cube/cube_view.hpp"
#include "gui/model/file_identity.hpp"
#include "gui/model/image/contours.hpp"
#include "gui/model/image/render_settings.hpp"
#include "gui/model/json_object.hpp"
#include "gui/model/sky/view_transform.hpp"
#include "gui/model/tables/mark_look.hpp"
#include "gui/model/tables/source_edits.hpp"

namespace reber::gui {

/// How one image is looked at.
struct SavedView {
  std::string layer;  ///< the one shown, by its name
  ViewTransform transform;
  RenderSettings render;  ///< of that layer
  bool fitted = false;    ///< the transform means something; false: the whole image

  friend bool operator==(const SavedView&, const SavedView&) = default;
};

struct SavedTable {
  std::string filter, sort_column;
  bool descending = false;
  std::vector<std::string> columns;    ///< those shown; empty: all
  std::vector<std::int64_t> selected;  ///< Source_id
  std::vector<std::int64_t> flagged;
  std::vector<RowMark> edits;
  std::vector<HandFit> hand_fits;
  MarkLook marks;

  friend bool operator==(const SavedTable&, const SavedTable&) = default;
};

struct SavedImage {
  FileIdentity file;
  int hdu = -1;             ///< -1: the first with an image
  std::int64_t plane = -1;  ///< -1: not chosen
  LinearPolarisation linear = LinearPolarisation::off;
  SavedView view;
  std::string told_in;               ///< unit of the values; empty: the file's
  bool extended = false;             ///< structures are looked for
  bool ran = false;                  ///< there was a result: the pipeline runs again when the session is opened
  Json parameters = Json::object();  ///< as request_json
  SavedTable table;
  std::vector<std::string> regions;  ///< lines of a DS9 region file
  std::vector<std::pair<std::string, ViewTransform>> bookmarks;

  friend bool operator==(const SavedImage&, const SavedImage&) = default;
};

struct SavedCompare {
  std::string kind = "off";
  std::int64_t other = -1;  ///< index of the image; -1: the shown one itself
  std::string layer;
  std::optional<RenderSettings> look;  ///< of a difference or a ratio that is shown
  std::vector<std::int64_t> rgb;       ///< indices of the images in red, green and blue; -1: none

  friend bool operator==(const SavedCompare&, const SavedCompare&) = default;
};

struct Workspace {
  std::vector<SavedImage> images;
  std::int64_t shown = 0;                 ///< index of the image that is looked at
  std::vector<FileIdentity> catalogues;   ///< read from files and drawn over the image
  std::vector<MarkLook> catalogue_marks;  ///< of each
  std::string backend;
  SavedCompare compare;
  std::map<std::string, bool> panels, overlays;
  std::map<std::string, double> sizes;  ///< of splitters, pixels at scale 1
  ContourLevels contours;
  std::int64_t contours_of = -1;  ///< index of the image; -1: the shown one

  friend bool operator==(const Workspace&, const Workspace&) = default;
};

[[nodiscard]] Json to_json(const Workspace& session);
/// throws InputError: what is wrong, where in the file; a file of a later major version is refused
[[nodiscard]] Workspace session_from_json(const Json& json, const std::string& file);

/// Whole or not at all.   throws DataError
void save_session(const std::string& path, const Workspace& session);
/// The file is never touched.   throws DataError, InputError
[[nodiscard]] Workspace load_session(const std::string& path);

/// Files of the session that are gone or changed, one sentence each.
[[nodiscard]] std::vector<std::string> file_warnings(const Workspace& session);

/// Keeps copies of the session while the viewer runs: path.1 is the newest, path.2 and path.3 those before, so that a
/// crash while a bad state is saved loses nothing.
class Autosave {
 public:
  /// An empty path keeps nothing.
  explicit Autosave(std::string path, double every_seconds = 30) : path_(std::move(path)), every_(every_seconds) {}

  [[nodiscard]] bool due(double seconds) const { return !written_at_ || seconds - *written_at_ >= every_; }
  /// Writes where the session differs from the one written last and the time has come; true where it wrote.
  ///   throws DataError
  bool offer(const Workspace& session, double seconds);
  /// Writes whatever the time, where the session differs.   throws DataError
  bool write(const Workspace& session, double seconds);
  /// The newest copy that can be read. Damaged ones are left where they are and named in `problems`.
  [[nodiscard]] std::optional<Workspace> newest(std::vector<std::string>& problems) const;
  /// After an orderly end there is nothing to restore.
  void remove();

  static constexpr int kCopies = 3;
  [[nodiscard]] static std::string copy_path(const std::string& path, int number) {
    return path + "." + std::to_string(number);
  }

 private:
  [[nodiscard]] std::string copy_path(int number) const { return copy_path(path_, number); }
  std::string path_;
  double every_;
  std::optional<double> written_at_;
  std::string written_;
};

}  // namespace reber::gui
