# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Reber(CMakePackage, CudaPackage):
    """Finds and measures the sources of radio-astronomical images, on the GPU or the processor."""

    homepage = "https://reber.invalid/"
    maintainers = []

    license("BSD-3-Clause")

    version("1.0.0")

    variant("gui", default=False, description="The viewer")
    variant("python", default=False, description="The module `import reber`")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cfitsio")
    depends_on("wcslib")
    depends_on("erfa")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("bzip2")
    depends_on("isa-l")
    depends_on("expat")
    depends_on("sqlite")
    depends_on("cairo+pdf+svg+ft+fc")
    depends_on("fontconfig")
    depends_on("opencv+imgproc")
    depends_on("cli11", type="build")
    depends_on("fmt")
    depends_on("nlohmann-json", type="build")
    depends_on("glfw", when="+gui")
    depends_on("gl", when="+gui")

    extends("python@3.10:", when="+python")
    depends_on("py-nanobind@2.4:", type="build", when="+python")
    depends_on("py-numpy@1.23:", type=("build", "run"), when="+python")

    conflicts("cuda_arch=none", when="+cuda", msg="say which cards: cuda_arch=90, for one")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("REBER_HARDEN", True),
            self.define("REBER_TESTS", self.run_tests),
            self.define_from_variant("REBER_GUI", "gui"),
            self.define_from_variant("REBER_PYTHON", "python"),
            self.define_from_variant("REBER_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(
                self.define("REBER_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value)
            )
        return args

    @run_after("install", when="+python")
    def install_module(self):
        folder = join_path(python_platlib, "reber")
        mkdirp(folder)
        with working_dir(self.build_directory):
            for name in find("python/reber", ["*.py", "_core*.so"], recursive=False):
                install(name, folder)
        for name in ("__init__.pyi", "py.typed"):
            install(join_path(self.stage.source_path, "python", "reber", name), folder)
