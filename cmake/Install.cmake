include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS dse RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/dse/configs)
