// The options that name one point of a run, for every command that takes one.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace dse::cli {

struct PointOptions {
  std::string folder, point = "knee", network, device;

  /// Adds FOLDER, --point, --network and --device to `command`; `*this` must outlive the parse.
  void add_to(CLI::App& command) {
    command.add_option("folder", folder, "folder of a run")->required();
    command
        .add_option("--point,-p", point,
                    "id, row of front.csv, knee, smallest, fastest, or an origin such as rule-based")
        ->capture_default_str();
    command.add_option("--network", network, "of this network only");
    command.add_option("--device", device, "on this device point only, as in front.csv");
  }
};

}  // namespace dse::cli
