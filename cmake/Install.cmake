# What `cmake --install` puts down: the programs, the configurations they find by name, and the rooms as libraries for
#   find_package(dse REQUIRED)
#   target_link_libraries(mine PRIVATE dse::explore)
# Headers keep their paths below include/dse, so that `#include "plan/place/arena.h"` means the same inside and outside.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(rooms base nn program hw sim plan methods explore deploy reports)
list(TRANSFORM rooms PREPEND dse_ OUTPUT_VARIABLE room_targets)
install(TARGETS dse RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS dse_flags dse_runtime ${room_targets} EXPORT dse-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder base models program sim plan methods explore deploy reports)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dse FILES_MATCHING PATTERN "*.h"
    PATTERN assets EXCLUDE PATTERN package EXCLUDE PATTERN selftest EXCLUDE PATTERN schema EXCLUDE)
endforeach()
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/dse/configs)
install(FILES LICENSE docs/licence.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/dse)
install(EXPORT dse-targets NAMESPACE dse:: DESTINATION ${package})
configure_package_config_file(cmake/dse-config.cmake.in ${PROJECT_BINARY_DIR}/dse-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dse-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dse-config.cmake ${PROJECT_BINARY_DIR}/dse-config-version.cmake cmake/SystemC.cmake
  DESTINATION ${package})
