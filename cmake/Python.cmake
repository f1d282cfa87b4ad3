# libperfmodel.so: the C interface of include/perfmodel.h with all that it needs but the C library and
# OpenMP, which a process must not have twice. The package for Python of src/python loads it.
file(GLOB perfmodel_capi_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
     "${CMAKE_CURRENT_SOURCE_DIR}/src/capi/*.cpp")
add_library(perfmodel_shared SHARED ${perfmodel_capi_sources})
set_target_properties(
  perfmodel_shared
  PROPERTIES OUTPUT_NAME perfmodel
             VERSION "${PROJECT_VERSION}"
             SOVERSION 0
             LINK_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/capi/perfmodel.map")
target_link_libraries(perfmodel_shared PRIVATE perfmodel::cli
                                               $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_link_options(
  perfmodel_shared PRIVATE "LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/src/capi/perfmodel.map"
  "LINKER:--no-undefined" "LINKER:--gc-sections")
if(NOT PERFMODEL_SANITIZE)
  target_link_options(perfmodel_shared PRIVATE -static-libstdc++ -static-libgcc)
endif()
perfmodel_configure_target(perfmodel_shared)

if(PERFMODEL_INSTALL)
  include(GNUInstallDirs)
  install(TARGETS perfmodel_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library
                                           NAMELINK_COMPONENT library)
  install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/include/perfmodel.h"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT PERFMODEL_SANITIZE)
  enable_testing()
  add_subdirectory(tests/capi)
endif()
