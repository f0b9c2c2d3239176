# What Debian's policy asks of the files of a package, done by CPack to the tree that it packs: pages and the changelog are
# compressed, and the package has a changelog of its own.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
if(NOT EXISTS ${share}/doc/reber)
  return()
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${share}/doc/reber/changelog.Debian
  "reber (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Made by CPack; changelog.gz tells what is in it.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(GLOB files ${share}/man/man1/*.1 ${share}/doc/reber/changelog ${share}/doc/reber/changelog.Debian)
foreach(file ${files})
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
