# The Debian package (cpack -G DEB): what `cmake --install` puts under the prefix, with the libraries that it needs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME reber)
set(CPACK_PACKAGE_VENDOR "Reber")
set(CPACK_PACKAGE_CONTACT "The Reber developers <reber@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds and measures the sources of radio-astronomical images")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Reber reads FITS images and cubes, convolves them, measures background
and noise, finds islands, fits Gaussians to them and writes catalogues,
sky models, masks and maps. It computes on the processor or on a card.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-dejavu-core)  # letters of pictures; any other font does
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian.cmake)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/reber RENAME copyright)
install(FILES ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/reber RENAME changelog)
install(FILES ${CMAKE_SOURCE_DIR}/sample_data/galactic_plane_150mhz.fits DESTINATION share/reber)
include(CPack)
