# What `cmake --install` puts in place: the shared library with its public headers, the program, and what
# find_package(linnet) reads. A target linnet::linnet comes out; no header or library of anyone else is needed to use it.

include(CMakePackageConfigHelpers)
set(LINNET_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/linnet)

install(TARGETS linnet EXPORT linnetTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/linnet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
  PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS linnet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The built-in model, where src/api/builtin.cpp looks for it. The build folder has a link to it.
set(LINNET_BUILTIN_FILE ${PROJECT_SOURCE_DIR}/builtin/text/linnet-text.gguf)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/linnet)
file(CREATE_LINK ${LINNET_BUILTIN_FILE} ${PROJECT_BINARY_DIR}/share/linnet/linnet-text.gguf SYMBOLIC)
install(FILES ${LINNET_BUILTIN_FILE} DESTINATION share/linnet OPTIONAL)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT linnetTargets NAMESPACE linnet:: DESTINATION ${LINNET_PACKAGE_DIR})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/linnetConfig.cmake.in ${PROJECT_BINARY_DIR}/linnetConfig.cmake
  INSTALL_DESTINATION ${LINNET_PACKAGE_DIR})
# Before 1.0 the C++ interface may change with the minor version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/linnetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/linnetConfig.cmake ${PROJECT_BINARY_DIR}/linnetConfigVersion.cmake
  DESTINATION ${LINNET_PACKAGE_DIR})
