// SPDX-License-Identifier: BSD-3-Clause
// Versions for --version, devices for --devices, and the variants of each convolution algorithm for --list-algorithms.
#include <fitsio.h>
#include <fmt/format.h>
#include <wcslib/wcslib.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/commands/command.hpp"
#include "app/options/one_card.hpp"
#include "app/options/spread.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/device_monitor.hpp"
#include "core/base/log.hpp"
#include "core/base/thread_budget.hpp"
#include "core/files/fits/decoder_cage.hpp"
#include "core/sky/model/kernel.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

/// Examples that show what each algorithm can take, from small to large.
struct Sample {
  const char* text;
  Kernel kernel;
};

std::vector<Sample> samples() {
  return {{"round Gaussian, FWHM 3 px", gaussian_kernel({9, 0, 9}, Normalise::sum)},
          {"rotated Gaussian, FWHM 6 x 3 px", gaussian_kernel({22.5, 13.5, 22.5}, Normalise::sum)},
          {"rotated Gaussian, FWHM 40 x 20 px", gaussian_kernel({1000, 600, 1000}, Normalise::sum)}};
}

/// serves: of the variants of its algorithm, this one is taken.
std::string quote_line(std::string_view name, const VariantQuote& quote, bool serves) {
  const std::string cost = quote.possible ? fmt::format("{:.3g} ms", quote.cost_ms) : "no";
  return fmt::format("  {} {:<18} {:>10}  {}\n", serves ? '*' : ' ', name, cost, quote.reason);
}

}  // namespace

std::string version_text() {
  int wcs[3] = {};
  wcslib_version(wcs);
  std::string text = program_name() + "\n";
  text += fmt::format("  CFITSIO  {}.{}.{}\n", CFITSIO_MAJOR, CFITSIO_MINOR, CFITSIO_MICRO);
  text += fmt::format("  WCSLIB   {}.{}\n", wcs[0], wcs[1]);
#ifdef REBER_HAVE_CUDA
  text += "  CUDA     in this build; reber --devices tells what is here\n";
#else
  text += "  CUDA     not in this build\n";
#endif
  return text;
}

/// What the driver's library of management tells of each card: memory and links.
std::string links_text() {
  std::string text;
  int number = 0;
  for (const DeviceReading& card : DeviceMonitor().read()) {
    std::vector<std::string> words;
    if (card.memory_total_bytes && card.memory_used_bytes)
      words.push_back(fmt::format("{} MiB, {} free", *card.memory_total_bytes >> 20,
                                  (*card.memory_total_bytes - *card.memory_used_bytes) >> 20));
    if (card.link_generation && card.link_width)
      words.push_back(fmt::format("PCIe {} x{}", *card.link_generation, *card.link_width) +
                      (card.link_width_max && *card.link_width_max > *card.link_width
                           ? fmt::format(" (the card has x{})", *card.link_width_max)
                           : ""));
    if (card.nvlinks) words.push_back(fmt::format("{} NVLinks up", *card.nvlinks));
    if (words.empty()) words.emplace_back("tells nothing");
    text += fmt::format("  card {} of nvidia-smi: {}; {}\n", number++, card.name, fmt::join(words, "; "));
  }
  return text;
}

std::string devices_text() {
  count_cards_by_bus();
  std::string text = program_name() + "\n";
  for (const BackendEntry& entry : backend_table()) {
    if (entry.describe == nullptr) continue;
    for (const std::string& line : entry.describe()) text += fmt::format("  {}\n", line);
  }
  text += links_text();
  text += fmt::format("  decoder of compressed images: {}\n", fits::cage_words());
  text += "backends, in the order in which auto tries them\n";
  bool card = false;
  for (const BackendEntry& entry : backend_table()) {
    const std::string reason = entry.unavailable({});
    card = card || (reason.empty() && std::string_view(entry.name) == "cuda");
    std::string state = "cannot run here: " + reason;
    if (reason.empty()) {
      const BackendInfo info = entry.make({})->info();
      state = info.threads > 1 ? fmt::format("{}, {} threads", info.device, info.threads) : info.device;
    }
    text += fmt::format("  {:<10} {} ({})\n", entry.name, entry.text, state);
  }
  const std::size_t cards = card ? std::max<std::size_t>(cards_in_sight().size(), 1) : 0;
  return text + "where nothing is said\n" + usual_places(cards, usable_threads());
}

std::string algorithms_text() {
  const Shape shape{4096, 4096};
  std::string text = fmt::format(
      "Predicted cost for {} x {} pixels without blanks; * is taken of an algorithm's variants\n", shape.nx, shape.ny);
  for (const BackendEntry& entry : backend_table()) {
    const std::string reason = entry.unavailable({});
    if (!reason.empty()) {
      text += fmt::format("\n{}: cannot run here: {}\n", entry.name, reason);
      continue;
    }
    const auto backend = entry.make({});
    text += fmt::format("\n{}: {}\n", entry.name, backend->info().device);
    for (const Sample& sample : samples()) {
      ConvolutionSpec spec;
      spec.kernel = sample.kernel;
      text += fmt::format("  {} ({} x {} weights)\n", sample.text, sample.kernel.shape.nx, sample.kernel.shape.ny);
      for (const ConvolutionQuote& quote : backend->quote(spec, shape)) {
        if (quote.variants.empty()) text += quote_line(to_string(quote.algorithm), {"", false, quote.reason}, false);
        for (const VariantQuote& one : quote.variants)
          text += quote_line(fmt::format("{}/{}", to_string(quote.algorithm), one.name), one,
                             quote.possible && one.name == quote.variant);
      }
    }
  }
  return text;
}

}  // namespace reber::app
