set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# A clone in another folder finds what this one has compiled: paths are hashed relative to the folder, which is nowhere in the objects.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# What every room is compiled with. Whoever links the installed libraries gets the standard and the headers, not our warnings.
add_library(dse_flags INTERFACE)
set_target_properties(dse_flags PROPERTIES EXPORT_NAME flags)
target_compile_options(dse_flags INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Werror=return-type;$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>>")
# TFLite's reference derives its multipliers without fused multiply-add; a contracting compiler could differ by one bit.
target_compile_options(dse_flags INTERFACE "$<BUILD_INTERFACE:-ffp-contract=off>")
target_compile_features(dse_flags INTERFACE $<INSTALL_INTERFACE:cxx_std_20>)
target_include_directories(dse_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/dse>)
if(DSE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # libsystemc.so wants an sc_main, which the room sim has: programs that use no SystemC leave it out, though the runtime of the sanitizers
  # makes the linker look at every library named.
  add_link_options(-fsanitize=address,undefined -Wl,--as-needed)
endif()
if(DSE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # libFuzzer's targets see where the code went
endif()
