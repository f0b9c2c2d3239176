// SPDX-License-Identifier: BSD-3-Clause
// Places of the sky of which the nearest is asked for, and which are struck off one by one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/progress.hpp"

namespace reber {

/// A direction as a unit vector.
using Direction = std::array<double, 3>;

/// |p - q|^2: precise for small distances, where the scalar product is not.
[[nodiscard]] inline double chord2(const Direction& p, const Direction& q) {
  const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  return x * x + y * y + z * z;
}

/// A k-d tree; rows of one place are one node of it, so that thousands of equal places cost no more than others.
class PlaceTree {
 public:
  /// Rows whose longitude or latitude (degrees) is not finite are left out.   throws Cancelled
  PlaceTree(const std::vector<double>& lon, const std::vector<double>& lat, const Progress& progress);

  struct Near {
    double chord2 = 0;
    std::int64_t row = 0;
  };
  /// Of the rows that are left the nearest within `limit` (as chord^2), and of equally near ones the first.
  [[nodiscard]] std::optional<Near> nearest(const Direction& from, double limit) const;
  void strike(std::int64_t row);
  /// All rows are there again.
  void restore();

  [[nodiscard]] const Direction& place(std::int64_t row) const {
    return nodes_[node_of_[static_cast<std::size_t>(row)]].place;
  }
  [[nodiscard]] bool has(std::int64_t row) const { return struck_[static_cast<std::size_t>(row)] == 0; }
  /// All rows with a place, those near each other on the sky near each other here.
  [[nodiscard]] const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  struct Node {
    Direction place{};
    std::size_t first = 0, last = 0;  ///< of rows_
    std::size_t next = 0;             ///< of rows_, the first that is left
    std::size_t left = 0;             ///< rows that are left below and here
  };
  struct Search;
  void build(std::size_t begin, std::size_t end, int depth, const Progress& progress);
  void count(std::size_t begin, std::size_t end);
  void look(std::size_t begin, std::size_t end, int depth, Search& search) const;

  std::vector<Node> nodes_;  ///< each range has its root in its middle
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> node_of_;  ///< by row
  std::vector<char> struck_;          ///< by row
};

}  // namespace reber
