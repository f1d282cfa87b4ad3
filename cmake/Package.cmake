# Debian packages by `cpack -G DEB`, configured with -DCMAKE_INSTALL_PREFIX=/usr (cmake/package.sh
# does it): `perfmodel` has the program with its pages and examples, `libperfmodel-dev` the library.
set(CPACK_PACKAGE_NAME perfmodel)
set(CPACK_PACKAGE_VENDOR "The perfmodel authors")
set(CPACK_PACKAGE_CONTACT "The perfmodel authors <perfmodel@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "fits readable formulas for the time of a training iteration")
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PROGRAM_GROUP perfmodel)
set(CPACK_COMPONENT_DOCUMENTS_GROUP perfmodel)
set(CPACK_COMPONENT_LIBRARY_GROUP libperfmodel-dev)
set(CPACK_COMPONENT_LIBRARY_DOCUMENTS_GROUP libperfmodel-dev)
set(CPACK_STRIP_FILES TRUE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PERFMODEL_PACKAGE_NAME perfmodel)
set(CPACK_DEBIAN_PERFMODEL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PERFMODEL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PERFMODEL_PACKAGE_SUGGESTS "libxgboost0")
set(CPACK_DEBIAN_PERFMODEL_DESCRIPTION
    "A CSV of measured runs becomes a formula that shows what makes an iteration
long and how its time scales with workers and batch size, and that predicts
configurations that were not measured, with intervals.")
set(CPACK_DEBIAN_LIBPERFMODEL-DEV_PACKAGE_NAME libperfmodel-dev)
set(CPACK_DEBIAN_LIBPERFMODEL-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBPERFMODEL-DEV_PACKAGE_DEPENDS
    "libeigen3-dev (>= 3.4), nettle-dev, libfmt-dev, libdlib-dev, zlib1g-dev, libsqlite3-dev")
set(CPACK_DEBIAN_LIBPERFMODEL-DEV_DESCRIPTION
    "The work of `perfmodel fit` as a static C++20 library with headers, a CMake
package (find_package) and a pkg-config file.")

# What Debian's policy asks of each package beside its files.
string(TIMESTAMP perfmodel_release_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # obeys SOURCE_DATE_EPOCH
set(perfmodel_debian "${CMAKE_CURRENT_BINARY_DIR}/debian")
file(READ "${PROJECT_SOURCE_DIR}/LICENSE" perfmodel_license)
string(REGEX REPLACE "\n\n" "\n.\n" perfmodel_license "${perfmodel_license}")
string(REGEX REPLACE "\n(.)" "\n \\1" perfmodel_license "\n${perfmodel_license}")
file(WRITE "${perfmodel_debian}/copyright" "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: perfmodel

Files: *
Copyright: 2026 The perfmodel authors
License: Expat

License: Expat${perfmodel_license}")
file(WRITE "${perfmodel_debian}/changelog.Debian" "\
perfmodel (${PROJECT_VERSION}-1) stable; urgency=medium

  * See changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${perfmodel_release_date}
")
function(perfmodel_compress file name)
  execute_process(COMMAND gzip -9nc "${file}" OUTPUT_FILE "${perfmodel_debian}/${name}.gz"
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
perfmodel_compress("${perfmodel_debian}/changelog.Debian" changelog.Debian)
perfmodel_compress("${PROJECT_SOURCE_DIR}/CHANGELOG.md" changelog)
foreach(item IN ITEMS "documents perfmodel" "library_documents libperfmodel-dev")
  string(REGEX MATCH "^[^ ]+" component "${item}")
  string(REGEX MATCH "[^ ]+$" package "${item}")
  # The packages are not uploads to Debian, which would close a request for them.
  file(WRITE "${perfmodel_debian}/${package}" "${package}: initial-upload-closes-no-bugs\n")
  install(FILES "${perfmodel_debian}/${package}"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" COMPONENT ${component})
  install(FILES "${perfmodel_debian}/copyright" "${perfmodel_debian}/changelog.gz"
                "${perfmodel_debian}/changelog.Debian.gz"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${component})
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT documents PATTERN "quickstart.sh" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/data"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documents PATTERN "Doxyfile" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT documents)

include(CPack)
