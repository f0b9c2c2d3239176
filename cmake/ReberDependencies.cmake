# Libraries, all from the distribution's packages (./dev installs them by name).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(EXPAT REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
include(ReberCfitsio)
pkg_check_modules(wcslib REQUIRED IMPORTED_TARGET wcslib)
# Frames and equinoxes.
pkg_check_modules(erfa REQUIRED IMPORTED_TARGET erfa)
# Letters, PDF and SVG of pictures and plots (modules/drawing).
pkg_check_modules(cairo IMPORTED_TARGET cairo)
pkg_check_modules(fontconfig IMPORTED_TARGET fontconfig)
# Pictures are deflated by it where it is there (x86-64 and arm64), else by zlib, eight times slower.
pkg_check_modules(libisal IMPORTED_TARGET libisal)
