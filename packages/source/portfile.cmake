# A port whose source is beside it: vcpkg install tare --overlay-ports=<the folder
# that this one is in>
vcpkg_cmake_configure(SOURCE_PATH "${CURRENT_PORT_DIR}"
  OPTIONS "-DTARE_LUA_INCLUDE_DIR=${CURRENT_INSTALLED_DIR}/include")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tare CONFIG_PATH lib/cmake/tare)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${CURRENT_PORT_DIR}/LICENSE")
