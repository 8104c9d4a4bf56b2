// Build files of a package, for the projects that it goes into.
#include "deploy/export/projects.h"

#include <fmt/format.h>

#include <algorithm>

#include "deploy/export/generate_c.h"
#include "deploy/size/ram.h"

namespace dse::deploy {

namespace {

/// What only the self-test on a host needs.
bool is_trial(const std::string& name, const std::string& prefix) {
  return name == "main.c" || name == prefix + "_selftest.c" || name == prefix + "_test_vector.c" ||
         name == prefix + "_port_random.c";
}

std::vector<std::string> sources_of(const TextFiles& files, const std::string& prefix, bool trial) {
  std::vector<std::string> out;
  for (const auto& [name, text] : files)
    if (name.ends_with(".c") && name.find('/') == std::string::npos && is_trial(name, prefix) == trial)
      out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

std::string lines(const std::vector<std::string>& names, const std::string& before, const std::string& after = "") {
  std::string out;
  for (const auto& n : names) out += before + n + after + "\n";
  return out;
}

std::string cmake(const std::vector<std::string>& firmware, const std::vector<std::string>& trial,
                  const std::string& prefix) {
  return fmt::format(
      "# A library of this package, and its self-test; in ESP-IDF, a component.\n"
      "cmake_minimum_required(VERSION 3.16)\nset({0}_sources\n{1})\n\n"
      "if(ESP_PLATFORM)\n  idf_component_register(SRCS ${{{0}_sources}} INCLUDE_DIRS .)\n  return()\nendif()\n\n"
      "project({0}_package C)\nadd_library({0}_package STATIC ${{{0}_sources}})\n"
      "target_include_directories({0}_package PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
      "set_target_properties({0}_package PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON)\n"
      "target_compile_options({0}_package PRIVATE "
      "$<$<C_COMPILER_ID:GNU,Clang>:-ffunction-sections;-fdata-sections>)\n\n"
      "if(NOT CMAKE_CROSSCOMPILING AND CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)\n"
      "  add_executable({0}_selftest\n{2})\n"
      "  target_link_libraries({0}_selftest PRIVATE {0}_package)\n  enable_testing()\n"
      "  add_test(NAME selftest COMMAND {0}_selftest)\nendif()\n",
      prefix, lines(firmware, "  "), lines(trial, "    "));
}

/// Where the kernels come from that are not the package's.
std::string library_cmake(KernelSet kernels, const std::string& prefix) {
  const std::string capitals = capitals_of(prefix);
  if (kernels == KernelSet::own)
    return fmt::format(
        "\nset({1}_OWN_KERNELS \"\" CACHE STRING \"header that declares kernels of your own\")\n"
        "if({1}_OWN_KERNELS)\n"
        "  target_compile_definitions({0}_package PRIVATE {1}_OWN_KERNELS=\"${{{1}_OWN_KERNELS}}\")\nendif()\n",
        prefix, capitals);
  if (kernels != KernelSet::cmsis_nn) return {};
  return fmt::format(
      "\n# A target cmsis-nn of the project around this one, or the folder of its sources.\n"
      "set({1}_CMSIS_NN \"\" CACHE PATH \"folder of CMSIS-NN: Include and Source\")\n"
      "if(NOT TARGET cmsis-nn)\n"
      "  if(NOT EXISTS \"${{{1}_CMSIS_NN}}/Include/arm_nnfunctions.h\")\n"
      "    message(FATAL_ERROR \"{1}_CMSIS_NN is not the folder of CMSIS-NN: '${{{1}_CMSIS_NN}}'\")\n  endif()\n"
      "  file(GLOB {0}_kernels ${{{1}_CMSIS_NN}}/Source/*/*.c)\n"
      "  list(FILTER {0}_kernels EXCLUDE REGEX \"f(16|32)[.]c$\")\n"
      "  add_library(cmsis-nn STATIC ${{{0}_kernels}})\n"
      "  target_include_directories(cmsis-nn SYSTEM PUBLIC ${{{1}_CMSIS_NN}}/Include)\nendif()\n"
      "target_link_libraries({0}_package PUBLIC cmsis-nn)\n",
      prefix, capitals);
}

/// Where arenas and weights may be placed, for a linker script to include within SECTIONS.
std::string linker_snippet(const program::Program& p, const std::string& prefix) {
  std::string out = fmt::format(
      "/* To be included within SECTIONS of a linker script that has these memories. Compile the package with\n"
      " * -D{0}_MEMORY_<name>='__attribute__((section(\".{1}.<name>\")))'\n"
      " * -D{0}_WEIGHTS_ATTRIBUTE='__attribute__((section(\".{1}.weights\")))' */\n",
      capitals_of(prefix), prefix);
  const auto ram = arena_ram(p, p.constants_size);
  for (std::size_t i = 0; i < p.arenas.size(); ++i)
    if (ram[i].object > 0)
      out += fmt::format(".{0}.{1} (NOLOAD) : ALIGN({2}) {{ *(.{0}.{1}) }} > {1} /* {3} bytes */\n", prefix,
                         macro_of(p, i), std::max(p.arenas[i].alignment, 8), p.arenas[i].size);
  return out + fmt::format(".{0}.weights : ALIGN(16) {{ *(.{0}.weights) }} > FLASH\n", prefix);
}

}  // namespace

std::vector<std::string> project_kinds() { return {"cmake", "esp-idf", "stm32cube", "zephyr"}; }

TextFiles project_files(const TextFiles& files, const program::Program& p, const std::string& prefix, KernelSet kernels,
                        const std::vector<std::string>& kinds) {
  const auto firmware = sources_of(files, prefix, false), trial = sources_of(files, prefix, true);
  TextFiles out{{"CMakeLists.txt", cmake(firmware, trial, prefix) + library_cmake(kernels, prefix)},
                {"memories.ld", linker_snippet(p, prefix)}};
  for (const auto& kind : kinds) {
    if (kind == "zephyr") {
      out.emplace_back(
          "zephyr/module.yml",
          fmt::format("name: {}\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n", prefix + "_package"));
      out.emplace_back("zephyr/Kconfig",
                       fmt::format("config {}_PACKAGE\n\tbool \"The neural network of {}.h\"\n\tdefault y\n",
                                   capitals_of(prefix), prefix));
      out.emplace_back("zephyr/CMakeLists.txt",
                       fmt::format("zephyr_library_named({0}_package)\nzephyr_library_sources(\n{1})\n"
                                   "zephyr_include_directories(${{CMAKE_CURRENT_SOURCE_DIR}}/..)\n",
                                   prefix, lines(firmware, "  ${CMAKE_CURRENT_SOURCE_DIR}/../")));
    } else if (kind == "esp-idf") {
      out.emplace_back("idf_component.yml",
                       "version: \"1.0.0\"\ndescription: A neural network with its plan, as C99\n");
    } else if (kind == "stm32cube") {
      out.emplace_back("stm32cube.mk",
                       fmt::format("# For a Makefile of STM32CubeMX: set {0}_DIR, include this after C_SOURCES and "
                                   "C_INCLUDES are there.\nC_SOURCES += \\\n{1}\nC_INCLUDES += -I$({0}_DIR)\n",
                                   prefix, lines(firmware, fmt::format("  $({}_DIR)/", prefix), " \\")));
    }
  }
  return out;
}

}  // namespace dse::deploy
