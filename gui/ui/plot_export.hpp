// SPDX-License-Identifier: BSD-3-Clause
// The button of a plot that writes it: its numbers as a table, or a picture of it.
#pragma once

#include <functional>
#include <string>

#include "core/show/picture/panels.hpp"
#include "core/sky/model/catalogue.hpp"
#include "gui/ui/path_field.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

class PlotExport {
 public:
  /// Draws the button "Export".   name: "spectrum", of its widgets and of the path that is proposed beside the image;
  /// words: what it writes, a sentence;   table, plot: made once they are asked for
  void draw(Context& context, const std::string& name, const Document& document, const char* words,
            const std::function<Catalogue()>& table, const std::function<reber::Panel()>& plot);

 private:
  void write(Context& context, const std::string& name, const Document& document,
             const std::function<Catalogue()>& table, const std::function<reber::Panel()>& plot);

  std::string path_, error_;
  PathField field_;
  bool overwrite_ = false;
};

}  // namespace reber::gui
