// SPDX-License-Identifier: BSD-3-Clause
// Runs the operations of the benchmark, times them and compares their results.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/bench_cases.hpp"
#include "core/base/progress.hpp"
#include "core/base/thread_pool.hpp"

namespace reber::app {

/// How often an operation is repeated: until `repeats`, or until `seconds` have gone but not before `least`.
struct BenchPace {
  int repeats = 15, least = 3;
  double seconds = 1;
  int transfers = 3;      ///< runs from the host and back
  bool thorough = false;  ///< warm runs and transfers of machines after the first as well
};

/// Times cases on sessions. The first session's results are the ones that the others' are held against, except that
/// the cpu's are compared with the reference's where both are there.
class BenchRunner {
 public:
  /// sessions, progress: must outlive this. pace: of a session by its backend's name
  BenchRunner(std::vector<std::unique_ptr<BenchSession>>& sessions, Shape shape,
              std::function<BenchPace(const std::string&)> pace, const Progress& progress);

  /// One row per session.   load: the case that makes the plane, for runs with transfers
  std::vector<BenchRow> run(const BenchCase& one, const BenchCase& load);
  /// Median with flushed caches, nothing else.
  BenchRow run_alone(const BenchCase& one, BenchSession& session);

 private:
  /// The row that body fills; where it fails, one that says why and does not agree, so that the others still run.
  BenchRow guarded(const BenchCase& one, BenchSession& session, const std::function<void(BenchRow&)>& body);
  bool start(const BenchCase& one, BenchSession& session, BenchRow& row);
  void time(const BenchCase& one, const BenchCase& load, BenchSession& session, BenchRow& row);
  void time_flushed(const BenchCase& one, BenchSession& session, BenchRow& row);
  void time_warm(const BenchCase& one, BenchSession& session, BenchRow& row);
  void time_transfers(const BenchCase& one, const BenchCase& load, BenchSession& session, BenchRow& row);
  void compare(const BenchCase& one, BenchSession& a, BenchSession& b, BenchRow& row);
  double compare_rows(const BenchCase& one, BenchSession& a, BenchSession& b);
  void add_values(const BenchCase& one, BenchSession& session, BenchRow& row);
  /// Repeats `body`, which gives ms, at the pace of the session.
  std::vector<double> repeat(const BenchSession& session, const std::function<double()>& body);

  std::vector<std::unique_ptr<BenchSession>>& sessions_;
  Shape shape_;
  std::function<BenchPace(const std::string&)> pace_;
  const Progress& progress_;
  ThreadPool threads_;
  std::vector<float> host_;  ///< a whole result, its pages touched
};

/// Rates of before and after, the better of each, and by how much they differ.
void measure_limits(BenchSession& session, Shape shape, BenchMachine& machine);

}  // namespace reber::app
