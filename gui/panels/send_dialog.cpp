// SPDX-License-Identifier: BSD-3-Clause
// Dialog: the image's file or the table's rows into programs that run beside the viewer, by SAMP. Jobs ask and send, so
// that no frame waits for the hub.
#include <fmt/format.h>
#include <imgui.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/samp/send.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/model/workbench.hpp"
#include "gui/panels/samp_link.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

using What = SendWork::What;

/// Names of the programs that joined the hub, by what they take.
struct Programs {
  std::vector<std::string> images, tables;
};

samp::HubConnection join_hub() { return {samp::find_hub(), "Reber", "The viewer of Reber"}; }

Programs ask_programs() {
  const samp::HubConnection hub = join_hub();
  Programs programs;
  for (const samp::Client& each : hub.clients_for("image.load.fits")) programs.images.push_back(each.name);
  for (const samp::Client& each : hub.clients_for("table.load.votable")) programs.tables.push_back(each.name);
  return programs;
}

/// "sky.fits sent to TOPCAT, Aladin"
std::string send_file(const std::string& path, const std::string& to) {
  const samp::Message message = samp::message_for(path);
  std::string words = std::filesystem::path(path).filename().string() + " sent to ";
  bool first = true;
  for (const std::string& name : samp::send_message(join_hub(), message, path, to)) {
    words += (first ? "" : ", ") + name;
    first = false;
  }
  return words;
}

/// Tables on their way lie here, for this user alone, until the viewer ends: who is sent one reads it in its own time.
class SentTables {
 public:
  ~SentTables() {
    std::error_code error;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  }
  /// throws DataError
  std::string path_for(const Document& document) {
    if (folder_.empty()) {
      std::string name = (std::filesystem::temp_directory_path() / "reber-send-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) throw DataError(fmt::format("{}: no folder can be made there", name));
      folder_ = name;
    }
    return (std::filesystem::path(folder_) / std::filesystem::path(document.path).stem()).string() + "_sources.vot";
  }

 private:
  std::string folder_;
};

class SendDialog final : public Panel {
 public:
  void draw(Context& context) override;
  void update(Context& context) override;
  [[nodiscard]] bool busy() const override {
    return (programs_job_ && programs_job_->busy()) || sending_ || link_.busy();
  }

 private:
  void look(Context& context);
  void send(Context& context, Document& document, What what);
  void draw_programs(Context& context);
  void draw_link(Context& context);

  SampLink link_;
  std::string to_, error_;  ///< empty `to_`: all
  std::optional<Programs> programs_;
  SentTables tables_;
  bool sending_ = false;
  std::unique_ptr<JobSlot<Programs>> programs_job_;
  std::unique_ptr<JobSlot<std::string>> send_job_;
};

/// "TOPCAT (tables), Aladin (images, tables)": what the list of programs shows.
std::string takes(const Programs& programs, const std::string& name) {
  const bool images = std::ranges::count(programs.images, name) > 0,
             tables = std::ranges::count(programs.tables, name) > 0;
  return images && tables ? "images and tables" : images ? "images" : "tables";
}

std::vector<std::string> names_of(const Programs& programs) {
  std::vector<std::string> names = programs.images;
  for (const std::string& name : programs.tables)
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  return names;
}

}  // namespace

void SendDialog::look(Context& context) {
  programs_.reset();
  error_.clear();
  if (!programs_job_) programs_job_ = std::make_unique<JobSlot<Programs>>(context.shell.wake());
  programs_job_->start([](const Progress&) { return ask_programs(); });
}

void SendDialog::send(Context& context, Document& document, What what) {
  error_.clear();
  if (!send_job_) send_job_ = std::make_unique<JobSlot<std::string>>(context.shell.wake());
  if (what == What::image) {
    send_job_->start([path = document.path, to = to_](const Progress&) { return send_file(path, to); });
  } else {
    follow_result(document);
    try {
      link_.sent(document, samp::file_url(tables_.path_for(document)));
      send_job_->start(
          [path = tables_.path_for(document), rows = rows_to_write(document.sources), to = to_](const Progress&) {
            write_catalogue(rows, path, true);
            return send_file(path, to);
          });
    } catch (const Error& failure) {
      error_ = failure.what();
      set_open(context.state, "send", true);
      return;
    }
  }
  sending_ = true;
}

void SendDialog::update(Context& context) {
  link_.update(context);
  if (programs_job_ && !programs_job_->busy()) {
    if (auto found = programs_job_->take()) {
      programs_ = std::move(found);
      const std::vector<std::string> names = names_of(*programs_);
      if (std::ranges::count(names, to_) == 0) to_.clear();
    } else if (!programs_ && error_.empty()) {
      error_ = programs_job_->error();
    }
  }
  if (sending_ && !send_job_->busy()) {
    sending_ = false;
    if (const std::optional<std::string> words = send_job_->take()) {
      context.state.say(*words);
      set_open(context.state, "send", false);
    } else {
      error_ = send_job_->error();
      set_open(context.state, "send", true);
    }
  }
  const What wanted = std::exchange(context.state.workbench->send.wanted, What::nothing);
  Document* document = context.state.document();
  if (wanted == What::nothing || document == nullptr) return;
  to_.clear();
  send(context, *document, wanted);
}

void SendDialog::draw_programs(Context& context) {
  label("To");
  ImGui::SetNextItemWidth(-6 * ImGui::GetFontSize());
  const bool open = ImGui::BeginCombo("##to", to_.empty() ? "all that take it" : to_.c_str());
  context.widgets.item("send.to");
  if (open) {
    if (ImGui::Selectable("all that take it", to_.empty())) to_.clear();
    context.widgets.item("send.to.all");
    if (programs_)
      for (const std::string& name : names_of(*programs_)) {
        if (ImGui::Selectable(fmt::format("{}  ({})", name, takes(*programs_, name)).c_str(), name == to_)) to_ = name;
        context.widgets.item("send.to." + name);
      }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button("Look again")) look(context);
  context.widgets.item("send.look");
}

/// Whether others may ask for something to be shown here.
void SendDialog::draw_link(Context& context) {
  bool on = link_.joined() || link_.busy();
  if (ImGui::Checkbox("Show what others send", &on)) {
    if (on)
      link_.join(context);
    else
      link_.leave();
  }
  context.widgets.item("send.join");
  tip("Images and tables that programs send are opened here, and the places and rows that they point to are shown.");
  ImGui::SameLine();
  ImGui::BeginDisabled(!link_.joined());
  if (ImGui::Button("Point them here")) link_.point(context);
  context.widgets.item("send.point");
  ImGui::EndDisabled();
  tip("Others show the source looked at, else the crosshair's place or the middle of the view. They follow the rows of "
      "a "
      "table that was sent by themselves.");
  complain(link_.error());
}

void SendDialog::draw(Context& context) {
  Document& document = *context.state.document();
  if (ImGui::IsWindowAppearing() && error_.empty()) look(context);
  draw_programs(context);
  if (programs_ && names_of(*programs_).empty())
    ImGui::TextWrapped("A SAMP hub runs, but no program that takes images or tables has joined it.");
  const bool table = document.result && document.result->request.detect && !document.result->sources.empty();
  ImGui::BeginDisabled(sending_ || document.in_memory);
  if (ImGui::Button("Send the image")) send(context, document, What::image);
  context.widgets.item("send.image");
  ImGui::EndDisabled();
  tip(document.in_memory ? "It was computed here and has no file."
                         : "Its file, as it stands on the disk: " + document.path);
  ImGui::SameLine();
  ImGui::BeginDisabled(sending_ || !table);
  if (ImGui::Button("Send the table")) send(context, document, What::table);
  context.widgets.item("send.table");
  ImGui::EndDisabled();
  tip(table ? "The rows that the table shows, in its order, all columns." : "No sources yet.");
  if (sending_ || (programs_job_ && programs_job_->busy())) {
    ImGui::SameLine();
    ImGui::TextDisabled(sending_ ? "Sending ..." : "Looking for programs ...");
  }
  draw_link(context);
  complain(error_);
  if (!error_.empty()) context.widgets.item("send.error");
}

std::unique_ptr<Panel> make_send_dialog() { return std::make_unique<SendDialog>(); }

}  // namespace reber::gui
