find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)

find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)

include(SystemC)

# Debian ships libsodium with pkg-config files only.
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium)

# FlatBuffers: the header-only library and its schema compiler.
find_package(FlatBuffers REQUIRED)
find_program(FLATC flatc REQUIRED)

# Protocol Buffers: the compiler and the library without reflection, for ONNX files.
find_package(Protobuf REQUIRED)
