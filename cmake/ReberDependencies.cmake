# Libraries, all from the distribution's packages (./dev installs them by name).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
pkg_check_modules(wcslib REQUIRED IMPORTED_TARGET wcslib)
pkg_check_modules(fftw3f REQUIRED IMPORTED_TARGET fftw3f)
# Only these two modules: the rest of OpenCV pulls in over a hundred libraries.
find_package(OpenCV REQUIRED COMPONENTS core imgproc)
