// SPDX-License-Identifier: BSD-3-Clause
// Shared options: definition, checks and conversion.
#include "app/options/common_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <new>
#include <set>
#include <system_error>

#include "app/options/choice_option.hpp"
#include "app/options/one_card.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/spread.hpp"
#include "app/options/trace_file.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "app/terminal/signals.hpp"
#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/fits/decoder_cage.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/kept_files.hpp"
#include "core/files/io/plain_path.hpp"
#include "core/run/cube/step_words.hpp"
#include "core/run/request/bounds.hpp"
#include "core/show/picture/canvas.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names{"auto", "cuda", "cpu", "reference"};
  return names;
}

double number(const std::string& text, const std::string& what) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) {
    throw InputError(fmt::format("{}: '{}' is not a number", what, text));
  }
  return value;
}

}  // namespace

void add_common_options(Command& command, CommonOptions& options) {
  command
      .add_option(
          "--backend", options.backend,
          "Where to compute; auto takes the first that can run, and the CPU for one image that is done there before a "
          "card has started")
      ->check(one_of(backend_names()))
      ->type_name("auto|cuda|cpu|reference")
      ->capture_default_str()
      ->brief("auto, cuda, cpu or reference")
      ->group("Compute");
  command
      .add_option_function(
          "--device",
          [&options](const std::string& word) {
            options.device = std::stoi(word);
            options.device_named = true;
          },
          "Number of the GPU, as nvidia-smi counts; without it the fastest, or of a host's ranks one each")
      ->check(within("call.device"))
      ->type_name("N")
      ->default_str("0")
      ->group("Compute");
  command.add_option("--threads", options.threads, "Threads on the CPU; 0: all that this process may use")
      ->check(within("call.threads"))
      ->type_name("N")
      ->capture_default_str()
      ->brief("Threads on the CPU; 0: all")
      ->group("Compute");
  command
      .add_option("--device-memory", options.device_memory,
                  "Use at most this much of the GPU's memory, like 8G (powers of 1024); a larger image is streamed in "
                  "bands")
      ->type_name("BYTES")
      ->group("Compute");
  command
      .add_option("--host-memory", options.host_memory,
                  "Use at most this much of the computer's memory, like 8G; a larger image is read from its file in "
                  "bands, several times; default: three quarters of what is free")
      ->type_name("BYTES")
      ->group("Compute");
  add_message_options(command, options);
}

void add_devices_option(Command& command, CommonOptions& options) {
  command
      .add_option("--devices", options.devices,
                  "GPUs that share the image, each with a band of its rows: all, or numbers like 0,2; default: two "
                  "from 144 GiB of pixels on, else one")
      ->type_name("all|LIST")
      ->group("Compute");
}

void add_message_options(Command& command, CommonOptions& options) {
  command.add_option("--json", options.json, "Write the report as JSON to this file; - for standard output")
      ->type_name("FILE")
      ->brief("Write the report as JSON; -: print it")
      ->group("Messages");
  add_trace_option(command);
  command.add_flag("-q,--quiet", options.quiet, "Print errors only")->brief("Print errors only")->group("Messages");
  command.add_flag("-v,--verbose", options.verbose, "Print every stage and decision as it happens")->group("Messages");
  command.add_help_row("Messages");
  command
      .add_option("--config", options.config,
                  fmt::format("Read options from this TOML file, section [{}]; the command line wins", command.name()))
      ->type_name("FILE.toml")
      ->not_configurable()
      ->group("Messages");
  command
      .add_flag_function(
          "--trust-config", [] {}, "Let that file replace files (overwrite, resume) and name outputs in any folder")
      ->not_configurable()
      ->group("Messages");
}

void add_image_options(Command& command, CommonOptions& options, const std::string& beam_name) {
  command.add_option("--hdu", options.hdu, "HDU to read, 0 for the primary; default: the first with a 2-D image")
      ->check(within("call.hdu"))
      ->type_name("N")
      ->group("Input");
  command.add_option("--plane", options.plane, "Plane of a cube, counted from 0; needed where there are several")
      ->check(within("call.plane"))
      ->type_name("N")
      ->group("Input");
  command
      .add_option(beam_name, options.beam,
                  "Restoring beam (FWHM in arcsec, position angle in degrees) in place of the header's")
      ->type_name("MAJ,MIN,PA")
      ->group("Input");
  command.add_option("--unit", options.unit, "Brightness unit, like Jy/beam, in place of BUNIT")
      ->type_name("UNIT")
      ->group("Input");
  command
      .add_flag(
          "--check", options.check,
          "Refuse a file whose DATASUM or CHECKSUM does not fit its bytes, else that is a warning; of a cube or a "
          "compressed file all bytes are read for it")
      ->group("Input");
  command
      .add_flag_function(
          "--require-cage", [] { fits::require_cage(); },
          "Decode no compressed tiles where the system permits no seccomp filter for it (reber --devices)")
      ->not_configurable()
      ->group("Input");
}

void add_overwrite_option(Command& command, CommonOptions& options) {
  command.add_flag("--overwrite", options.overwrite, "Replace output files that exist")
      ->brief("Replace output files that exist")
      ->group("Output");
}

void add_durable_option(Command& command, CommonOptions& options) {
  add_choice(command, "--durable", options.durable,
             "When results are safe against a loss of power: each file before the next one, all of an image together "
             "before any has its name, or when the system likes")
      ->group("Output");
}

void add_dry_run_option(Command& command, CommonOptions& options) {
  command.add_flag("--dry-run", options.dry_run, "Print the plan (algorithm, memory, why) and write nothing")
      ->brief("Print the plan, write nothing")
      ->group("Output");
}

void add_run_options(Command& command, CommonOptions& options, const std::string& beam_name) {
  add_image_options(command, options, beam_name);
  add_overwrite_option(command, options);
  add_dry_run_option(command, options);
  add_common_options(command, options);
}

void apply(const CommonOptions& options, Terminal& terminal) {
  if (options.quiet && options.verbose) throw InputError("--quiet and --verbose exclude each other");
  if (options.quiet) terminal.set_verbosity(Verbosity::quiet);
  if (options.verbose) terminal.set_verbosity(Verbosity::verbose);
  if (options.json == "-") {
    terminal.reserve_output();
  } else if (!options.json.empty() && !options.dry_run) {
    check_outputs({options.json}, options.overwrite);
  }
}

void warn_old_beam(Terminal& terminal) {
  terminal.log().warning(
      "--beam is an old name for the beam to smooth to: write --to-beam (the image's own is --image-beam)");
}

BackendOptions backend_options(const CommonOptions& options) {
  BackendOptions wanted;
  wanted.device = options.device;
  if (options.device_named && !options.devices.empty())
    throw InputError("--device and --devices exclude each other: one card, or several");
  if (options.backend == "auto" || options.backend == "cuda") {
    const std::vector<CardNumber> cards =
        options.device_named ? std::vector{take_own_card(options.device, true)}
                             : take_own_cards(options.devices, cards_paid_by_image(options.shared_bytes));
    wanted.device = cards.front().device;
    wanted.hidden_cards = cards.front().hidden;
    if (cards.size() > 1) wanted.cards = cards;
  }
  wanted.threads = options.threads;
  if (!options.device_memory.empty()) wanted.device_memory_bytes = parse_bytes(options.device_memory);
  return wanted;
}

std::unique_ptr<Backend> make_backend(const CommonOptions& options, Terminal& terminal) {
  return reber::make_backend(options.backend, backend_options(options), terminal.log());
}

Request base_request(const CommonOptions& options, const std::string& input) {
  Request request;
  request.input = input;
  request.open.hdu = options.hdu;
  request.open.plane = options.plane;
  request.open.check = options.check;
  if (!options.unit.empty()) request.open.unit = options.unit;
  if (!options.beam.empty()) request.beam = parse_beam(options.beam, "--image-beam");
  request.output.overwrite = options.overwrite;
  request.output.durable = options.durable;
  if (!options.device_memory.empty()) request.device_memory_bytes = parse_bytes(options.device_memory);
  if (!options.host_memory.empty()) request.host_memory_bytes = parse_bytes(options.host_memory, "--host-memory");
  request.dry_run = options.dry_run;
  request.fit.threads = options.threads;
  request.program = program_name();
  return request;
}

std::int64_t parse_bytes(const std::string& text, const char* option) {
  std::size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.')) {
    ++digits;
  }
  std::string unit = text.substr(digits);
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
  double factor = 0;
  const char* const letters = "KMGT";
  if (unit.empty() || unit == "B") factor = 1;
  for (int power = 1; power <= 4; ++power) {
    const std::string letter(1, letters[power - 1]);
    if (unit == letter || unit == letter + "B" || unit == letter + "IB") factor = std::pow(1024.0, power);
  }
  if (digits == 0 || factor == 0) {
    throw InputError(fmt::format("{} '{}': expected a number with K, M, G or T, like 8G", option, text));
  }
  const double bytes = number(text.substr(0, digits), option) * factor;
  if (!(bytes >= 1 && bytes < 9e18)) throw InputError(fmt::format("{} '{}' is out of range", option, text));
  return static_cast<std::int64_t>(bytes);
}

Beam parse_beam(const std::string& text, const char* option) { return beam_of_words(text, option); }

void write_json(const CommonOptions& options, const std::string& document, Terminal& terminal) {
  if (options.json.empty()) return;
  if (options.json == "-") {
    terminal.print_document(document);
    return;
  }
  AtomicFile file(options.json, options.overwrite);
  file.write(document);
  file.write("\n");
  file.commit();
}

std::string known_catalogue_formats(bool of_sources) {
  std::string text;
  const auto add = [&](std::span<const CatalogueFormat> formats) {
    for (const CatalogueFormat& format : formats)
      text += fmt::format("{}{}", text.empty() ? "" : " ", format.extension);
  };
  add(catalogue_formats());
  if (of_sources) add(source_list_formats());
  return text;
}

void check_catalogue_extensions(const std::vector<std::string>& paths, const std::string& word, bool of_sources) {
  for (const std::string& path : paths) {
    const CatalogueFormat* const format = find_catalogue_format(path, word);
    if (format == nullptr || (format->columns != nullptr && !of_sources))
      throw InputError(fmt::format("cannot tell the format of catalogue {} by its extension; known are {}", path,
                                   known_catalogue_formats(of_sources)));
  }
}

void check_outputs(const std::vector<std::string>& paths, bool overwrite) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error)) {
      if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
        throw DataError(fmt::format("cannot write {}: {}", path, error.message()));
      throw InputError(fmt::format("cannot write {}: there is no folder {}", path, folder.string()));
    }
    if (fs::is_directory(path, error)) throw InputError(fmt::format("cannot write {}: it is a folder", path));
    if (is_kept(path))
      throw InputError(fmt::format("{} is the input itself: choose another name for the output", path));
    if (!overwrite && fs::exists(path, error)) {
      throw InputError(fmt::format("{} exists; use --overwrite to replace it, or choose another name", path));
    }
    if (is_picture(path)) (void)drawing();
    if (!seen.insert(plain_path(path)).second) {
      throw InputError(fmt::format("{} is given for two outputs", path));
    }
  }
}

namespace {

constexpr const char* kNoMemory = "not enough memory for this on this machine";

Failure failure_in_flight() {
  try {
    throw;
  } catch (const Cancelled&) {
    return {stopped_exit_code(), "stopped; nothing half-written was left"};
  } catch (const InputError& error) {
    return {kInputError, error.what()};
  } catch (const DataError& error) {
    return {kDataError, error.what()};
  } catch (const DeviceError& error) {
    return {kDeviceError, error.what()};
  } catch (const Error& error) {
    return {kInternalError,
            fmt::format("internal error: {} (a bug in {}; please report it)", error.what(), program_name())};
  } catch (const std::bad_alloc&) {
    return {kDeviceError, kNoMemory};
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::not_enough_memory) return {kDeviceError, kNoMemory};
    return {kDataError, fmt::format("cannot reach '{}': {}", error.path1().string(), error.code().message())};
  } catch (const std::system_error& error) {
    return {kDeviceError, fmt::format("the system refused what the work needs: {}", error.what())};
  } catch (const std::exception& error) {
    return {kInternalError,
            fmt::format("unexpected failure: {} (a bug in {}; please report it)", error.what(), program_name())};
  }
}

}  // namespace

Failure current_failure(const std::string& input) {
  Failure failure = failure_in_flight();
  if (failure.message.find(input) == std::string::npos) failure.message = input + ": " + failure.message;
  return failure;
}

int worse(int a, int b) { return std::max(a, b); }

}  // namespace reber::app
