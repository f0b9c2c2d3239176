// SPDX-License-Identifier: BSD-3-Clause
// Images of a batch that processes of one folder share: each is done by one of them.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/run/batch/leases.hpp"
#include "core/run/batch/record.hpp"

namespace reber {

/// From any thread.
class Claims {
 public:
  /// images: keys of those that are asked for, each until the answer is not `held`. news: records that were written
  /// since it was last asked, whoever wrote them
  Claims(LeaseFolder& folder, const std::vector<std::string>& images, std::function<std::vector<ImageRecord>()> news);

  enum class Answer { taken, held, done };
  /// taken: this process does the image, then writes its record, then calls release(). held: another process is at it.
  /// done: another process did it meanwhile, and `holds` is true of its record, which is left in `found`.
  ///   throws as the folder and `news`
  [[nodiscard]] Answer ask(const std::string& image, const std::function<bool(const ImageRecord&)>& holds,
                           ImageRecord& found);
  void release(const std::string& image);
  /// Leases of processes that are gone are taken away.
  void sweep();

 private:
  std::mutex mutex_;
  Leases leases_;
  std::function<std::vector<ImageRecord>()> news_;
  /// Of the images still to be asked for, by lease, the latest record of others: what is answered is forgotten, so that
  /// a long batch takes no more memory at its end.
  std::unordered_map<std::string, std::optional<ImageRecord>> ahead_;
};

}  // namespace reber
