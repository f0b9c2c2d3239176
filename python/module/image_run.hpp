// SPDX-License-Identifier: BSD-3-Clause
// One run of the pipeline for Python, and what it left: tables, maps and files.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "core/studies/forced.hpp"
#include "python/module/arrays.hpp"
#include "python/module/lent_array.hpp"

namespace reber::python {

using Pixels = nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// What is common to all runs: image, backend, and the words of errors.
struct RunOptions {
  std::string backend = "auto";
  BackendOptions with;
  OpenOptions open;
  std::optional<Beam> beam;
  std::string program;
};

using BeamTuple = std::tuple<double, double, double>;

/// What Python's common keywords say: backend, device, threads, device_memory, check, hdu, plane, unit; and the beam in
/// degrees.
[[nodiscard]] RunOptions run_options(const nanobind::dict& with, const std::optional<BeamTuple>& beam);
/// Puts into the request what is common to all runs.
void apply(const RunOptions& options, Request& request);

/// The header of pixels in memory: two axes, in the order of the array.   text: 80-character cards   path: what they
/// are told to be of
[[nodiscard]] std::shared_ptr<const ImageHeader> array_header(const std::string& text, Shape shape,
                                                              const RunOptions& options,
                                                              const std::string& path = "array");

/// What Python calls the products of a run: dicts of name, text, and whether it is a map of floats.
[[nodiscard]] nanobind::list products();

/// A finished run. Its calls may come from any thread; one at a time is served, beside the caller's thread: which card
/// is current there is the caller's affair.
class ImageRun {
 public:
  /// pixels: null for a file. They are not copied and must not change while this lives.
  ImageRun(Result result, Request request, std::optional<Pixels> pixels)
      : result_(std::move(result)), request_(std::move(request)), pixels_(std::move(pixels)) {}
  ~ImageRun();
  ImageRun(const ImageRun&) = delete;
  ImageRun& operator=(const ImageRun&) = delete;

  [[nodiscard]] const Result& result() const { return result_; }
  /// {column: (values, unit, UCD, text)} of the set's table.   throws InputError for an unknown set
  [[nodiscard]] nanobind::dict table(const std::string& set);
  /// Writes a set's table with more columns behind its own (catalogue_of()'s argument), in the format of the path's
  /// ending, in place of what is there.   root: what names of a sky model begin with; empty: the image's name   throws
  /// InputError for an unknown set, ending or word of patches
  void write_table(const std::string& path, const std::string& set, const nanobind::dict& more,
                   const std::string& patches, const std::string& root);
  /// Takes the sources whose axes' product is above this out of tables, model and residual.
  void drop_wider(double area_deg2);
  /// A map of products(), float32, [y, x].   throws InputError where the run has none
  [[nodiscard]] Array2<float> map(const std::string& kind);
  /// How one of the sources came about: what `reber find --why` prints.   throws InputError where there is none
  [[nodiscard]] std::string why(std::int64_t row);
  /// int32, [y, x], 0 outside islands.
  [[nodiscard]] Array2<std::int32_t> labels();
  /// "image", "mean", "rms", "snr" or "labels" in the memory of the card that computed it, without the bus.
  ///   throws InputError where no card did, and for another word
  [[nodiscard]] std::unique_ptr<DeviceMap> on_device(const std::string& kind);
  /// Fluxes at the positions of a list (catalogue_of()'s argument), as a table.   throws as measure_forced
  [[nodiscard]] nanobind::dict measure(const nanobind::object& at, const std::string& columns,
                                       const ForcedRequest& asked, const nanobind::object& progress);
  /// Writes one file: a catalogue by its ending, or a map where `kind` names one, whose header gets the cards and so
  /// many axes of one pixel behind the plane's.
  void write(const std::string& path, const std::string& kind, const std::string& columns, const std::string& format,
             const std::string& patches, const std::string& durable, bool overwrite,
             const std::vector<std::string>& cards, int more_axes, const nanobind::object& progress);

 private:
  [[nodiscard]] Catalogue catalogue(const std::string& set);
  std::mutex mutex_;
  Result result_;
  Request request_;
  std::optional<Pixels> pixels_;
};

/// Pixels of an array: in host memory, or on a card.
struct ArrayPixels {
  std::optional<Pixels> host;
  std::shared_ptr<const LentSource> lent;  ///< the array must live until the run is done
};

/// Runs the request on a file, or on pixels with a header (80-character cards in one text).
///   throws as Pipeline::run
[[nodiscard]] std::unique_ptr<ImageRun> run_image(Request request, const RunOptions& options, ArrayPixels pixels,
                                                  const std::string& cards, const nanobind::object& progress);

}  // namespace reber::python
