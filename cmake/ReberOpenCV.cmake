# OpenCV: pictures and plots, the viewer's colour maps, what the tests compare with, and a peer of the benchmark. The
# program `reber` opens it for pictures and plots alone (modules). Sets REBER_HAVE_OPENCV.
#
# Only these two modules: the rest of OpenCV pulls in over a hundred libraries. The -dev packages of single modules
# bring no CMake configuration, so the headers and libraries are found by name where it is missing.
find_package(OpenCV QUIET COMPONENTS core imgproc)
if(NOT OpenCV_FOUND)
  find_path(REBER_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
  foreach(module core imgproc)
    find_library(REBER_OPENCV_${module} opencv_${module})
    if(REBER_OPENCV_INCLUDE AND REBER_OPENCV_${module})
      add_library(opencv_${module} UNKNOWN IMPORTED)
      set_target_properties(opencv_${module} PROPERTIES IMPORTED_LOCATION ${REBER_OPENCV_${module}}
        INTERFACE_INCLUDE_DIRECTORIES ${REBER_OPENCV_INCLUDE})
    endif()
  endforeach()
endif()
set(REBER_HAVE_OPENCV OFF)
if(TARGET opencv_core AND TARGET opencv_imgproc)
  set(REBER_HAVE_OPENCV ON)
elseif(REBER_TESTS)
  message(FATAL_ERROR "The tests need OpenCV: install libopencv-core-dev and libopencv-imgproc-dev, or use REBER_TESTS=OFF.")
endif()
