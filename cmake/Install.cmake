# What `cmake --install` puts where: the program (component `program`), and the library with its
# headers, its CMake package and its pkg-config file (component `library`).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS perfmodel RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)

# Completions are written by the program itself as it is installed, so that they are those of its
# options; manual pages are written of its help, where help2man is there.
if(NOT CMAKE_CROSSCOMPILING)
  set(perfmodel_shell_dir "${CMAKE_CURRENT_BINARY_DIR}/shell")
  file(MAKE_DIRECTORY "${perfmodel_shell_dir}")
  function(perfmodel_install_written file destination)
    list(JOIN ARGN " " arguments)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:perfmodel>\" ${arguments} \"${file}\"
                                  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
    install(FILES "${file}" DESTINATION "${destination}" COMPONENT program)
  endfunction()
  set(PERFMODEL_ZSH_COMPLETIONS "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
      CACHE STRING "Folder of completions for zsh")
  perfmodel_install_written(
    "${perfmodel_shell_dir}/perfmodel" "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    completions bash --output)
  perfmodel_install_written(
    "${perfmodel_shell_dir}/_perfmodel" "${PERFMODEL_ZSH_COMPLETIONS}" completions zsh --output)
  find_program(PERFMODEL_HELP2MAN help2man)
  mark_as_advanced(PERFMODEL_HELP2MAN)
  if(PERFMODEL_HELP2MAN)
    install(
      CODE "execute_process(
              COMMAND \"${CMAKE_COMMAND}\" \"-DHELP2MAN=${PERFMODEL_HELP2MAN}\"
                      \"-DPROGRAM=$<TARGET_FILE:perfmodel>\" \"-DVERSION=${PROJECT_VERSION}\"
                      \"-DFOLDER=${perfmodel_shell_dir}/man1\" -DCOMPRESS=$<BOOL:${PERFMODEL_PACKAGE}>
                      -P \"${PROJECT_SOURCE_DIR}/cmake/ManualPages.cmake\"
              COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT program)
    install(DIRECTORY "${perfmodel_shell_dir}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}"
            COMPONENT program)
  endif()
endif()

# JSON schemas of the documents, as the library describes them.
if(NOT CMAKE_CROSSCOMPILING)
  add_executable(perfmodel_schemas "${PROJECT_SOURCE_DIR}/cmake/write_schemas.cpp")
  target_include_directories(perfmodel_schemas PRIVATE ${perfmodel_buildings})
  target_link_libraries(perfmodel_schemas PRIVATE perfmodel::cli)
  perfmodel_configure_target(perfmodel_schemas)
  add_custom_command(TARGET perfmodel_schemas POST_BUILD
                     COMMAND perfmodel_schemas "${CMAKE_CURRENT_BINARY_DIR}/schemas")
  install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/schemas"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/perfmodel" COMPONENT program)
endif()

# Who uses the static library links what it uses. That must be found where it is installed, so that
# what was downloaded into the build would be missing there.
if(eigen3_SOURCE_DIR)
  message(STATUS "Eigen was downloaded: the library is not installed, the program is")
  return()
endif()

set(PERFMODEL_INSTALLS_LIBRARY TRUE) # the tests look

set(perfmodel_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/perfmodel")
set_target_properties(perfmodel_engine PROPERTIES EXPORT_NAME engine)
set_target_properties(perfmodel_core PROPERTIES EXPORT_NAME core)
set_target_properties(perfmodel_io PROPERTIES EXPORT_NAME io)
set_target_properties(perfmodel_pipeline PROPERTIES EXPORT_NAME perfmodel)
install(
  TARGETS perfmodel_engine perfmodel_core perfmodel_io perfmodel_pipeline
  EXPORT perfmodel
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/perfmodel"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT library)
install(
  EXPORT perfmodel
  NAMESPACE perfmodel::
  FILE perfmodelTargets.cmake
  DESTINATION "${perfmodel_package_dir}"
  COMPONENT library)

set(perfmodel_with_dlib FALSE)
set(perfmodel_with_sqlite FALSE)
set(perfmodel_private_libraries "-lnettle -lfmt -lz")
if(SQLite3_FOUND)
  set(perfmodel_with_sqlite TRUE)
  string(APPEND perfmodel_private_libraries " -lsqlite3")
endif()
if(TARGET Dlib::Dlib)
  set(perfmodel_with_dlib TRUE)
  string(APPEND perfmodel_private_libraries " ${Dlib_LIBRARY}")
endif()
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/perfmodelConfig.cmake.in" perfmodelConfig.cmake
  INSTALL_DESTINATION "${perfmodel_package_dir}")
# Before version 1 a new minor version may change what callers see.
write_basic_package_version_file(perfmodelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${CMAKE_CURRENT_BINARY_DIR}/perfmodelConfig.cmake"
        "${CMAKE_CURRENT_BINARY_DIR}/perfmodelConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindDlib.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindNettle.cmake"
  DESTINATION "${perfmodel_package_dir}"
  COMPONENT library)

# The prefix is told by the place of the file, so that `cmake --install --prefix` needs no other.
file(RELATIVE_PATH perfmodel_prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
     "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/perfmodel.pc.in" perfmodel.pc @ONLY)
install(
  FILES "${CMAKE_CURRENT_BINARY_DIR}/perfmodel.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  COMPONENT library)
