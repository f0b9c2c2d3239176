// SPDX-License-Identifier: BSD-3-Clause
// What other programs of a SAMP hub ask the viewer to show, and what it points them to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/files/samp/member.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Joined to the hub from join() to leave(): images and tables that others send are opened, their places and rows
/// shown. Jobs speak to the hub, so that no frame waits for it.
class SampLink {
 public:
  void join(Context& context);
  void leave() { member_.reset(); }
  [[nodiscard]] bool joined() const { return member_ != nullptr; }
  [[nodiscard]] bool busy() const { return joining_; }
  [[nodiscard]] const std::string& error() const { return error_; }

  /// Once a frame: does what was asked for, and tells the others which row of a sent table is looked at.
  void update(Context& context);
  /// Asks all others to show the source looked at, the crosshair's place or the middle of the view.
  void point(Context& context);
  /// A table that others were sent: rows of the document's sources, in its order.
  void sent(const Document& document, const std::string& url);

 private:
  struct Inbox {
    std::mutex mutex;
    std::vector<samp::Heard> heard;
  };
  struct Sent {
    std::int64_t document = -1;
    std::uint64_t generation = 0;
    std::vector<std::uint32_t> rows;
  };
  void apply(Context& context, const samp::Heard& heard);
  void open_table(Context& context, const samp::Heard& heard);
  void show_row(Context& context, const samp::Heard& heard);
  void tell(const std::string& type, std::map<std::string, samp::Value> parameters);
  void tell_row(const Document& document);

  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::shared_ptr<samp::Member> member_;
  std::unique_ptr<JobSlot<std::shared_ptr<samp::Member>>> join_job_;
  std::unique_ptr<JobSlot<bool>> tell_job_;
  bool joining_ = false;
  std::string error_;
  std::map<std::string, std::string> tables_;  ///< paths of those that were received, by their ids and URLs
  std::map<std::string, Sent> sent_;           ///< by URL
  std::uint64_t told_ = 0;                     ///< Selection::version
};

}  // namespace reber::gui
