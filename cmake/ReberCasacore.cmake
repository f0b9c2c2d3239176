# casacore: reads CASA's images, in a module of its own (modules/casacore). Sets REBER_HAVE_CASACORE.
#
# Only the libraries that images need: casacore's pkg-config file names those of visibilities and of Python as well.
set(REBER_HAVE_CASACORE ON)
find_path(REBER_CASACORE_INCLUDE casacore/images/Images/PagedImage.h)
add_library(casacore INTERFACE)
foreach(part images coordinates lattices tables fits measures scimath casa)
  find_library(REBER_CASACORE_${part} NAMES casa_${part})
  if(NOT REBER_CASACORE_INCLUDE OR NOT REBER_CASACORE_${part})
    set(REBER_HAVE_CASACORE OFF)
    break()
  endif()
  target_link_libraries(casacore INTERFACE ${REBER_CASACORE_${part}})
endforeach()
if(REBER_HAVE_CASACORE)
  target_include_directories(casacore SYSTEM INTERFACE ${REBER_CASACORE_INCLUDE})
else()
  message(STATUS "CASA images cannot be read: install casacore-dev to build the module that does")
endif()
