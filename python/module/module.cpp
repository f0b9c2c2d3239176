// SPDX-License-Identifier: BSD-3-Clause
// The module reber._core: what the Python package is written on. Errors become those of reber.errors.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "core/base/error.hpp"
#include "core/base/host_memory.hpp"
#include "core/files/image/image_file.hpp"
#include "core/run/request/bounds.hpp"
#include "core/sky/model/unit.hpp"
#include "kernels/backends.hpp"
#include "python/module/file_studies.hpp"
#include "python/module/image_run.hpp"
#include "python/module/imaging.hpp"
#include "python/module/plane_rows.hpp"
#include "python/module/request_of.hpp"
#include "python/module/studies.hpp"
#include "python/module/words.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

/// Raises the exception of that name in reber.errors, in Python's words.
void raise(const char* name, const char* words) {
  const nb::object type = nb::module_::import_("reber.errors").attr(name);
  PyErr_SetString(type.ptr(), in_pythons_words(words).c_str());
}

void translate(const std::exception_ptr& failure, void*) {
  try {
    std::rethrow_exception(failure);
  } catch (const InputError& error) {
    raise("InputError", error.what());
  } catch (const DataError& error) {
    raise("DataError", error.what());
  } catch (const DeviceError& error) {
    raise("DeviceError", error.what());
  } catch (const Cancelled& error) {
    raise("Cancelled", error.what());
  } catch (const InternalError& error) {
    raise("InternalError", error.what());
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "a value of another type was expected for one of the keywords");
  }
}

/// pixels: None for a file, an array in host memory, or the tuple of lent_source().
std::unique_ptr<ImageRun> run(const std::string& path, const nb::object& pixels, const std::string& cards,
                              const nb::list& stages, const nb::dict& settings, const nb::dict& with,
                              std::optional<BeamTuple> beam, const nb::object& progress) {
  Request request = request_of(stages, settings);
  request.input = path;
  ArrayPixels array;
  if (nb::isinstance<nb::tuple>(pixels)) {
    array.lent = lent_source(nb::cast<nb::tuple>(pixels));
  } else if (!pixels.is_none()) {
    array.host = nb::cast<Pixels>(pixels);
  }
  return run_image(std::move(request), run_options(with, beam), std::move(array), cards, progress);
}

nb::object beam_of(const ImageRun& run) {
  const std::optional<Beam> beam = run.result().beam();
  if (!beam) return nb::none();
  return nb::make_tuple(beam->major_deg, beam->minor_deg, beam->pa_deg);
}

nb::dict measure(ImageRun& run, const nb::object& at, const std::string& columns, const std::string& free,
                 const std::string& shape, double limit, int threads, const nb::object& progress) {
  ForcedRequest asked;
  asked.free = from_string<ForcedRequest::Free>(free, "free");
  asked.shape = from_string<ForcedRequest::ShapeOf>(shape, "shape");
  hold(bound("measure.limit"), limit);
  asked.limit_sigma = limit;
  asked.threads = threads;
  return run.measure(at, columns, asked, progress);
}

/// What a brightness in the first unit is multiplied by to be in the second; None where they are not alike.
nb::object unit_factor(const std::string& from, const std::string& to) {
  const Unit a = Unit::parse(from), b = Unit::parse(to);
  return a.alike(b) ? nb::object(nb::float_(a.factor / b.factor)) : nb::none();
}

nb::list backends() {
  nb::list names;
  for (const BackendEntry& entry : backend_table())
    names.append(nb::make_tuple(entry.name, entry.text, entry.unavailable({})));
  return names;
}

}  // namespace
}  // namespace reber::python

// NOLINTNEXTLINE(misc-use-internal-linkage): the macro's function is what Python calls
NB_MODULE(_core, m) {
  using namespace reber;
  using namespace reber::python;
  nb::register_exception_translator(translate);
  m.attr("version") = REBER_VERSION;
  m.def("parameters", &parameter_rows);
  m.def("bounds", &bound_rows);
  m.def("backends", &backends);
  m.def("products", &products);
  m.def("unit_factor", &unit_factor);
  m.def("free_memory", &free_memory_bytes);
  m.def("run", &run, nb::arg("path"), nb::arg("pixels").none(), nb::arg("cards"), nb::arg("stages"),
        nb::arg("settings"), nb::arg("with_"), nb::arg("beam").none(), nb::arg("progress").none());
  m.def("find_planes", &find_planes, nb::arg("path"), nb::arg("planes"), nb::arg("stages"), nb::arg("settings"),
        nb::arg("with_"), nb::arg("beam").none(), nb::arg("progress").none());
  nb::class_<PlaneRows>(m, "PlaneRows")
      .def("table", &PlaneRows::table)
      .def("write", &PlaneRows::write)
      .def_ro("searched", &PlaneRows::searched)
      .def_ro("skipped", &PlaneRows::skipped)
      .def_ro("warnings", &PlaneRows::warnings);
  m.def("match", &match);
  m.def("simulate", &simulate, nb::arg("settings"), nb::arg("backend"), nb::arg("threads"), nb::arg("progress").none());
  m.def("smooth", &smooth, nb::arg("files"), nb::arg("outputs"), nb::arg("settings"), nb::arg("with_"),
        nb::arg("to_beam").none(), nb::arg("per_plane"), nb::arg("max_beam").none(), nb::arg("beam").none(),
        nb::arg("dry_run"), nb::arg("overwrite"), nb::arg("progress").none());
  m.def("complete", &complete, nb::arg("path"), nb::arg("settings"), nb::arg("with_"), nb::arg("beam").none(),
        nb::arg("experiment"), nb::arg("plot"), nb::arg("overwrite"), nb::arg("progress").none());
  m.def("report", &report, nb::arg("path"), nb::arg("settings"), nb::arg("with_"), nb::arg("beam").none(),
        nb::arg("against"), nb::arg("levels"), nb::arg("quick"), nb::arg("output"), nb::arg("overwrite"),
        nb::arg("progress").none());
  m.def("verify", &verify, nb::arg("path"), nb::arg("stages"), nb::arg("settings"), nb::arg("with_"),
        nb::arg("beam").none(), nb::arg("progress").none());
  m.def("collapse", &collapse, nb::arg("path"), nb::arg("how"), nb::arg("planes"), nb::arg("snr"), nb::arg("with_"),
        nb::arg("beam").none(), nb::arg("output"), nb::arg("overwrite"), nb::arg("progress").none());
  m.def("regrid", &regrid, nb::arg("path"), nb::arg("words"), nb::arg("with_"), nb::arg("beam").none(), nb::arg("call"),
        nb::arg("progress").none());
  m.def("regrid_array", &regrid_array, nb::arg("pixels"), nb::arg("cards"), nb::arg("words"), nb::arg("with_"),
        nb::arg("beam").none(), nb::arg("call"), nb::arg("progress").none());
  m.def("mosaic", &mosaic, nb::arg("fields"), nb::arg("words"), nb::arg("with_"), nb::arg("beam").none(),
        nb::arg("call"), nb::arg("progress").none());
  m.def("cube", &cube, nb::arg("path"), nb::arg("name"), nb::arg("steps"), nb::arg("words"), nb::arg("with_"),
        nb::arg("beam").none(), nb::arg("call"), nb::arg("progress").none());
  nb::class_<Borrowed>(m, "Borrowed")
      .def(nb::init<nb::ndarray<nb::ro>>())
      .def_prop_ro("pointer", &Borrowed::pointer)
      .def_prop_ro("shape", &Borrowed::shape)
      .def_prop_ro("strides", &Borrowed::strides)
      .def_prop_ro("type", &Borrowed::type)
      .def_prop_ro("device", &Borrowed::device);
  nb::class_<DeviceMap>(m, "DeviceMap")
      .def_prop_ro("shape", &DeviceMap::shape)
      .def_prop_ro("type", &DeviceMap::type)
      .def_prop_ro("card", &DeviceMap::card)
      .def_prop_ro("interface", &DeviceMap::interface)
      .def("array", [](const nb::object& self) { return nb::cast<const DeviceMap&>(self).array(self); });
  nb::class_<ImageRun>(m, "ImageRun")
      .def("table", &ImageRun::table)
      .def("write_table", &ImageRun::write_table)
      .def("drop_wider", &ImageRun::drop_wider)
      .def("map", &ImageRun::map)
      .def("why", &ImageRun::why)
      .def("labels", &ImageRun::labels)
      .def("on_device", &ImageRun::on_device)
      .def("measure", &measure, nb::arg("at"), nb::arg("columns"), nb::arg("free"), nb::arg("shape"), nb::arg("limit"),
           nb::arg("threads"), nb::arg("progress").none())
      .def("write", &ImageRun::write, nb::arg("path"), nb::arg("kind"), nb::arg("columns"), nb::arg("format"),
           nb::arg("patches"), nb::arg("durable"), nb::arg("overwrite"), nb::arg("cards"), nb::arg("more_axes"),
           nb::arg("progress").none())
      .def_prop_ro("beam", &beam_of)
      .def_prop_ro("island_count",
                   [](const ImageRun& run) {
                     const auto islands = run.result().islands();
                     return islands ? islands->count() : 0;
                   })
      .def_prop_ro("warnings",
                   [](const ImageRun& run) {
                     std::vector<std::string> warnings;
                     for (const std::string& one : run.result().report.warnings)
                       warnings.push_back(in_pythons_words(one));
                     return warnings;
                   })
      .def_prop_ro("history", [](const ImageRun& run) { return run.result().history; })
      .def_prop_ro("cards", [](const ImageRun& run) { return run.result().header().cards; })
      .def_prop_ro("planes", [](const ImageRun& run) { return run.result().header().planes; })
      .def_prop_ro("frequency", [](const ImageRun& run) { return run.result().header().wcs.frequency_hz(); })
      .def_prop_ro("has_islands", [](const ImageRun& run) { return run.result().islands() != nullptr; })
      .def_prop_ro("may_draw", [](const ImageRun& run) { return run.result().plane() != nullptr; })
      .def_prop_ro("path", [](const ImageRun& run) { return run.result().header().path; })
      .def_prop_ro("unit", [](const ImageRun& run) { return run.result().header().unit.text; })
      .def_prop_ro("report", [](const ImageRun& run) { return to_json(run.result().report); })
      .def_prop_ro("shape", [](const ImageRun& run) {
        const Shape shape = run.result().header().shape;
        return nb::make_tuple(shape.ny, shape.nx);
      });
}
