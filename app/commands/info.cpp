// SPDX-License-Identifier: BSD-3-Clause
// reber info: what a file holds, in words and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/decimals.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kArcsec = 3600;

struct InfoOptions {
  CommonOptions common;
  std::vector<std::string> files;
  bool header_only = false;
  bool cards = false;
};

struct Statistics {
  PlaneStatistics plain;
  ClipStatistics clip;
};

/// A cube without a chosen plane is shown by its first one.
ImagePlane open(const std::string& path, OpenOptions options, Terminal& terminal) {
  try {
    return ImagePlane::open(path, options, terminal.progress());
  } catch (const InputError& error) {
    if (options.plane) throw;
    options.plane = 0;
    ImagePlane image = ImagePlane::open(path, options, terminal.progress());
    terminal.message(fmt::format("{}: a cube; this is plane 0 (choose with --plane)", printable(path)));
    return image;
  }
}

Statistics measure(const ImagePlane& image, Backend& backend, Terminal& terminal) {
  TilingPlan tiling;
  tiling.band_rows = image.header().shape.ny;
  const auto pixels = image.pixels(terminal.progress());
  const auto plane = backend.load(*pixels, tiling, terminal.progress());
  return {backend.statistics(*plane), backend.clip(*plane, {})};
}

std::string axes_in_words(const std::vector<std::int64_t>& axes) {
  std::string text;
  for (const std::int64_t size : axes) text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
  return text.empty() ? "no pixels" : text;
}

/// Size and orientation of the pixel at the image's centre.
struct PixelScale {
  double x_arcsec, y_arcsec, rotation_deg;
};
std::optional<PixelScale> pixel_scale(const ImageHeader& header) {
  const auto m = header.centre_geometry();
  if (!m) return std::nullopt;
  // Column y of the matrix is one step up: its angle from north is the image's rotation, told to a microdegree.
  return PixelScale{std::hypot(m->a, m->c) * kArcsec, std::hypot(m->b, m->d) * kArcsec,
                    std::nearbyint(std::atan2(m->b, m->d) * 180 / M_PI * 1e6) * 1e-6};
}

std::string sexagesimal(const SkyPosition& sky, double pixel_arcsec) {
  const auto split = [](double value, int decimals) {
    const double unit = std::pow(10, decimals);
    const auto ticks = static_cast<std::int64_t>(std::llround(std::abs(value) * 3600 * unit));
    const auto per_second = static_cast<std::int64_t>(unit);
    const std::int64_t seconds = ticks / per_second;
    return fmt::format("{:02}:{:02}:{:02}.{:0{}}", seconds / 3600, seconds / 60 % 60, seconds % 60, ticks % per_second,
                       decimals);
  };
  return fmt::format("{} {}{}",
                     split(std::fmod(sky.lon_deg + 360, 360) / 15, std::min(11, decimals_for(pixel_arcsec / 15, 2))),
                     sky.lat_deg < 0 ? "-" : "+", split(sky.lat_deg, std::min(11, decimals_for(pixel_arcsec, 1))));
}

std::string sky_in_words(const ImageHeader& header) {
  const auto centre =
      header.wcs.to_sky(static_cast<double>(header.shape.nx - 1) / 2, static_cast<double>(header.shape.ny - 1) / 2);
  if (!header.wcs.celestial()) return "none: " + header.wcs.why_not();
  std::string text = fmt::format("{}, {} projection", header.wcs.frame_name(), header.wcs.projection());
  if (!centre) return text + "; the centre is off the sky";
  const auto frame = header.wcs.frame();
  const bool equatorial = frame == Wcs::Frame::icrs || frame == Wcs::Frame::fk5 || frame == Wcs::Frame::fk4;
  const auto scale = pixel_scale(header);
  const double pixel_arcsec = scale ? std::min(scale->x_arcsec, scale->y_arcsec) : 0;
  const int decimals = decimals_for(pixel_arcsec / kArcsec, 6);
  text += fmt::format("; centre {:.{}f} {:+.{}f} deg", centre->lon_deg, decimals, centre->lat_deg, decimals);
  if (equatorial) text += fmt::format(" ({})", sexagesimal(*centre, pixel_arcsec));
  return text;
}

std::string beam_in_words(const ImageHeader& header, const std::optional<Beam>& beam) {
  if (!beam) return "none: " + header.beam_note;
  std::string text = fmt::format("{:.4g}\" x {:.4g}\" (FWHM), position angle {:.4g} deg", beam->major_deg * kArcsec,
                                 beam->minor_deg * kArcsec, beam->pa_deg);
  const auto scale = pixel_scale(header);
  if (scale) {
    const double per_beam = beam->area_deg2() * kArcsec * kArcsec / (scale->x_arcsec * scale->y_arcsec);
    text += fmt::format("; {:.2f} pixels across, {:.1f} pixels a beam", beam->minor_deg * kArcsec / scale->y_arcsec,
                        per_beam);
  }
  const double frequency = header.wcs.frequency_hz();
  if (header.unit.kind == Unit::Kind::jy_per_beam && std::isfinite(frequency)) {
    text += fmt::format("; 1 Jy/beam = {:.4g} K", kelvin_per_jy_beam(*beam, frequency));
  }
  return text;
}

std::string frequency_in_words(double hz) {
  if (!std::isfinite(hz)) return {};
  if (hz < 1e5) return fmt::format("{:.6g} Hz", hz);
  return hz >= 1e9 ? fmt::format("{:.6g} GHz", hz * 1e-9) : fmt::format("{:.6g} MHz", hz * 1e-6);
}

using Lines = std::vector<std::pair<std::string, std::string>>;

Lines header_lines(const ImageHeader& header, const std::optional<Beam>& beam) {
  Lines lines;
  for (const HduInfo& hdu : header.hdus) {
    std::string text = fmt::format("{}, {}", hdu.kind, axes_in_words(hdu.axes));
    if (hdu.bitpix != 0) text += fmt::format(", BITPIX {}", hdu.bitpix);
    if (!hdu.name.empty()) text += fmt::format(", '{}'", hdu.name);
    lines.emplace_back(fmt::format("HDU {}{}", hdu.index, hdu.index == header.hdu ? " *" : ""), std::move(text));
  }
  lines.emplace_back(
      "image", fmt::format("{} x {} pixels (x, y){}", header.shape.nx, header.shape.ny,
                           header.planes > 1 ? fmt::format(", plane {} of {}", header.plane, header.planes) : ""));
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) lines.emplace_back(name, text);
  };
  add("object", header.object);
  add("telescope", header.telescope);
  add("date", header.date_obs);
  add("unit", header.unit.text.empty()                  ? "none (BUNIT is missing)"
              : header.unit.kind == Unit::Kind::unknown ? header.unit.text + " (no unit of brightness that Reber knows)"
                                                        : header.unit.text);
  add("frequency", frequency_in_words(header.wcs.frequency_hz()));
  add("spectral axis", header.wcs.spectral_reading());
  add("beam", beam_in_words(header, beam));
  add("sky", sky_in_words(header));
  if (const auto scale = pixel_scale(header)) {
    add("pixel", fmt::format("{:.6g}\" x {:.6g}\", rotated by {:.4g} deg; field {:.4g} x {:.4g} deg", scale->x_arcsec,
                             scale->y_arcsec, scale->rotation_deg,
                             scale->x_arcsec * static_cast<double>(header.shape.nx) / kArcsec,
                             scale->y_arcsec * static_cast<double>(header.shape.ny) / kArcsec));
  }
  return lines;
}

void add_statistics(const ImageHeader& header, const Statistics& s, Lines& lines) {
  const std::string unit = header.unit.text.empty() ? "" : " " + header.unit.text;
  const double all = static_cast<double>(s.plain.finite + s.plain.blank);
  lines.emplace_back("blank", fmt::format("{} of {:.0f} pixels ({:.2f} %)", s.plain.blank, all,
                                          100 * static_cast<double>(s.plain.blank) / all));
  lines.emplace_back("range", fmt::format("{:.6g} to {:.6g}{}", s.plain.min, s.plain.max, unit));
  lines.emplace_back("mean", fmt::format("{:.6g}, median {:.6g}, standard deviation {:.6g}{}", s.plain.mean,
                                         s.plain.median, s.plain.std, unit));
  const double rms = s.clip.std / clip_bias(3);
  lines.emplace_back("noise",
                     fmt::format("rms {:.6g} about {:.6g}{}: 3-sigma clip, {} rounds, {:.2f} % of the pixels", rms,
                                 s.clip.median, unit, s.clip.rounds, 100 * static_cast<double>(s.clip.kept) / all));
  if (rms > 0) lines.emplace_back("peak S/N", fmt::format("{:.4g}", (s.plain.max - s.clip.median) / rms));
}

std::string to_text(const std::string& path, const Lines& lines, const std::vector<std::string>& warnings) {
  std::string text = printable(path) + "\n";
  std::size_t width = 0;
  for (const auto& [name, value] : lines) width = std::max(width, name.size());
  for (const auto& [name, value] : lines) text += fmt::format("  {:<{}}  {}\n", name, width, printable(value));
  for (const std::string& warning : warnings) text += fmt::format("  warning: {}\n", printable(warning));
  return text;
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const ImageHeader& header, const std::optional<Beam>& beam, const std::optional<Statistics>& statistics) {
  Json json;
  json["file"] = header.path;
  for (const HduInfo& hdu : header.hdus) {
    json["hdus"].push_back(
        {{"index", hdu.index}, {"kind", hdu.kind}, {"name", hdu.name}, {"bitpix", hdu.bitpix}, {"axes", hdu.axes}});
  }
  json["hdu"] = header.hdu;
  json["shape"] = {header.shape.ny, header.shape.nx};
  json["planes"] = header.planes;
  json["plane"] = header.plane;
  json["object"] = header.object;
  json["telescope"] = header.telescope;
  json["date_obs"] = header.date_obs;
  json["unit"] = header.unit.text;
  json["frequency_hz"] = json_number(header.wcs.frequency_hz());
  if (beam)
    json["beam"] = {{"major_deg", beam->major_deg}, {"minor_deg", beam->minor_deg}, {"pa_deg", beam->pa_deg}};
  else
    json["beam"] = nullptr;
  json["frame"] = header.wcs.frame_name();
  json["projection"] = header.wcs.projection();
  const auto centre =
      header.wcs.to_sky(static_cast<double>(header.shape.nx - 1) / 2, static_cast<double>(header.shape.ny - 1) / 2);
  if (centre)
    json["centre_deg"] = {centre->lon_deg, centre->lat_deg};
  else
    json["centre_deg"] = nullptr;
  if (const auto scale = pixel_scale(header)) {
    json["pixel_arcsec"] = {scale->x_arcsec, scale->y_arcsec};
    json["rotation_deg"] = scale->rotation_deg;
  }
  if (statistics) {
    const PlaneStatistics& s = statistics->plain;
    const ClipStatistics& c = statistics->clip;
    json["statistics"] = {{"finite", s.finite},          {"blank", s.blank},
                          {"min", json_number(s.min)},   {"max", json_number(s.max)},
                          {"mean", json_number(s.mean)}, {"median", json_number(s.median)},
                          {"std", json_number(s.std)}};
    json["clip"] = {{"kappa", 3},
                    {"median", json_number(c.median)},
                    {"mean", json_number(c.mean)},
                    {"std", json_number(c.std)},
                    {"rms", json_number(c.std / clip_bias(3))},
                    {"kept", c.kept},
                    {"rounds", c.rounds},
                    {"converged", c.converged}};
  }
  json["warnings"] = header.warnings;
  return json;
}

Json describe(const InfoOptions& options, const std::string& path, BackendChoice* choice, Terminal& terminal) {
  const Request request = base_request(options.common, path);
  terminal.set_subject(path);
  const ImagePlane image = open(path, request.open, terminal);
  const ImageHeader& header = image.header();
  const std::optional<Beam> beam = request.beam ? request.beam : header.beam;
  if (options.cards) {
    std::string text;
    for (const std::string& card : header.cards) text += printable(card) + "\n";
    terminal.print(text);
  }
  Lines lines = header_lines(header, beam);
  std::optional<Statistics> statistics;
  if (choice != nullptr) {
    statistics = on_backend(*choice, [&](const std::shared_ptr<Backend>& on) { return measure(image, *on, terminal); });
    add_statistics(header, *statistics, lines);
  }
  terminal.clear_progress();
  terminal.print(to_text(path, lines, header.warnings));
  return to_json(header, beam, statistics);
}

int execute(const InfoOptions& options, Terminal& terminal) {
  apply(options.common, terminal);
  std::optional<BackendChoice> choice;
  if (!options.header_only) choice.emplace(options.common, terminal);
  Json all = Json::array();
  int exit_code = kDone;
  for (const std::string& path : options.files) {
    try {
      all.push_back(describe(options, path, choice ? &*choice : nullptr, terminal));
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      const Failure failure = current_failure(path);
      terminal.error(failure.message);
      all.push_back({{"file", path}, {"error", failure.message}, {"exit_code", failure.exit_code}});
      exit_code = worse(exit_code, failure.exit_code);
    }
  }
  const Json document = options.files.size() == 1 ? all.front() : all;
  write_json(options.common, document.dump(2, ' ', false, Json::error_handler_t::replace), terminal);
  return exit_code;
}

}  // namespace

void add_info(Command& root, Action& action) {
  auto options = std::make_shared<InfoOptions>();
  Command* command = root.add_subcommand("info", "What a FITS file holds: HDUs, unit, beam, sky position, statistics");
  command->add_option("files", options->files, "FITS images, plain or compressed (.gz, .fz)")
      ->required()
      ->type_name("FILE")
      ->group("Input");
  command->add_flag("--header-only", options->header_only, "Read no pixels: no statistics")
      ->brief("Read no pixels: no statistics")
      ->group("Output");
  command->add_flag("--cards", options->cards, "Print the header's cards as well")
      ->brief("Print the header's cards as well")
      ->group("Output");
  add_image_options(*command, options->common);
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber info m31.fits\n"
      "  reber info m31.fits --header-only --cards\n"
      "  reber info *.fits --json - | jq '.[].statistics.max'\n"
      "\n"
      "The HDU that is read is marked with *. The noise is the standard deviation of the pixels that a 3-sigma clip\n"
      "keeps, divided by 0.98485, which such a clip leaves of Gaussian noise.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
