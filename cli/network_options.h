// Options of commands that read a network.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::cli {

/// Adds `--shape NAME=1x3x224x224`, which may be given several times.
inline void add_shape_option(CLI::App& command, nn::LoadOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--shape",
          [&options](const std::vector<std::string>& given) {
            for (const auto& text : given)
              if (const auto why = nn::add_shape(text, options); !why.empty())
                throw CLI::ValidationError("--shape", why);
          },
          "shape of an input that an ONNX file leaves open: NAME=1x3x224x224")
      ->allow_extra_args(false);
}

}  // namespace dse::cli
