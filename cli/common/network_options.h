// Options of commands that read a network.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/nn/graph/price.h"
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

/// Adds `--cost GATHER_ND=12000`, which may be given several times.
inline void add_cost_option(CLI::App& command, nn::LoadOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--cost",
          [&options](const std::vector<std::string>& given) {
            for (const auto& text : given)
              if (const auto why = nn::add_cost(text, options); !why.empty()) throw CLI::ValidationError("--cost", why);
          },
          "what an operator that cannot be run takes, as a black box: type or name, and cycles: GATHER_ND=12000")
      ->allow_extra_args(false);
}

/// The same and `--cut` and `--cost`.
inline void add_network_options(CLI::App& command, nn::LoadOptions& options) {
  add_shape_option(command, options);
  add_cost_option(command, options);
  options.offer_cut = true;
  command.add_flag("--cut", options.cut,
                   "only the part of the network that can run; what comes before and after it is the host's");
}

}  // namespace dse::cli
