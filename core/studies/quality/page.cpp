// SPDX-License-Identifier: BSD-3-Clause
// The sections of the page, one table of them.
#include "core/studies/quality/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "core/base/printable.hpp"
#include "core/studies/quality/markup.hpp"
#include "core/studies/quality/page_style.hpp"
#include "core/studies/quality/words.hpp"

namespace reber {
namespace {

using Status = Metric::Status;

std::string class_of(Status status) {
  return status == Status::pass        ? "pass"
         : status == Status::uncertain ? "uncertain"
         : status == Status::fail      ? "fail"
                                       : "none";
}

/// Not by colour alone.
std::string mark_of(Status status) {
  return status == Status::pass        ? "\u2713 "
         : status == Status::uncertain ? "? "
         : status == Status::fail      ? "\u2717 "
                                       : "";
}

class Page {
 public:
  Page(const Quality& quality, const std::vector<Figure>& figures, const std::string& no_figures)
      : quality_(quality), figures_(figures), no_figures_(no_figures) {}
  std::string written();

 private:
  struct Section {
    std::string_view id, title;
    bool (*there)(const Quality&);
    void (Page::*write)();
  };
  static const std::array<Section, 8> kSections;

  void head();
  void figures(const std::string& section);
  void status(Status status, const std::string& after = {});
  void chain(const std::vector<HistoryStep>& steps);
  void metric_rows(const std::string& of);

  void image();
  void metrics();
  void noise();
  void completeness();
  void counts();
  void against();
  void sources();
  void card(const SourceCard& card);
  void history();

  [[nodiscard]] std::string title() const {
    const std::string name = std::filesystem::path(quality_.input).filename().string();
    return quality_.object.empty() ? name : quality_.object;
  }

  const Quality& quality_;
  const std::vector<Figure>& figures_;
  const std::string& no_figures_;
  Markup out_;
};

bool always(const Quality&) { return true; }

const std::array<Page::Section, 8> Page::kSections = {{
    {"image", "The image", always, &Page::image},
    {"metrics", "Metrics", always, &Page::metrics},
    {"noise", "Noise and its symmetry", [](const Quality& q) { return q.field.rms_median > 0; }, &Page::noise},
    {"completeness", "Completeness and reliability", always, &Page::completeness},
    {"counts", "Source counts", always, &Page::counts},
    {"against", "Astrometry and flux scale", always, &Page::against},
    {"sources", "Sources", [](const Quality& q) { return !q.cards.empty(); }, &Page::sources},
    {"history", "What was done", always, &Page::history},
}};

void Page::status(Status status, const std::string& after) {
  out_.leaf("span", mark_of(status) + std::string(word_of(status)) + after, {{"class", "status " + class_of(status)}});
}

void Page::head() {
  out_.open("header");
  out_.leaf("p", "Quality report", {{"class", "kicker"}}).leaf("h1", title());
  out_.leaf("p", std::filesystem::path(quality_.input).filename().string(), {{"class", "kicker"}});
  const auto failed = quality_.with(Status::fail).size(), doubtful = quality_.with(Status::uncertain).size();
  const Status worst = failed > 0 ? Status::fail : doubtful > 0 ? Status::uncertain : Status::pass;
  out_.leaf("p", verdict_of(quality_), {{"class", "verdict " + class_of(worst)}});
  out_.open("ul", {{"class", "tally"}});
  for (const Status one : {Status::pass, Status::uncertain, Status::fail, Status::told, Status::unmeasured}) {
    out_.open("li");
    status(one, fmt::format(": {}", quality_.with(one).size()));
    out_.close();
  }
  out_.close().close();
  out_.open("nav", {{"aria-label", "Sections"}}).open("ul");
  for (const Section& one : kSections)
    if (one.there(quality_))
      out_.open("li").leaf("a", std::string(one.title), {{"href", "#" + std::string(one.id)}}).close();
  out_.close().close();
}

void Page::figures(const std::string& section) {
  if (std::ranges::find(figures_, section, &Figure::section) == figures_.end()) return;
  out_.open("div", {{"class", "figures"}});
  for (const Figure& one : figures_) {
    if (one.section != section) continue;
    out_.open("figure", {{"class", one.plot ? "plot" : "map"}});
    out_.empty("img", {{"src", one.uri}, {"alt", one.alt}}).leaf("figcaption", one.caption).close();
  }
  out_.close();
}

void Page::metric_rows(const std::string& of) {
  for (const Metric& metric : quality_.metrics) {
    if (metric.of != of) continue;
    out_.open("tr").open("th", {{"scope", "row"}}).text(std::string(metric.row->title));
    out_.leaf("span", std::string(metric.row->text), {{"class", "how"}}).close();
    std::string value = value_words(metric, quality_);
    if (const std::size_t at = value.find("+-"); at != std::string::npos) value.replace(at, 2, "\u00b1");
    out_.leaf("td", value, {{"class", "number"}, {"data-label", "Value"}});
    const std::string level = level_words(metric, quality_);
    if (level.empty())
      out_.leaf("td", "");
    else
      out_.leaf("td", level, {{"data-label", "Passes"}});
    out_.open("td");
    status(metric.status);
    const std::string why = !metric.because_of.empty() ? "follows from: " + metric.because_of : metric.reason;
    if (!why.empty()) out_.leaf("span", why, {{"class", "because"}});
    out_.close().close();
  }
}

void Page::metrics() {
  out_.leaf("p", fmt::format("Judged by {}. {}", quality_.used.name,
                             quality_.used.errors > 0
                                 ? fmt::format("A value passes where it does so within {:g} of its own errors.",
                                               quality_.used.errors)
                                 : "Errors are not taken into account."));
  std::vector<std::string> sets{""};
  for (const Comparison& one : quality_.against) sets.push_back(one.name);
  for (const std::string& of : sets) {
    out_.open("table", {{"class", "metrics"}});
    out_.leaf("caption", of.empty() ? "Of the image" : "Against " + of);
    out_.open("thead").open("tr");
    for (const char* title : {"Metric", "Value", "Passes (uncertain)", "Status"})
      out_.leaf("th", title, {{"scope", "col"}});
    out_.close().close().open("tbody");
    metric_rows(of);
    out_.close().close();
  }
}

void Page::image() {
  out_.open("dl");
  for (const auto& [name, value] : quality_.facts) out_.leaf("dt", name).leaf("dd", value);
  out_.close();
  if (!no_figures_.empty()) out_.leaf("p", "There are no pictures: " + no_figures_);
  figures("image");
  if (quality_.warnings.empty()) return;
  out_.leaf("h3", "Warnings of the search").open("ul", {{"class", "warnings"}});
  for (const std::string& warning : quality_.warnings) out_.leaf("li", warning);
  out_.close();
}

void Page::noise() {
  out_.leaf("p",
            fmt::format("{} sources were found above {:.3g} times the noise, and {} in the negative image. The "
                        "strongest plane wave has an amplitude of {:.3g} times the noise, {:.3g} pixels from crest "
                        "to crest.",
                        quality_.sources.size(), quality_.threshold, quality_.negatives.size(), quality_.wave.amplitude,
                        quality_.wave.wavelength_px));
  figures("noise");
}

void Page::completeness() {
  if (!quality_.completeness) {
    out_.leaf("p", "Not measured: " + quality_.no_completeness + ".");
    return;
  }
  const CompletenessResult& made = *quality_.completeness;
  out_.leaf("p", fmt::format("{} sources of the beam's shape were put into {} in {} rounds and looked for again.",
                             made.injected, made.image_text, made.rounds));
  figures("completeness");
}

void Page::against() {
  if (quality_.against.empty())
    out_.leaf("p", "The image was held against no catalogue: reber report --against CATALOGUE does.");
  for (const Comparison& one : quality_.against) {
    out_.leaf("h3", one.name);
    if (!one.failure.empty()) {
      out_.leaf("p", "Not compared: " + one.failure + ".");
      continue;
    }
    out_.leaf("p", fmt::format("{} pairs within {:.3g}\" ({}), {:.1f} of them expected by chance. The catalogue lies "
                               "{:+.3g}\" in longitude and {:+.3g}\" in latitude from the image.",
                               one.summary.pairs.size(), one.radius.deg * 3600, one.radius.reason,
                               one.summary.expected_false, one.d_lon, one.d_lat));
    out_.leaf("p", "Columns: " + one.columns + ". Fluxes: " + one.flux_note + ".");
    figures("against/" + one.name);
  }
}

void Page::counts() {
  const SourceCounts& counts = quality_.counts;
  if (!counts.none.empty()) {
    out_.leaf("p", "Not counted: " + counts.none + ".");
    return;
  }
  out_.leaf("p",
            fmt::format("Fluxes are peaks of unresolved and totals of resolved sources, over {:.4g} square degrees. {}",
                        counts.area_sr * 3282.80635,
                        quality_.completeness
                            ? fmt::format("Corrected: what noise, blends and the threshold hide or move to another "
                                          "bin, by the injected sources and counts that fall as S^-{:.2f}; less the "
                                          "negative detections.",
                                          counts.slope)
                            : "Completeness was not measured: nothing is corrected but for negative detections."));
  figures("counts");
  out_.open("details").leaf("summary", "The counts as a table").open("table");
  out_.open("thead").open("tr");
  for (const char* title : {"Flux, Jy", "Found", "Negative", "Factor", "Corrected"})
    out_.leaf("th", title, {{"scope", "col"}});
  out_.close().close().open("tbody");
  for (const CountBin& bin : counts.bins) {
    out_.open("tr").leaf("th", fmt::format("{:.3g} to {:.3g}", bin.low, bin.high), {{"scope", "row"}});
    for (const std::string& cell :
         {fmt::format("{}", bin.found), fmt::format("{}", bin.negative), fmt::format("{:.3g}", bin.factor),
          fmt::format("{:.1f} +- {:.1f}", bin.number, bin.e_number)})
      out_.leaf("td", cell, {{"class", "number"}});
    out_.close();
  }
  out_.close().close().close();
}

void Page::card(const SourceCard& card) {
  out_.open("article").leaf("h4", card.title);
  if (!card.data_png.empty()) {
    out_.open("div", {{"class", "stamps"}});
    const auto stamp = [&](const char* name, const std::string& png) {
      out_.open("figure").empty(
          "img", {{"src", data_uri("image/png", png)}, {"alt", name + (" of the source at " + card.title)}});
      out_.leaf("figcaption", name).close();
    };
    stamp("Image", card.data_png), stamp("Model", card.model_png), stamp("Residual", card.residual_png);
    out_.close();
  }
  out_.open("ul");
  for (const std::string& line : card.lines) out_.leaf("li", line);
  for (const std::string& line : card.doubts) out_.open("li").leaf("strong", line).close();
  out_.close().open("details").leaf("summary", "How it was made");
  for (const AccountPart& part : card.account) {
    out_.open("p", {{"class", "how"}}).leaf("strong", part.title + ". ");
    for (const std::string& line : part.lines) out_.text(line + ". ");
    out_.close();
  }
  out_.close().close();
}

void Page::sources() {
  for (const bool doubtful : {false, true}) {
    if (std::ranges::find(quality_.cards, doubtful, &SourceCard::doubtful) == quality_.cards.end()) continue;
    out_.leaf("h3", doubtful ? "Doubtful ones" : "The brightest").open("div", {{"class", "cards"}});
    for (const SourceCard& one : quality_.cards)
      if (one.doubtful == doubtful) card(one);
    out_.close();
  }
  out_.leaf("p",
            "Image, model and residual have the same colours: linear near the noise, logarithmic above. Doubtful: "
            "with a flag that says that a number may be wrong, or a reliability below 0.9.",
            {{"class", "how"}});
}

void Page::chain(const std::vector<HistoryStep>& steps) {
  constexpr std::size_t kShown = 6;
  out_.open("ol", {{"class", "chain"}});
  for (const HistoryStep& step : steps) {
    out_.open("li");
    if (!step.title.empty() && step.lines.size() > 1) out_.leaf("strong", step.title);
    const auto lines = [&](std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k) out_.leaf("span", step.lines[k]);
    };
    lines(0, std::min(kShown, step.lines.size()));
    if (step.lines.size() > kShown) {
      out_.open("details").leaf("summary", fmt::format("{} more lines", step.lines.size() - kShown));
      lines(kShown, step.lines.size());
      out_.close();
    }
    out_.close();
  }
  out_.close();
}

void Page::history() {
  out_.leaf("h3", "The image, by its HISTORY");
  if (quality_.made.empty())
    out_.leaf("p", "The header has no HISTORY.");
  else
    chain(quality_.made);
  out_.leaf("h3", "The search for this report");
  chain(quality_.searched);
}

std::string Page::written() {
  out_.open("html", {{"lang", "en"}}).open("head");
  out_.empty("meta", {{"charset", "utf-8"}});
  out_.empty("meta", {{"name", "viewport"}, {"content", "width=device-width,initial-scale=1"}});
  out_.leaf("title", "Quality of " + title()).style(kPageStyle).close();
  out_.open("body");
  head();
  out_.open("main");
  for (const Section& one : kSections) {
    if (!one.there(quality_)) continue;
    out_.open("section", {{"id", std::string(one.id)}}).leaf("h2", std::string(one.title));
    (this->*one.write)();
    out_.close();
  }
  out_.close();
  out_.open("footer").leaf("p",
                           "Made by " + quality_.program + ". The same numbers are in the JSON file beside this page.");
  out_.close().close().close();
  return out_.finished("<!DOCTYPE html>");
}

}  // namespace

std::string page_of(const Quality& quality, const std::vector<Figure>& figures, const std::string& no_figures) {
  return Page(quality, figures, no_figures).written();
}

}  // namespace reber
