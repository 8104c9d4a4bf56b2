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

/// The same and `--cut`.
inline void add_network_options(CLI::App& command, nn::LoadOptions& options) {
  add_shape_option(command, options);
  options.offer_cut = true;
  command.add_flag("--cut", options.cut,
                   "only the part of the network that can run; what comes before and after it is the host's");
}

}  // namespace dse::cli
