# The C interface of include/perfmodel.h. The tests link it as it is; libperfmodel.so, which the package
# for Python of src/python loads, has it with all that it needs but the C library and OpenMP, which a
# process must not have twice.
file(GLOB perfmodel_capi_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
     "${CMAKE_CURRENT_SOURCE_DIR}/src/capi/*.cpp")
add_library(perfmodel_capi STATIC ${perfmodel_capi_sources})
target_link_libraries(perfmodel_capi PRIVATE perfmodel::cli ${PERFMODEL_FMT}
                                             $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
perfmodel_configure_target(perfmodel_capi)
perfmodel_precompile(perfmodel_capi ${perfmodel_headers_for_cli})

if(PERFMODEL_PYTHON)
  set(perfmodel_exports "${CMAKE_CURRENT_SOURCE_DIR}/src/capi/perfmodel.map")
  add_library(perfmodel_shared SHARED $<TARGET_OBJECTS:perfmodel_capi>)
  set_target_properties(
    perfmodel_shared
    PROPERTIES OUTPUT_NAME perfmodel
               LINKER_LANGUAGE CXX
               VERSION "${PROJECT_VERSION}"
               SOVERSION 0
               LINK_DEPENDS "${perfmodel_exports}")
  target_link_libraries(perfmodel_shared PRIVATE perfmodel::cli)
  target_link_options(
    perfmodel_shared PRIVATE "LINKER:--version-script=${perfmodel_exports}" "LINKER:--no-undefined"
    "LINKER:--gc-sections" -static-libstdc++ -static-libgcc)
  if(PERFMODEL_INSTALL)
    include(GNUInstallDirs)
    install(TARGETS perfmodel_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library
                                             NAMELINK_COMPONENT library)
    install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/include/perfmodel.h"
            DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library)
  endif()
endif()

enable_testing()
add_subdirectory(tests/capi)
