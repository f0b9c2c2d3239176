// SPDX-License-Identifier: BSD-3-Clause
// Keywords become the words of the commands; the work is core's.
#include "python/module/imaging.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/run/request/bounds.hpp"
#include "core/studies/imaging/cube_work.hpp"
#include "core/studies/imaging/grid_words.hpp"
#include "core/studies/imaging/mosaic_work.hpp"
#include "core/studies/imaging/regrid.hpp"
#include "core/studies/imaging/scratch_names.hpp"
#include "python/module/arrays.hpp"
#include "python/module/kept_backends.hpp"
#include "python/module/request_of.hpp"
#include "python/module/waiting.hpp"
#include "python/module/warnings.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

/// The words of one call, each by its keyword.
class Words {
 public:
  explicit Words(const nb::dict& told) : told_(told) {}
  [[nodiscard]] std::string text(const char* word) const {
    return told_.contains(word) ? text_of(told_[word]) : std::string();
  }
  [[nodiscard]] bool truth(const char* word) const { return told_.contains(word) && truth_of(told_[word], word); }
  [[nodiscard]] std::optional<double> number(const char* word, const char* bound) const {
    return told_.contains(word) ? std::optional(number_of(told_[word], bound)) : std::nullopt;
  }
  template <class Choice>
  [[nodiscard]] Choice choice(const char* word, Choice usual) const {
    return told_.contains(word) ? from_string<Choice>(text(word), word) : usual;
  }

 private:
  nb::dict told_;
};

GridWords grid_words(const Words& words) {
  GridWords grid;
  grid.like = words.text("like"), grid.projection = words.text("projection"), grid.centre = words.text("centre");
  grid.frame = words.text("frame"), grid.size = words.text("size");
  grid.pixel_arcsec = words.number("pixel", "regrid.pixel");
  grid.rotate_deg = words.number("rotate", "regrid.rotate").value_or(0);
  return grid;
}

/// Request members that all commands have.
Request base_of(const RunOptions& options, const std::vector<std::string>& call) {
  Request base;
  apply(options, base);
  if (options.beam)
    if (const std::string why = why_no_beam(*options.beam); !why.empty()) throw InputError("beam: " + why);
  base.call = call;
  return base;
}

/// work(backend); after a failure of the card this backend is not given again.
template <class Work>
auto on_kept(const std::string& name, const BackendOptions& with, Work work) {
  const std::shared_ptr<Backend> backend = kept_backend(name, with);
  try {
    return work(backend);
  } catch (const DeviceError&) {
    forget_backend(backend);
    throw;
  }
}

/// Opened when it is needed: a card is not started for what the headers refuse.
OnBackend backend_for(const RunOptions& options) {
  return [&options](const auto& work) { on_kept(options.backend, options.with, work); };
}

nb::object tuple_of(const std::optional<Beam>& beam) {
  if (!beam) return nb::none();
  return nb::make_tuple(beam->major_deg, beam->minor_deg, beam->pa_deg);
}

RegridRequest request_of(const std::string& path, const Words& words, const Request& base, const RunOptions& options) {
  RegridRequest request;
  request.input = path;
  request.how = words.choice("interpolation", Interpolation::fitted);
  request.beam_is = words.choice("beam_is", BeamIs::automatic);
  request.beam = base.beam, request.plane = base.open.plane, request.threads = options.with.threads;
  request.history = {base.program + ", input " + path};
  for (const std::string& line : base.call) request.history.push_back("option: " + line);
  return request;
}

nb::dict told_of(const RegridFacts& facts) {
  nb::dict told;
  told["history"] = facts.history, told["warnings"] = facts.warnings;
  told["beam"] = tuple_of(facts.beam), told["noise_gain"] = facts.noise_gain;
  return told;
}

/// One image in memory.
class ArrayImage final : public ImageFile {
 public:
  ArrayImage(std::shared_ptr<const ImageHeader> header, std::shared_ptr<const PixelSource> pixels)
      : header_(std::move(header)), pixels_(std::move(pixels)) {}
  [[nodiscard]] std::int64_t planes() const override { return 1; }
  [[nodiscard]] Shape shape() const override { return header_->shape; }
  [[nodiscard]] PixelFormat format() const override { return pixels_->format(); }
  [[nodiscard]] Stored stored() const override { return Stored::in_memory; }
  [[nodiscard]] ImageHeader header(std::int64_t plane) const override {
    if (plane != 0) throw InputError(fmt::format("plane {}: the array has one, 0", plane));
    return *header_;
  }
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t, const Progress&) const override {
    return std::make_unique<Shared>(pixels_);
  }

 private:
  /// The same pixels for another owner.
  class Shared final : public PixelSource {
   public:
    explicit Shared(std::shared_ptr<const PixelSource> of) : of_(std::move(of)) {}
    [[nodiscard]] const LentPixels* lent_pixels() const override { return of_->lent_pixels(); }
    [[nodiscard]] Shape shape() const override { return of_->shape(); }
    [[nodiscard]] PixelFormat format() const override { return of_->format(); }
    void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override { of_->read_rows(y0, ny, out); }

   private:
    std::shared_ptr<const PixelSource> of_;
  };
  std::shared_ptr<const ImageHeader> header_;
  std::shared_ptr<const PixelSource> pixels_;
};

/// What an image in memory became.
struct Regridded {
  RegridFacts facts;
  std::string cards;
  Shape shape;
  std::vector<float> pixels;
  std::shared_ptr<const DeviceTile> tile;
};

Regridded regrid_one(const CubeSource& image, const RegridRequest& request, const RunOptions& options, bool on_card,
                     const Progress& progress) {
  const Regridding work(image, request);
  if (on_card && image.header(0)->unit.per_pixel)
    throw InputError(
        "pixels in a unit per pixel are multiplied by areas in host memory: copy the array on the card to the host");
  return on_kept(on_card ? "cuda" : options.backend, options.with, [&](const std::shared_ptr<Backend>& backend) {
    Regridded made{work.facts(), work.cards(), request.grid.shape, {}, {}};
    const auto node = work.first(backend, progress);
    const Rect all{0, 0, made.shape.ny, made.shape.nx};
    if (on_card) {
      made.tile = backend->display()->device_map(MapKind::image, *node->plane(all, progress), nullptr, progress);
    } else {
      made.pixels.resize(static_cast<std::size_t>(made.shape.count()));
      node->render(all, made.pixels.data(), progress);
    }
    return made;
  });
}

}  // namespace

nb::dict regrid(const std::string& path, const nb::dict& told, const nb::dict& with,
                const std::optional<BeamTuple>& beam, const std::vector<std::string>& call,
                const nb::object& progress) {
  const Words words(told);
  const RunOptions options = run_options(with, beam);
  const Request base = base_of(options, call);
  const GridWords grid = grid_words(words);
  const std::string name = words.text("name");
  ScratchNames names;
  if (!name.empty()) names.add(path, name);
  RegridRequest request = request_of(name.empty() ? path : name, words, base, options);
  const std::string rms_map = words.text("use_rms_map"), rms = words.text("write_rms_map"),
                    psf = words.text("write_psf_map"), output = words.text("output");
  if (rms.empty() != rms_map.empty())
    throw InputError("use_rms_map and write_rms_map belong together: a map of the noise is put on the grid as well");
  const bool overwrite = words.truth("overwrite");
  Warnings warnings;
  const RegridFacts facts = wait_for(progress, [&](const Progress& tell) {
    return names.told("", [&] {
      const CubeSource cube = CubeSource::open(path, options.open, tell, warnings.sink());
      const auto header = cube.header(options.open.plane.value_or(0));
      request.grid = grid_of(grid, {{header.get()}}, options.open, tell);
      const Regridding work(cube, request);
      if (!psf.empty() && !work.facts().beam)
        throw InputError(fmt::format("write_psf_map: {} has no beam; {}", path, header->beam_note));
      on_kept(options.backend, options.with, [&](const std::shared_ptr<Backend>& backend) {
        CommitGroup group;
        const FileOptions how(overwrite, &group);
        work.write(output, backend, how, tell);
        if (!rms.empty()) work.write_rms(rms, rms_map, backend, how, tell);
        if (!psf.empty()) work.write_psf(psf, how, tell);
        group.commit(tell);
      });
      return work.facts();
    });
  });
  nb::dict made = told_of(facts);
  std::vector<std::string> lines = warnings.lines();
  for (const std::string& line : facts.warnings) lines.push_back(names.in(line));
  made["warnings"] = lines;
  return made;
}

nb::dict regrid_array(const nb::object& pixels, const std::string& cards, const nb::dict& told, const nb::dict& with,
                      const std::optional<BeamTuple>& beam, const std::vector<std::string>& call,
                      const nb::object& progress) {
  const Words words(told);
  const RunOptions options = run_options(with, beam);
  const Request base = base_of(options, call);
  const GridWords grid = grid_words(words);
  RegridRequest request = request_of("array", words, base, options);
  std::shared_ptr<const PixelSource> source;
  std::optional<Pixels> host;
  const bool on_card = nb::isinstance<nb::tuple>(pixels);
  if (on_card) {
    source = lent_source(nb::cast<nb::tuple>(pixels));
  } else {
    host = nb::cast<Pixels>(pixels);
    source = memory_source(host->data(),
                           {static_cast<std::int64_t>(host->shape(0)), static_cast<std::int64_t>(host->shape(1))});
  }
  const auto image =
      CubeSource::of(std::make_shared<ArrayImage>(array_header(cards, source->shape(), options), source));
  Regridded made = wait_for(progress, [&](const Progress& tell) {
    const auto header = image.header(0);
    request.grid = grid_of(grid, {{header.get()}}, options.open, tell);
    return regrid_one(image, request, options, on_card, tell);
  });
  nb::dict out = told_of(made.facts);
  out["cards"] = made.cards;
  if (made.tile)
    out["image"] = nb::cast(new DeviceMap(made.tile, made.shape, false), nb::rv_policy::take_ownership);
  else
    out["image"] = array_of(std::move(made.pixels), made.shape);
  return out;
}

nb::dict mosaic(const nb::list& fields, const nb::dict& told, const nb::dict& with,
                const std::optional<BeamTuple>& beam, const std::vector<std::string>& call,
                const nb::object& progress) {
  const Words words(told);
  const RunOptions options = run_options(with, beam);
  MosaicWork work;
  work.base = base_of(options, call);
  for (const nb::handle& one : fields) {
    using Field = std::tuple<std::string, std::string, double, double, double, std::vector<double>, std::string>;
    const auto [path, name, scale, east, north, rms, rms_map] = nb::cast<Field>(one);
    MosaicInput& input = work.inputs.emplace_back();
    input.path = path, input.name = name, input.scale = scale, input.shift = {east, north};
    input.rms = rms, input.rms_map = rms_map;
  }
  work.grid = grid_words(words);
  work.common_beam = words.truth("common"), work.per_plane = words.truth("per_plane");
  if (told.contains("to_beam")) {
    const auto [major, minor, angle] = nb::cast<BeamTuple>(told["to_beam"]);
    work.to_beam = Beam{major, minor, angle};
    if (const std::string why = why_no_beam(*work.to_beam); !why.empty()) throw InputError("to_beam: " + why);
  }
  if (told.contains("beam_model")) work.primary = words.text("beam_model");
  if (told.contains("weights")) work.weights = words.text("weights");
  work.shifts = words.text("shifts"), work.scales = words.text("scales");
  work.corrected = words.truth("pb_corrected");
  work.cutoff = words.number("cutoff", "mosaic.cutoff").value_or(work.cutoff);
  work.final_cutoff = words.number("final_cutoff", "mosaic.cutoff").value_or(work.final_cutoff);
  work.how = words.choice("interpolation", work.how), work.beam_is = words.choice("beam_is", work.beam_is);
  work.output = words.text("output"), work.weight = words.text("write_weight"), work.rms = words.text("write_rms_map");
  work.psf_map = words.text("write_psf_map"), work.coverage = words.text("coverage");
  work.threads = options.with.threads, work.overwrite = words.truth("overwrite");
  Warnings warnings;
  const MosaicDone done = wait_for(progress, [&](const Progress& tell) {
    return make_mosaic(
        work, backend_for(options), [](const std::string&) {}, tell, warnings.sink());
  });
  nb::dict made;
  made["history"] = done.history, made["warnings"] = warnings.lines(), made["beam"] = tuple_of(done.beam);
  return made;
}

nb::dict cube(const std::string& path, const std::string& name, const std::vector<std::string>& steps,
              const nb::dict& told, const nb::dict& with, const std::optional<BeamTuple>& beam,
              const std::vector<std::string>& call, const nb::object& progress) {
  const Words words(told);
  const RunOptions options = run_options(with, beam);
  if (options.open.plane) throw InputError("plane: it is one plane; planes= says which the steps take");
  CubeWork work;
  work.base = base_of(options, call);
  work.base.input = path, work.name = name, work.steps = steps;
  work.output = words.text("output");
  if (told.contains("planes")) work.planes = words.text("planes");
  work.threads = options.with.threads, work.overwrite = words.truth("overwrite");
  Warnings warnings;
  const CubeDone done = wait_for(
      progress, [&](const Progress& tell) { return make_cube(work, backend_for(options), tell, warnings.sink()); });
  nb::dict made;
  made["history"] = done.history, made["warnings"] = warnings.lines();
  made["outputs"] = done.outputs, made["planes"] = done.planes;
  return made;
}

}  // namespace reber::python
