# The target SystemC::systemc. Debian ships SystemC with pkg-config files only. Its library is a C++17 build and checks the standard it is
# used with at link time, so a C++20 program must say that it agrees (measured: without the definition the link fails).
# Installed with the libraries, because whoever links them needs the same target.
if(NOT TARGET SystemC::systemc)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)
  add_library(SystemC::systemc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC)
  target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()
