# An overlay port of vcpkg: vcpkg install perfmodel --overlay-ports=cmake/vcpkg. Not tried yet.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DPERFMODEL_BUILD_TESTS=OFF -DPERFMODEL_INSTALL=ON -DPERFMODEL_WITH_DLIB=OFF
          -DPERFMODEL_WITH_XGBOOST=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/perfmodel)
vcpkg_copy_tools(TOOL_NAMES perfmodel AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
