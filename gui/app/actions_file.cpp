// SPDX-License-Identifier: BSD-3-Clause
// Actions on files and documents.
#include <algorithm>

#include "gui/app/actions.hpp"
#include "gui/app/keep.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

void step_document(Context& c, std::int64_t step) {
  const auto count = static_cast<std::int64_t>(c.state.documents.size());
  c.state.active = (c.state.active + step + count) % count;
}

bool several_documents(const ViewerState& state) { return state.documents.size() > 1; }

bool is_cube(const ViewerState& state) {
  const Document* document = state.document();
  return document != nullptr && document->cube && !document->in_memory;
}

void step_plane(Context& c, std::int64_t step) {
  Document& document = *c.state.document();
  OpenOptions next = document.open;
  next.hdu = document.header->hdu;
  // From the plane that was asked for, which may be still on its way: a held key goes on.
  next.plane = document.cube->stepped(document.open.plane.value_or(document.header->plane), step);
  leave_polarised(document);
  c.shell.show_plane(document, next);
}

bool has_file(const ViewerState& state) { return has_document(state) && !state.document()->in_memory; }

Action send_action(const char* name, const char* title, const char* tooltip, SendWork::What what,
                   bool (*enabled)(const ViewerState&)) {
  return {name,
          title,
          "File/Send by SAMP",
          "",
          tooltip,
          enabled,
          [what](Context& c) { c.state.workbench->send.wanted = what; },
          {}};
}

void save_again(Context& c) {
  if (c.state.workbench->session_path.empty()) {
    set_open(c.state, "session", true);
  } else {
    save_session_as(c, c.state.workbench->session_path);
  }
}

}  // namespace

std::vector<Action> file_actions() {
  return {
      panel_action("open", "File"),
      {"file.reload",
       "Read the file again",
       "File",
       "Ctrl+r",
       "Reads the image from disk once more.",
       has_document,
       [](Context& c) { c.shell.reload(*c.state.document()); },
       {}},
      {"file.close",
       "Close",
       "File",
       "Ctrl+w",
       "Closes the image that is shown.",
       has_document,
       [](Context& c) { c.shell.close(c.state.document()->id); },
       {}},
      {"session.save",
       "Save the session",
       "File",
       "Ctrl+s",
       "Writes what is open, and how, into the session's file.",
       {},
       save_again,
       {}},
      panel_action("session", "File"),
      panel_action("export", "File"),
      panel_action("film", "File"),
      panel_action("sub_image", "File"),
      panel_action("exchange", "File"),
      {"sources.export",
       "Export the sources",
       "File",
       "Ctrl+Shift+e",
       "The rows that the table shows, in any format of catalogues.",
       has_sources,
       [](Context& c) {
         set_open(c.state, "sources", true);
         c.state.raised_panel = "sources";
         c.widgets.request("sources.export");
       },
       {}},
      send_action("samp.image", "The image", "Its file, to all programs that take images.", SendWork::What::image,
                  has_file),
      send_action("samp.table", "The table", "The rows shown, to all programs that take tables.", SendWork::What::table,
                  has_sources),
      panel_action("send", "File/Send by SAMP"),
      {"document.next",
       "Next image",
       "File",
       "Ctrl+Tab Ctrl+PageDown",
       "Shows the next open image.",
       several_documents,
       [](Context& c) { step_document(c, 1); },
       {}},
      {"document.previous",
       "Previous image",
       "File",
       "Ctrl+Shift+Tab Ctrl+PageUp",
       "Shows the open image before this one.",
       several_documents,
       [](Context& c) { step_document(c, -1); },
       {}},
      {"program.quit", "Quit", "File", "Ctrl+q", "Closes the viewer.", {}, [](Context& c) { c.state.quit = true; }, {}},
      {"plane.next",
       "Next plane",
       "Image/Cube",
       ". PageDown",
       "Shows the next plane of the cube.",
       is_cube,
       [](Context& c) { step_plane(c, 1); },
       {}},
      {"plane.previous",
       "Previous plane",
       "Image/Cube",
       ", PageUp",
       "Shows the plane before this one.",
       is_cube,
       [](Context& c) { step_plane(c, -1); },
       {}},
      {"plane.play", "Play planes", "Image/Cube", "Space", "Shows the planes one after the other.", is_cube,
       [](Context& c) { c.state.animate = !c.state.animate; }, [](const ViewerState& s) { return s.animate; }},
  };
}

}  // namespace reber::gui
