# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves behind: the program, the libraries, include/convene and find_package(convene).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/convene")
get_property(libraries GLOBAL PROPERTY CONVENE_INSTALLED_LIBRARIES)

install(
    TARGETS ${libraries} convene_library
    EXPORT conveneTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
)
install(EXPORT conveneTargets NAMESPACE convene:: DESTINATION "${package_dir}")
if(TARGET convene)
    install(TARGETS convene RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/conveneConfig.cmake.in"
    "${convene_BINARY_DIR}/package/conveneConfig.cmake"
    INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO
)
# While the major version is 0, a new minor version may change the interface.
write_basic_package_version_file(
    "${convene_BINARY_DIR}/package/conveneConfigVersion.cmake" COMPATIBILITY SameMinorVersion
)
install(
    FILES "${convene_BINARY_DIR}/package/conveneConfig.cmake"
          "${convene_BINARY_DIR}/package/conveneConfigVersion.cmake"
    DESTINATION "${package_dir}"
)
