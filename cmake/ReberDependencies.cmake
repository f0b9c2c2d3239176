# Libraries, all from the distribution's packages (./dev installs them by name).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
pkg_check_modules(wcslib REQUIRED IMPORTED_TARGET wcslib)
pkg_check_modules(fftw3f REQUIRED IMPORTED_TARGET fftw3f)
# Only these two modules: the rest of OpenCV pulls in over a hundred libraries. The -dev packages of single modules
# bring no CMake configuration, so the headers and libraries are found by name where it is missing.
find_package(OpenCV QUIET COMPONENTS core imgproc)
if(NOT OpenCV_FOUND)
  find_path(REBER_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv4 REQUIRED)
  foreach(module core imgproc)
    find_library(REBER_OPENCV_${module} opencv_${module} REQUIRED)
    add_library(opencv_${module} UNKNOWN IMPORTED)
    set_target_properties(opencv_${module} PROPERTIES IMPORTED_LOCATION ${REBER_OPENCV_${module}}
      INTERFACE_INCLUDE_DIRECTORIES ${REBER_OPENCV_INCLUDE})
  endforeach()
endif()
