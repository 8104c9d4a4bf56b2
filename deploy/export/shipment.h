// What a package is made of: points of one front, a test vector, and how they are to be shipped.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deploy/export/generate_c.h"
#include "deploy/export/kernels.h"
#include "deploy/format/contents.h"
#include "deploy/format/sealed.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "program/program.h"

namespace dse::deploy {

/// A point of a run, lowered.
struct ShippedPoint {
  std::shared_ptr<const program::Program> program;
  Bytes constants;                 // the image that the program's constants arena holds
  std::int64_t latency_ticks = 0;  // cycles of the device's fastest clock, from the first task to the last output byte
  std::int64_t startup_bytes = 0;  // resident weights copied once
  std::string id;                  // of the plan, e.g. "3fa9c2d1"
  std::string plan;                // as a document
};

struct Shipment {
  std::vector<ShippedPoint> points;                        // fastest first; of one network on one device
  ByteVectors inputs, outputs;                             // one test vector
  std::string device;                                      // the device file and what was overridden (Contents::device)
  std::string accuracy = "not validated against silicon";  // what stands beside every latency
  std::string tool;                                        // that wrote it, with its version
  std::string command;                                     // that exported it
  /// Further documents to put into the folder: (file name, text), e.g. ("plan.yaml", ...).
  std::vector<std::pair<std::string, std::string>> documents;

  Style style = Style::interpreted;
  std::string prefix = "dse";         // of every symbol
  bool parity = false;                // check bits
  std::optional<Key> key;             // encrypts
  bool nameless = false;              // with a key: what stays readable tells no names and no hashes
  std::vector<std::string> projects;  // build files beside CMake's (project_kinds())
  KernelSet kernels = KernelSet::reference;
  std::string library;             // folder of the kernels that are not the package's, for `check`
  std::vector<std::string> check;  // targets that the self-test is to pass on (check_targets())
};

}  // namespace dse::deploy
