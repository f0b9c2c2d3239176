// SPDX-License-Identifier: BSD-3-Clause
// One page for the reports of many images: a table that sorts, and the images that stand out.
#pragma once

#include <string>
#include <vector>

#include "core/studies/quality/quality.hpp"

namespace reber {

/// What the index keeps of a report.
struct IndexEntry {
  struct Cell {
    const MetricRow* row = nullptr;
    std::string of, shown;
    double value = 0;
    Metric::Status status = Metric::Status::told;
  };
  std::string name, link;  ///< link: the report's page, beside the index; empty where there is none
  std::string verdict;     ///< or why there is no report
  std::vector<Cell> cells;
  bool failed = false;  ///< there is no report
};
[[nodiscard]] IndexEntry index_entry(const Quality& quality, const std::string& link);

/// Metrics in which an image stands out: of five images or more, those whose value lies more than 6 scatters (1.4826 x
/// median distance from the median) and a tenth of the median from the median.
[[nodiscard]] std::vector<std::string> what_stands_out(const IndexEntry& entry, const std::vector<IndexEntry>& all);

/// HTML without script: rows are sorted by the style sheet, by whichever column is chosen.
[[nodiscard]] std::string index_page(const std::vector<IndexEntry>& entries, const std::string& program);

}  // namespace reber
