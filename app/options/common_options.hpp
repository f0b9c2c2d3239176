// SPDX-License-Identifier: BSD-3-Clause
// Options that the sub-commands share, and what they become.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/command_options.hpp"
#include "app/terminal/terminal.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"

namespace reber::app {

/// Where to compute, what to say, which plane of which file.
struct CommonOptions {
  std::string backend = "auto";
  int device = 0;
  bool device_named = false;        ///< by --device, which asks for a card
  std::string devices;              ///< cards that share one image: "all", "0,2"; empty: as many as its pixels pay for
  std::uintmax_t shared_bytes = 0;  ///< of the pixels of that image; 0: one card
  int threads = 0;
  std::string device_memory, host_memory;
  std::optional<int> hdu;
  std::optional<std::int64_t> plane;
  std::string unit;
  std::string beam;
  bool check = false;
  bool overwrite = false;
  Durable durable = Durable::end;
  std::string json;
  bool quiet = false, verbose = false, dry_run = false;
  std::string config;
};

/// Groups "Compute" and "Messages".
void add_common_options(Command& command, CommonOptions& options);
/// --devices, for commands whose image several cards may share.
void add_devices_option(Command& command, CommonOptions& options);
/// Group "Messages" alone, for what computes on no backend.
void add_message_options(Command& command, CommonOptions& options);
/// Group "Input": --hdu, --plane, --unit, --check and the restoring beam, under another name where --beam is the
/// target.
void add_image_options(Command& command, CommonOptions& options, const std::string& beam_name = "--beam,--image-beam");
void add_overwrite_option(Command& command, CommonOptions& options);
/// --durable, group "Output".
void add_durable_option(Command& command, CommonOptions& options);
void add_dry_run_option(Command& command, CommonOptions& options);
/// All of these: what a command has that reads one image and may write files.
void add_run_options(Command& command, CommonOptions& options, const std::string& beam_name = "--beam,--image-beam");

/// Sets up the terminal for --quiet, --verbose and --json -.
void apply(const CommonOptions& options, Terminal& terminal);

/// Says that --beam, where it is the beam to smooth to, is an old name.
void warn_old_beam(Terminal& terminal);

/// Device, threads and memory asked for.   throws InputError
[[nodiscard]] BackendOptions backend_options(const CommonOptions& options);
/// The backend asked for.   throws InputError, DeviceError
[[nodiscard]] std::unique_ptr<Backend> make_backend(const CommonOptions& options, Terminal& terminal);

/// A request for one file with everything that the common options say.   throws InputError
[[nodiscard]] Request base_request(const CommonOptions& options, const std::string& input);

/// Bytes from "8G", "512M", "2.5GiB", "1000000"; units are powers of 1024.   throws InputError
[[nodiscard]] std::int64_t parse_bytes(const std::string& text, const char* option = "--device-memory");
/// MAJ,MIN,PA or one number for a round beam; arcsec and degrees.   throws InputError
[[nodiscard]] Beam parse_beam(const std::string& text, const char* option);

/// ".csv .fits ...", and a refusal of paths that end in none of them: before the work, not after it.
/// word: format of those that end in none; of_sources: lists of a search as well
[[nodiscard]] std::string known_catalogue_formats(bool of_sources = false);
void check_catalogue_extensions(const std::vector<std::string>& paths, const std::string& word = {},
                                bool of_sources = false);

/// Writes the document to standard output ("-") or to a file, whole or not at all; nothing where the name is empty.
void write_json(const CommonOptions& options, const std::string& document, Terminal& terminal);

/// Refuses early what writing would refuse late.
///   throws InputError where a file exists and overwrite is false, where two names are the same, or a folder is missing
void check_outputs(const std::vector<std::string>& paths, bool overwrite);

/// Exit code and message of the failure in flight: call it in a catch block. A message that does not name `input`
/// gets it in front.
struct Failure {
  int exit_code = 0;
  std::string message;
};
[[nodiscard]] Failure current_failure(const std::string& input = {});
/// The worse of two exit codes: our bug, then device, data, input, a failed check.
[[nodiscard]] int worse(int a, int b);

}  // namespace reber::app
