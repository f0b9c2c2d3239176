// SPDX-License-Identifier: BSD-3-Clause
// The button of a panel that writes its table, and what stands in its popup.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/sky/model/catalogue.hpp"
#include "gui/ui/path_field.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

class TableExport {
 public:
  /// Draws the button "Export".   name: "sources", of its widgets and of the path that is proposed beside the image;
  /// rows: how many it writes;   make: the table
  void draw(Context& context, const std::string& name, const Document& document, std::int64_t rows,
            const std::function<Catalogue()>& make);

 private:
  std::string path_, error_;
  PathField field_;
  bool overwrite_ = false;
};

}  // namespace reber::gui
