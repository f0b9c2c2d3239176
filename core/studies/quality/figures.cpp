// SPDX-License-Identifier: BSD-3-Clause
// Maps and plots.
#include "core/studies/quality/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/show/picture/panels.hpp"
#include "core/show/picture/picture.hpp"
#include "core/studies/quality/markup.hpp"

namespace reber {
namespace {

constexpr int kMapSide = 620;

std::vector<Panel> comparison_panels(const Comparison& one) {
  constexpr double kArcsec = 3600;
  const double reach = 1.05 * std::max(one.radius.deg * kArcsec, one.offset() + one.radius.deg * kArcsec / 2);
  Panel offsets;
  offsets.title = "Offsets, catalogue less image";
  offsets.x_label = "in longitude, arcsec";
  offsets.y_label = "in latitude, arcsec";
  offsets.x_range = offsets.y_range = std::pair(-reach, reach);
  offsets.x_lines = offsets.y_lines = {0};
  offsets.circle = one.radius.deg * kArcsec;
  PanelSeries pairs{"", one.summary.values.d_lon, one.summary.values.d_lat, {}, {}, false, true, false};
  for (double& value : pairs.x) value += one.shift_lon;
  for (double& value : pairs.y) value += one.shift_lat;
  offsets.series = {std::move(pairs), {"median", {one.d_lon}, {one.d_lat}, {}, {}, false, true, true}};
  std::vector<Panel> panels{std::move(offsets)};
  if (one.flux.count == 0) return panels;
  const double room = std::clamp(5 * one.flux.scatter, 0.05, 1.0);
  panels.push_back(along_snr("Flux, image over catalogue", "image / catalogue", one.ratio_snr, one.ratio, 1,
                             {std::min(0.9, one.flux.median - room), std::max(1.1, one.flux.median + room)}));
  return panels;
}

class Drawer {
 public:
  Drawer(const Quality& quality, const Result& result, const Progress& progress)
      : quality_(quality), result_(result), progress_(progress) {}

  std::vector<Figure> draw();

 private:
  void map(MapKind kind);
  void plot(const char* section, Panel panel, const std::string& caption, const std::string& alt);
  void histogram();
  void symmetry();
  void depth();
  void completeness();
  void counts();
  void comparison(const Comparison& one);

  const Quality& quality_;
  const Result& result_;
  const Progress& progress_;
  std::vector<Figure> figures_;
};

void Drawer::map(MapKind kind) {
  const ImageHeader& header = result_.header();
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    progress_.check();
    result_.backend->render_rows(kind, *result_.plane(), kind == MapKind::image ? nullptr : result_.background(), y0,
                                 ny, out, progress_);
  };
  PictureOptions options;
  options.max_side_px = kMapSide;
  options.progress = progress_;
  ImageHeader shown = header;
  shown.beam = result_.beam();
  const FieldNumbers& field = quality_.field;
  const double unit = header.unit.factor, rms = field.rms_median / unit;
  const auto [name, factor] = header.unit.readable(rms);
  Figure figure{"image", "", "", "", false};
  if (kind == MapKind::image) {
    if (rms > 0) options.low = -3 * rms, options.high = 100 * rms;
    const Catalogue sources = make_catalogue(quality_.sources, header, {});
    figure.uri =
        data_uri("image/png",
                 encoded(*draw_sky_picture("map.png", header.shape, rows, shown, &sources, options), {0, progress_}));
    figure.caption = "The image with its sources. Colours are linear near the noise and logarithmic above.";
    figure.alt = fmt::format("Map of the image, {} by {} pixels, with {} sources marked", header.shape.nx,
                             header.shape.ny, quality_.sources.size());
  } else {
    options.low = 0.8 * field.rms_low / unit, options.high = 1.1 * field.rms_high / unit;
    figure.uri =
        data_uri("image/png",
                 encoded(*draw_sky_picture("map.png", header.shape, rows, shown, nullptr, options), {0, progress_}));
    figure.caption = fmt::format("The noise that was measured: half of the area is below {:.4g} {}, 95 % below {:.4g}.",
                                 rms * factor, name, field.rms_high / unit * factor);
    figure.alt = "Map of the noise";
  }
  figures_.push_back(std::move(figure));
}

void Drawer::plot(const char* section, Panel panel, const std::string& caption, const std::string& alt) {
  figures_.push_back(
      {section, caption, alt, data_uri("image/svg+xml", encoded(*draw_panels("plot.svg", "", {panel}, 1))), true});
}

PanelSeries line_of(const char* name, std::size_t colour) {
  PanelSeries series;
  series.name = name;
  series.line = true;
  series.points = false;
  series.colour = colour;
  return series;
}

/// Steps of a histogram as one line; empty bins at `floor`.
void add_step(PanelSeries& series, double low, double high, double value) {
  for (const double x : {low, high}) series.x.push_back(x), series.y.push_back(value);
}

void Drawer::histogram() {
  const SnrHistogram& histogram = quality_.field.histogram;
  Panel panel;
  panel.x_label = "(pixel - background) / noise";
  panel.y_label = "pixels";
  panel.log_y = true;
  PanelSeries seen = line_of("image", 0), mirrored = line_of("negative, mirrored", 1),
              normal = line_of("noise alone", 6);
  normal.dashed = true;
  constexpr double kFloor = 0.5;
  std::int64_t most = 1;
  const std::size_t n = SnrHistogram::kBins;
  const double total = static_cast<double>(quality_.field.known);
  for (std::size_t bin = 0; bin < n; ++bin) {
    const double low = SnrHistogram::kLow + static_cast<double>(bin) * SnrHistogram::kWidth,
                 high = low + SnrHistogram::kWidth;
    const std::int64_t count = histogram.counts[bin];
    most = std::max(most, count);
    add_step(seen, low, high, std::max(kFloor, static_cast<double>(count)));
    if (low < 0) add_step(mirrored, -low, -high, std::max(kFloor, static_cast<double>(count)));
    const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
    const double expected = total * (below(high) - below(low));
    normal.x.push_back(0.5 * (low + high));
    normal.y.push_back(expected > kFloor ? expected : std::nan(""));
  }
  std::ranges::reverse(mirrored.x), std::ranges::reverse(mirrored.y);
  panel.x_range = std::pair(SnrHistogram::kLow, 20.0);
  panel.y_range = std::pair(kFloor, 2.0 * static_cast<double>(most));
  panel.series = {seen, mirrored, normal};
  plot("noise", panel, "Pixels by their S/N, with the curve of noise alone and the negative half mirrored.",
       fmt::format("Histogram of the S/N of {} pixels beside a normal distribution", quality_.field.known));
}

/// How many sources are brighter, in the image and in the negative image.
void Drawer::symmetry() {
  Panel panel;
  panel.x_label = "S/N";
  panel.y_label = "sources above it";
  panel.log_x = panel.log_y = true;
  const auto series = [](const char* name, const std::vector<Source>& sources, std::size_t colour) {
    PanelSeries line = line_of(name, colour);
    std::vector<double> snr;
    for (const Source& one : sources) snr.push_back(std::abs(one.snr));
    std::ranges::sort(snr);
    for (std::size_t i = 0; i < snr.size(); ++i)
      line.x.push_back(snr[i]), line.y.push_back(static_cast<double>(snr.size() - i));
    line.points = sources.size() < 30;
    return line;
  };
  panel.series = {series("image", quality_.sources, 0), series("negative image", quality_.negatives, 1)};
  plot("noise", panel, "Sources above an S/N, found in the image and in the negative image, where all are false.",
       fmt::format("{} sources of the image and {} of the negative image by S/N", quality_.sources.size(),
                   quality_.negatives.size()));
}

void Drawer::depth() {
  const std::vector<double>& noise = quality_.field.noise;
  const auto [name, factor] = result_.header().unit.readable(noise.back() / result_.header().unit.factor);
  const double scale = factor / result_.header().unit.factor;
  Panel panel;
  panel.x_label = name.empty() ? "noise" : "noise, " + name;
  panel.y_label = "part of the area";
  PanelSeries line = line_of("", 0);
  for (std::size_t k = 0; k < noise.size(); ++k) {
    line.x.push_back(noise[k] * scale);
    line.y.push_back((static_cast<double>(k) + 0.5) / static_cast<double>(noise.size()));
  }
  panel.series = {line};
  panel.y_range = std::pair(0.0, 1.0);
  plot("noise", panel, "Part of the area with less noise than this.", "Cumulative area against noise");
}

void Drawer::completeness() {
  for (Panel& panel : completeness_panels(*quality_.completeness)) {
    std::string title;
    std::swap(title, panel.title);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    plot("completeness", panel, title + ".", title + " against S/N");
  }
}

void Drawer::counts() {
  Panel panel;
  panel.x_label = "flux, Jy";
  panel.y_label = "S^{2.5} dN/dS, Jy^{1.5}/sr";
  panel.log_x = panel.log_y = true;
  PanelSeries raw = line_of("found", 1), corrected = line_of("corrected", 0), model = line_of("Hopkins et al. 2003", 6);
  raw.points = corrected.points = true;
  corrected.line = false;
  const double hz = result_.header().wcs.frequency_hz(), scale = std::pow(1.4e9 / hz, -0.8);
  for (const CountBin& bin : quality_.counts.bins) {
    const double flux = std::sqrt(bin.low * bin.high);
    raw.x.push_back(flux), raw.y.push_back(bin.raw > 0 ? bin.raw : std::nan(""));
    corrected.x.push_back(flux), corrected.y.push_back(bin.euclidean > 0 ? bin.euclidean : std::nan(""));
    corrected.low.push_back(std::max(bin.euclidean - bin.e_euclidean, bin.euclidean / 100));
    corrected.high.push_back(bin.euclidean + bin.e_euclidean);
    model.x.push_back(flux), model.y.push_back(hopkins_counts(flux * scale) / std::pow(scale, 1.5));
  }
  panel.series = {raw, corrected};
  if (std::isfinite(hz)) panel.series.push_back(model);
  plot("counts", panel,
       "Euclidean counts, as found and corrected, with those of Hopkins et al. (2003) at this frequency.",
       fmt::format("Source counts in {} bins", quality_.counts.bins.size()));
}

void Drawer::comparison(const Comparison& one) {
  const std::string section = "against";
  for (Panel& panel : comparison_panels(one)) {
    std::string title;
    std::swap(title, panel.title);
    figures_.push_back({section + "/" + one.name, title, title + " of the pairs with " + one.name,
                        data_uri("image/svg+xml", encoded(*draw_panels("plot.svg", "", {panel}, 1))), true});
  }
}

std::vector<Figure> Drawer::draw() {
  map(MapKind::image);
  if (quality_.field.rms_median > 0) {
    map(MapKind::rms);
    histogram();
    depth();
  }
  if (!quality_.sources.empty()) symmetry();
  if (quality_.completeness) completeness();
  if (!quality_.counts.bins.empty()) counts();
  for (const Comparison& one : quality_.against)
    if (one.failure.empty()) comparison(one);
  return std::move(figures_);
}

}  // namespace

std::vector<Figure> draw_figures(const Quality& quality, const Result& result, const Progress& progress,
                                 std::string& missing) {
  try {
    (void)drawing();
  } catch (const InputError& error) {
    missing = error.what();
    return {};
  }
  return Drawer(quality, result, progress).draw();
}

}  // namespace reber
