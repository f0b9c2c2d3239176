// SPDX-License-Identifier: BSD-3-Clause
// What is asked of the rows of the table.
#include "core/run/pipeline/product_table.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace reber {

const Product& product_of(std::string_view word) {
  const std::size_t at = product_index(word);
  if (at == kProducts.size()) throw InternalError(fmt::format("no product '{}'", word));
  return kProducts[at];
}

const Product* python_product(std::string_view name) {
  const auto found = std::ranges::find(kProducts, name, &Product::python);
  return name.empty() || found == kProducts.end() ? nullptr : &*found;
}

std::string unit_of(const Product& product, const ImageHeader& header) {
  switch (product.unit) {
    case Product::UnitOf::image:
      return header.unit.text;
    case Product::UnitOf::total:
      return header.unit.total_name();
    default:
      return "";
  }
}

std::string why_no_product(const Product& product, const Result& result) {
  if (!result.plane()) return "this run read no pixels";
  if (product.needs >= Product::Needs::background && result.background() == nullptr)
    return fmt::format("this run measured no background, so there is no map '{}'", product.word);
  if (product.kind == Product::Kind::labels && !result.islands()) return "this run looked for no islands";
  return "";
}

std::string products_document() {
  constexpr std::array kUnits{"the image's", "the total flux's", "", ""};
  std::string text =
      "# Products\n\nWhat a run can write or show. `reber run` writes those in bold where `--products` names none; "
      "`convolved` needs `--kernel`.\nWith `--no-compress` names end in `.fits` in place of `.fits.fz`. In Python a "
      "map "
      "is a member of `reber.Result`, and `write()`\ntakes its name.\n\n| `run --products` | file of run | option of "
      "`find` | in Python | layer | unit | what it is |\n|---|---|---|---|---|---|---|\n";
  const auto code = [](std::string_view word) { return word.empty() ? std::string() : fmt::format("`{}`", word); };
  for (const Product& row : kProducts)
    text +=
        fmt::format("| {} | `NAME{}` | {} | {} | {} | {} | {} |\n",
                    row.usual ? fmt::format("**{}**", row.word) : std::string(row.word), row.ending, code(row.option),
                    code(row.python), row.layer, kUnits[static_cast<std::size_t>(row.unit)], row.text);
  return text;
}

}  // namespace reber
