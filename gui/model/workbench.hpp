// SPDX-License-Identifier: BSD-3-Clause
// What the panels of proof, comparison, undo and session keep between frames.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/sky_list.hpp"
#include "core/studies/match.hpp"
#include "gui/model/file_identity.hpp"
#include "gui/model/image/pyramid.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/proof.hpp"
#include "gui/model/recovery.hpp"
#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/state.hpp"
#include "gui/model/undo.hpp"
#include "gui/model/workspace.hpp"

namespace reber::gui {

/// A catalogue read from a file, drawn over the image and matched with the sources.
struct OpenCatalogue {
  std::string path;
  std::shared_ptr<const Catalogue> catalogue;
  SkyList list;
  bool shown = true;
  int colour = 0;           ///< index of the overlay's colours
  MarkLook marks;           ///< by column
  std::int64_t focus = -1;  ///< row that was clicked
  // Positions on one image, kept until the image changes.
  std::shared_ptr<const ImageHeader> projected_on;
  std::vector<PixelPosition> pixels;  ///< NaN where it does not fall on the image's plane
};

/// Sources against one catalogue, or two catalogues against each other. Side -1: the sources of the shown image.
struct MatchWork {
  int a = -1, b = 0;
  double radius_arcsec = 0;  ///< 0: default_radius
  SkyList list_a, list_b;    ///< as matched
  MatchRadius radius;
  std::optional<MatchSummary> summary;
  std::string error;
  bool stale = true;  ///< match again, whatever the inputs
  std::vector<std::int64_t> only_a, only_b;
  int list_shown = 0;  ///< 0: pairs, 1: only a, 2: only b
};

struct ProofWork {
  std::unique_ptr<JobSlot<std::shared_ptr<const Proof>>> job;
  std::shared_ptr<const Proof> proof;
  std::string tested, oracle = "reference";
  std::int64_t document = -1;         ///< whose request was proved
  std::int64_t oracle_document = -1;  ///< the document that shows the oracle's maps
  bool asked = false;                 ///< a proof is under way
};

/// The way between two images' pixels.
struct KnownLock {
  std::shared_ptr<const ImageHeader> from, to;
  std::unique_ptr<SkyLock> lock;
  std::optional<GridFit> fit;  ///< once it was asked for
};

/// Another image as it looks on the shown one's grid: its layer, header, sources and regions, and no more of it. It is
/// none of the open documents.
struct LaidDocument {
  Document document;
  std::shared_ptr<const ImageHeader> of, onto;
  std::uint64_t edition = 0, table = 0;  ///< of the result, and of the table of its rows, whose ellipses it has
  std::optional<std::uint64_t> regions;  ///< DocumentInspect::version of those it has
};

/// Another image's layer, laid on the shown one's grid.
struct RegridWork {
  std::unique_ptr<JobSlot<std::shared_ptr<const Pyramid>>> job;
  std::shared_ptr<const Pyramid> pixels;
  std::uint64_t from = 0;                 ///< Pyramid::id() of the pixels that it is made of
  std::shared_ptr<const ImageHeader> to;  ///< the grid it is laid on
  bool stopped = false;                   ///< by hand
  /// What was compared then; off once nothing was. It begins again where this is another.
  Compare::Kind stopped_in = Compare::Kind::off;
  std::unique_ptr<LaidDocument> laid;  ///< of the first: what blink and split draw
};

/// What undo goes back to: parameters as JSON, regions, flags, edits of rows and fits by hand as text, so that states
/// compare by their letters, and how layers are shown.
struct UndoState {
  std::int64_t document = -1;
  std::string parameters, regions, flags, edits, fits;
  std::string told_in;                                        ///< unit of the values
  MarkLook marks;                                             ///< of the sources
  std::vector<std::pair<std::string, MarkLook>> catalogues;   ///< marks of the catalogues from files, by path
  std::vector<std::pair<LayerKind, RenderSettings>> display;  ///< of the layers whose limits are set
  friend bool operator==(const UndoState&, const UndoState&) = default;
};

/// A document's parameters as JSON, kept while they stay: writing them is work for every frame.
struct WrittenRequest {
  Request request;
  std::string text;  ///< empty: none was written yet
};

/// The tour: what its player (gui/script/tour.hpp) tells its panel, and what the panel asks of it.
struct TourWork {
  bool next = false;        ///< asked for: the next page at once
  int page = 0, pages = 0;  ///< 1 to pages while it runs; 0: it does not
  std::string title, text;  ///< of the page
  bool resting = false;     ///< the page is played, and stays to be read
};

/// What an action asks the panel that sends to do.
struct SendWork {
  enum class What { nothing, image, table } wanted = What::nothing;
};

struct Workbench {
  KnownFiles files;
  std::vector<std::unique_ptr<OpenCatalogue>> catalogues;
  MatchWork match;
  ProofWork proof;
  std::vector<KnownLock> locks;
  std::array<RegridWork, 3> regrids;                    ///< of the colours of three; of a difference the first
  std::map<std::int64_t, UndoHistory<UndoState>> undo;  ///< by document
  std::map<std::int64_t, WrittenRequest> written;       ///< by document, for undo
  std::unique_ptr<Recovery> recovery;                   ///< null where nothing is kept
  std::vector<LeftSession> left;                        ///< by viewers that ended without being closed
  TourWork tour;
  SendWork send;
  std::string session_path;  ///< of the last save or load
};

}  // namespace reber::gui
