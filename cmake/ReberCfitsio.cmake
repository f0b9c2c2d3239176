# reber_cfitsio: CFITSIO's archive without its network where the distribution has one, else the shared library, with
# which everything works as well, a little later. Sanitizers keep the shared one: what they shall not report is known by
# the library's name (tests/support/sanitizers).
add_library(reber_cfitsio INTERFACE)
find_library(REBER_CFITSIO_ARCHIVE libcfitsio.a HINTS ${cfitsio_LIBRARY_DIRS})
set(no_network ${CMAKE_SOURCE_DIR}/cmake/no_network.cpp)
if(REBER_CFITSIO_ARCHIVE AND NOT REBER_SANITIZE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${cfitsio_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${REBER_CFITSIO_ARCHIVE} ZLIB::ZLIB BZip2::BZip2 Threads::Threads m)
  # Another version may ask curl for more.
  check_cxx_source_compiles("#include <fitsio.h>
    #include \"${no_network}\"
    int main(int argc, char** argv) { fitsfile* file; return fits_open_diskfile(&file, argv[0], READONLY, &argc); }"
    REBER_CFITSIO_WITHOUT_NETWORK)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(REBER_CFITSIO_WITHOUT_NETWORK)
  add_library(reber_no_network STATIC ${no_network})
  target_include_directories(reber_cfitsio SYSTEM INTERFACE ${cfitsio_INCLUDE_DIRS})
  target_link_libraries(reber_cfitsio INTERFACE
    ${REBER_CFITSIO_ARCHIVE} reber_no_network ZLIB::ZLIB BZip2::BZip2 Threads::Threads m)
  target_link_options(reber_cfitsio INTERFACE LINKER:--exclude-libs,libcfitsio.a)  # a module's host may have its own
  find_file(REBER_CFITSIO_TERMS copyright PATHS /usr/share/doc/libcfitsio-dev NO_DEFAULT_PATH)
  if(REBER_CFITSIO_TERMS)
    install(FILES ${REBER_CFITSIO_TERMS} DESTINATION share/doc/reber RENAME copyright.cfitsio)
  endif()
else()
  target_link_libraries(reber_cfitsio INTERFACE PkgConfig::cfitsio)
endif()
