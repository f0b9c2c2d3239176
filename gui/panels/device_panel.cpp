// SPDX-License-Identifier: BSD-3-Clause
// The graphics card: name, memory, utilisation, temperature, clocks; and what the last run cost on which device.
#include <fmt/format.h>
#include <imgui.h>

#include "core/base/device_monitor.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr double kEverySeconds = 1;

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(value.c_str());
}

void bar(const char* name, double part, const std::string& text) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::ProgressBar(static_cast<float>(part), {-1, 0}, text.c_str());
}

std::string with_unit(const std::optional<int>& value, const char* unit) {
  return value ? fmt::format("{} {}", *value, unit) : "not told";
}

void draw_card(const DeviceReading& card) {
  ImGui::TextUnformatted(card.name.empty() ? "NVIDIA card" : card.name.c_str());
  if (!ImGui::BeginTable("##card", 2, ImGuiTableFlags_SizingStretchProp)) return;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (card.memory_used_bytes && card.memory_total_bytes && *card.memory_total_bytes > 0) {
    const double used = static_cast<double>(*card.memory_used_bytes),
                 total = static_cast<double>(*card.memory_total_bytes);
    bar("Memory", used / total, fmt::format("{:.1f} of {:.1f} GiB", used / kGiB, total / kGiB));
  }
  if (card.busy_percent) bar("Busy", 0.01 * *card.busy_percent, fmt::format("{} %", *card.busy_percent));
  if (card.memory_busy_percent)
    bar("Memory busy", 0.01 * *card.memory_busy_percent, fmt::format("{} %", *card.memory_busy_percent));
  row("Temperature", with_unit(card.temperature_c,
                               "\xC2\xB0"
                               "C"));
  row("Clock", card.clock_mhz && card.clock_max_mhz ? fmt::format("{} of {} MHz", *card.clock_mhz, *card.clock_max_mhz)
                                                    : with_unit(card.clock_mhz, "MHz"));
  row("Memory clock", with_unit(card.memory_clock_mhz, "MHz"));
  row("Power", card.power_w ? fmt::format("{:.0f} W", *card.power_w) : "not told");
  row("Driver", card.driver.empty() ? "not told" : card.driver);
  ImGui::EndTable();
}

void draw_backend(Context& context) {
  const Document* document = context.state.document();
  ImGui::SetNextItemWidth(9 * ImGui::GetFontSize());
  if (ImGui::BeginCombo("Backend", context.shell.backend().c_str())) {
    for (const std::string& name : context.shell.backends())
      if (ImGui::Selectable(name.c_str(), name == context.shell.backend())) context.shell.use_backend(name);
    ImGui::EndCombo();
  }
  context.widgets.item("device.backend");
  if (!context.state.card_failure.empty()) {
    complain("The card failed: " + context.state.card_failure);
    if (ImGui::Button("Try the card again")) context.shell.take_card_back();
    context.widgets.item("device.again");
    tip(context.state.card_whole ? "It lacked memory, and is opened again."
                                 : "A card that failed is of no more use to this process: the viewer begins anew, with "
                                   "what is open.");
  }
  if (document != nullptr && document->result)
    ImGui::TextWrapped("Last run on %s: %s", document->result->report.backend.c_str(),
                       document->result->report.device.c_str());
  if (!context.state.texture_way.empty()) ImGui::TextWrapped("Textures: %s", context.state.texture_way.c_str());
}

class DevicePanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::unique_ptr<DeviceMonitor> monitor_;
  std::vector<DeviceReading> readings_;
  double read_at_ = -1e9;  ///< ViewerState::now
};

}  // namespace

void DevicePanel::draw(Context& context) {
  draw_backend(context);
  ImGui::Separator();
  if (!monitor_) monitor_ = std::make_unique<DeviceMonitor>();
  if (!monitor_->available()) {
    ImGui::TextWrapped("No readings of a graphics card: %s.", monitor_->why_not().c_str());
    return;
  }
  if (context.state.now - read_at_ >= kEverySeconds) {
    readings_ = monitor_->read();
    read_at_ = context.state.now;
  }
  for (const DeviceReading& card : readings_) draw_card(card);
}

std::unique_ptr<Panel> make_device_panel() { return std::make_unique<DevicePanel>(); }

}  // namespace reber::gui
