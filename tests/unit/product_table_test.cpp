// SPDX-License-Identifier: BSD-3-Clause
// The table of products: what its rows promise, and the document made of them.
#include "core/run/pipeline/product_table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/source_file.hpp"

namespace reber {
namespace {

TEST(ProductTable, NamesOneProductByEachWord) {
  for (const auto member :
       {&Product::word, &Product::ending, &Product::option, &Product::python, &Product::layer, &Product::text}) {
    std::set<std::string_view> seen;
    for (const Product& product : kProducts)
      EXPECT_TRUE((product.*member).empty() || seen.insert(product.*member).second) << product.*member;
  }
}

TEST(ProductTable, HasAMakerForEveryMap) {
  for (const Product& product : kProducts) {
    const bool map = product.kind == Product::Kind::map || product.kind == Product::Kind::nodes;
    EXPECT_EQ(map, product.make != nullptr) << product.word;
    EXPECT_FALSE(product.text.empty()) << product.word;
    EXPECT_TRUE(product.nodes.empty() || product_of(product.nodes).kind == Product::Kind::nodes) << product.word;
    EXPECT_TRUE(product.option.empty() || product.option.starts_with("--write-")) << product.word;
  }
}

TEST(ProductTable, TheDocumentIsMadeOfIt) {
  std::ifstream file(testing::source_file("docs/products.md"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), products_document()) << "write it anew: reber --list-products > docs/products.md";
}

}  // namespace
}  // namespace reber
