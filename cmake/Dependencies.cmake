find_package(PkgConfig REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)

# Debian ships SystemC with pkg-config files only. Its library is a C++17 build and checks the standard it is used with at
# link time, so a C++20 program must say that it agrees (measured: without the definition the link fails).
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)
add_library(SystemC::systemc INTERFACE IMPORTED GLOBAL)
target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)

# FlatBuffers: the header-only library and its schema compiler.
find_package(FlatBuffers REQUIRED)
find_program(FLATC flatc REQUIRED)
