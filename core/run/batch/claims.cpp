// SPDX-License-Identifier: BSD-3-Clause
// A lease first, then the records: what its last holder did is written by then.
#include "core/run/batch/claims.hpp"

#include <utility>

namespace reber {

Claims::Claims(LeaseFolder& folder, const std::vector<std::string>& images,
               std::function<std::vector<ImageRecord>()> news)
    : leases_(folder), news_(std::move(news)) {
  for (const std::string& image : images) ahead_.try_emplace(hash_of({image}));
}

Claims::Answer Claims::ask(const std::string& image, const std::function<bool(const ImageRecord&)>& holds,
                           ImageRecord& found) {
  const std::lock_guard lock(mutex_);
  const std::string key = hash_of({image});
  if (!leases_.take(key)) return Answer::held;
  for (ImageRecord& record : news_())
    if (const auto place = ahead_.find(hash_of({record.key()})); place != ahead_.end())
      place->second = std::move(record);
  const auto known = ahead_.extract(key);
  if (known.empty() || !known.mapped() || !holds(*known.mapped())) return Answer::taken;
  leases_.release(key);
  found = std::move(*known.mapped());
  return Answer::done;
}

void Claims::release(const std::string& image) {
  const std::lock_guard lock(mutex_);
  leases_.release(hash_of({image}));
}

void Claims::sweep() {
  const std::lock_guard lock(mutex_);
  leases_.sweep();
}

}  // namespace reber
