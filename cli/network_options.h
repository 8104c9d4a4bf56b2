// Options of commands that read a network.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::cli {

/// "input=1x3x224x224" into LoadOptions::shapes. @throws CLI::ValidationError on anything else.
inline void read_shape(const std::string& text, nn::LoadOptions& options) {
  const auto wrong = [&](const std::string& why) {
    return CLI::ValidationError("--shape", "'" + text + "' " + why + "; write NAME=1x3x224x224");
  };
  const auto equals = text.rfind('=');  // names may hold one
  if (equals == std::string::npos || equals == 0) throw wrong("names no input");
  std::vector<std::int64_t> shape;
  for (std::size_t at = equals + 1;;) {
    const auto end = std::min(text.find('x', at), text.size());
    const auto digits = text.substr(at, end - at);
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      throw wrong("has no extents of the form 1x3x224x224");
    shape.push_back(std::stoll(digits));
    if (shape.back() < 1) throw wrong("has an extent of 0");
    if (end == text.size()) break;
    at = end + 1;
  }
  if (!options.shapes.emplace(text.substr(0, equals), std::move(shape)).second) throw wrong("gives an input twice");
}

/// Adds `--shape NAME=1x3x224x224`, which may be given several times.
inline void add_shape_option(CLI::App& command, nn::LoadOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--shape",
          [&options](const std::vector<std::string>& given) {
            for (const auto& text : given) read_shape(text, options);
          },
          "shape of an input that an ONNX file leaves open: NAME=1x3x224x224")
      ->allow_extra_args(false);
}

}  // namespace dse::cli
