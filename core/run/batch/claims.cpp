// SPDX-License-Identifier: BSD-3-Clause
// A lease first, then the records: what its last holder did is written by then.
#include "core/run/batch/claims.hpp"

#include <utility>

namespace reber {

Claims::Answer Claims::ask(const std::string& image, const std::function<bool(const ImageRecord&)>& holds,
                           ImageRecord& found) {
  const std::lock_guard lock(mutex_);
  const std::string key = hash_of({image});
  if (!leases_.take(key)) return Answer::held;
  for (ImageRecord& record : news_()) {
    std::string of = record.key();
    latest_.insert_or_assign(std::move(of), std::move(record));
  }
  const auto known = latest_.find(image);
  if (known == latest_.end() || !holds(known->second)) return Answer::taken;
  leases_.release(key);
  found = known->second;
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
