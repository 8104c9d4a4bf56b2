// Options of commands that read a network.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
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

/// Adds `--cut`, `--integer-io` and `--float-io`. @param set gets true for integers. @param unless_told what goes
/// without either.
inline void add_part_options(CLI::App& command, bool& cut, const std::function<void(bool)>& set, bool unless_told) {
  command.add_flag("--cut", cut,
                   "only the part of a network that can run; what comes before and after it is the host's");
  const auto by_default = [&](bool value) { return unless_told == value ? " (default)" : ""; };
  auto* integers = command.add_flag_callback(
      "--integer-io", [set] { set(true); },
      std::string("what only converts between FLOAT32 and integers at a network's ends is the host's") +
          by_default(true));
  command
      .add_flag_callback(
          "--float-io", [set] { set(false); },
          std::string("inputs and outputs stay in FLOAT32 where the file has them so") + by_default(false))
      ->excludes(integers);
}

/// The same and `--cut`, `--cost`, `--integer-io` and `--float-io`.
inline void add_network_options(CLI::App& command, nn::LoadOptions& options, bool integer_io = true) {
  add_shape_option(command, options);
  add_cost_option(command, options);
  options.integer_io = integer_io, options.offer_cut = true;
  add_part_options(
      command, options.cut, [&options](bool integers) { options.integer_io = integers; }, integer_io);
}

}  // namespace dse::cli
