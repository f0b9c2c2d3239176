// SPDX-License-Identifier: BSD-3-Clause
// Messages taken and given.
#include "gui/panels/samp_link.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/samp/message.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/source_tools.hpp"

namespace reber::gui {
namespace {

const std::vector<std::string>& types_taken() {
  static const std::vector<std::string> types{"image.load.fits", "table.load.votable", "table.load.fits",
                                              "coord.pointAt.sky", "table.highlight.row"};
  return types;
}

/// A finite number; throws where the text is none.
double number_of(const samp::Heard& heard, const char* key) {
  const std::string text = heard.text(key);
  double value = NAN;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
    throw InputError(fmt::format("{}: '{}' is no number for {}", heard.type, text.substr(0, 40), key));
  return value;
}

void look_at(Context& context, Document& document, PixelPosition at) {
  document.view.centre = at;
  context.state.cursor.crosshair = at;
}

void show_place(Context& context, const samp::Heard& heard) {
  Document* const document = context.state.document();
  const SkyPosition place{number_of(heard, "ra"), number_of(heard, "dec")};
  if (document == nullptr || !document->header) return;
  const SkyView sky(document->header->wcs, SkySystem{});
  const auto at = sky.celestial() && sky.shown() == SkySystem{} && std::abs(place.lat_deg) <= 90 ? sky.to_pixel(place)
                                                                                                 : std::nullopt;
  if (!at) throw InputError(fmt::format("RA {:.5f}, Dec {:.5f} is not on this image", place.lon_deg, place.lat_deg));
  look_at(context, *document, *at);
}

}  // namespace

void SampLink::join(Context& context) {
  if (!join_job_) join_job_ = std::make_unique<JobSlot<std::shared_ptr<samp::Member>>>(context.shell.wake());
  if (!tell_job_) tell_job_ = std::make_unique<JobSlot<bool>>(context.shell.wake());
  error_.clear();
  joining_ = true;
  join_job_->start([inbox = inbox_, wake = context.shell.wake()](const Progress&) {
    const auto heard = [inbox, wake](const samp::Heard& one) {
      constexpr std::size_t kMost = 100;
      {
        const std::lock_guard lock(inbox->mutex);
        if (inbox->heard.size() < kMost) inbox->heard.push_back(one);
      }
      wake();
    };
    return std::make_shared<samp::Member>(samp::find_hub(), "Reber", "The viewer of Reber", types_taken(), heard);
  });
}

void SampLink::update(Context& context) {
  if (joining_ && !join_job_->busy()) {
    joining_ = false;
    if (auto made = join_job_->take()) member_ = std::move(*made);
    if (!member_) error_ = join_job_->error();
  }
  std::vector<samp::Heard> heard;
  {
    const std::lock_guard lock(inbox_->mutex);
    heard.swap(inbox_->heard);
  }
  for (const samp::Heard& one : heard) {
    try {
      apply(context, one);
    } catch (const Error& failure) {
      context.state.say(std::string("SAMP: ") + failure.what(), true);
    }
  }
  if (member_ && context.state.document() != nullptr) tell_row(*context.state.document());
}

void SampLink::apply(Context& context, const samp::Heard& heard) {
  if (heard.type == "image.load.fits")
    context.shell.open(samp::path_of(heard.text("url")), {});
  else if (heard.type == "coord.pointAt.sky")
    show_place(context, heard);
  else if (heard.type == "table.highlight.row")
    show_row(context, heard);
  else if (heard.type.starts_with("table.load."))
    open_table(context, heard);
}

void SampLink::open_table(Context& context, const samp::Heard& heard) {
  const std::string path = samp::path_of(heard.text("url"));
  if (!open_catalogue_file(context.state, path)) return;
  for (const char* key : {"table-id", "url"})
    if (const std::string id = heard.text(key); !id.empty()) tables_[id] = path;
}

void SampLink::show_row(Context& context, const samp::Heard& heard) {
  const auto row = static_cast<std::int64_t>(number_of(heard, "row"));
  Document* const shown = context.state.document();
  for (const char* key : {"table-id", "url"}) {
    const std::string id = heard.text(key);
    if (const auto own = sent_.find(id); own != sent_.end()) {
      Document* const document = context.state.find(own->second.document);
      const bool there = row >= 0 && row < static_cast<std::int64_t>(own->second.rows.size());
      if (document == nullptr || !there || document->sources.edition != own->second.generation) return;
      const auto source = static_cast<std::int64_t>(own->second.rows[static_cast<std::size_t>(row)]);
      document->selection.select_only(source);
      told_ = document->selection.version;
      centre_on(*document, source);
      return;
    }
    const auto known = tables_.find(id);
    if (known == tables_.end() || shown == nullptr || !shown->header) continue;
    for (const auto& each : context.state.workbench->catalogues) {
      if (each->path != known->second || row < 0 || row >= each->list.rows) continue;
      each->focus = row;
      const PixelPosition at = project(*each, shown->header)[static_cast<std::size_t>(row)];
      if (std::isfinite(at.x) && std::isfinite(at.y)) look_at(context, *shown, at);
      return;
    }
  }
}

void SampLink::tell(const std::string& type, std::map<std::string, samp::Value> parameters) {
  tell_job_->start([member = member_, type, parameters = std::move(parameters)](const Progress&) {
    member->tell_all(type, parameters);
    return true;
  });
}

void SampLink::point(Context& context) {
  Document* const document = context.state.document();
  if (!member_ || document == nullptr || !document->header) return;
  PixelPosition at = context.state.cursor.crosshair.value_or(document->view.centre);
  const std::int64_t focus = document->selection.focus;
  if (document->result && focus >= 0 && focus < static_cast<std::int64_t>(document->shapes.size()))
    at = {document->shapes[static_cast<std::size_t>(focus)].x, document->shapes[static_cast<std::size_t>(focus)].y};
  const SkyView sky(document->header->wcs, SkySystem{});
  const auto place = sky.shown() == SkySystem{} ? sky.to_sky(at.x, at.y) : std::nullopt;
  if (!place) {
    context.state.say("That place has no position on the sky", true);
    return;
  }
  tell("coord.pointAt.sky",
       {{"ra", fmt::format("{:.9f}", place->lon_deg)}, {"dec", fmt::format("{:.9f}", place->lat_deg)}});
}

void SampLink::sent(const Document& document, const std::string& url) {
  sent_[url] = {document.id, document.sources.edition, document.sources.table.shown()};
  told_ = document.selection.version;
}

void SampLink::tell_row(const Document& document) {
  if (document.selection.version == told_ || document.selection.focus < 0) return;
  told_ = document.selection.version;
  for (const auto& [url, table] : sent_) {
    if (table.document != document.id || table.generation != document.sources.edition) continue;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      if (table.rows[i] == document.selection.focus)
        return tell("table.highlight.row", {{"table-id", url}, {"url", url}, {"row", std::to_string(i)}});
  }
}

}  // namespace reber::gui
