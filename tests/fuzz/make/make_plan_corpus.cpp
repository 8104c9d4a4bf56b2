// make_plan_corpus FOLDER: small plans of drawn networks with every operator and arithmetic, and of drawn programs.
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "models/hw/device_reader.h"
#include "models/nn/kernels/dse_factors.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "tests/deploy/random_program.h"
#include "tests/nn/factors/drawn_chain.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_state.h"
#include "tests/support/random_wide.h"

namespace {

using namespace dse;

void write(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// The smallest plan of all seeds that has a call of each kind, by kind and type of its input.
class Smallest {
 public:
  void offer(const program::Program& p) {
    const auto bytes = program::encode(p);
    for (const auto& op : p.operators) {
      auto& best =
          best_[std::to_string(op.kind) + "-" + std::to_string(op.in_type) + "-" + std::to_string(op.rounding) +
                (dse_in_factors(&op) > 0 ? "-in" : "") + (dse_out_factors(&op) > 0 ? "-out" : "")];
      if (best.empty() || bytes.size() < best.size()) best = bytes;
    }
  }
  void write_to(const std::string& folder) const {
    for (const auto& [name, bytes] : best_) write(folder + "/kind-" + name, bytes);
  }

 private:
  std::map<std::string, std::vector<std::uint8_t>> best_;
};

void offer_network(Smallest& smallest, const nn::NetworkPtr& network, test::Random& random) {
  if (!network) return;
  const auto device = test::random_device(random);
  auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device));
  if (const auto* p = std::get_if<plan::Plan>(&made)) smallest.offer(plan::lower(*network, *device, *p));
}

/// A network on a shipped device whose NPU is emulated.
void write_npu_plan(const std::string& folder, std::uint64_t seed) {
  test::Random random(seed);
  const auto network = seed % 2 ? test::random_network(random) : test::random_stateful_network(random);
  Diagnostics d;
  const auto device = hw::read_device(seed % 3 ? "corstone-u55" : "alif-ensemble-he", {}, d);
  if (!device) return;
  auto made = plan::npu::npu_plan(network, *device,
                                  plan::npu::Decisions{.rule = {}, .limit = 1 << 21, .blocks = {}, .unstaged = {}});
  if (const auto* p = std::get_if<plan::Plan>(&made))
    write(folder + "/npu-" + std::to_string(seed), program::encode(plan::lower(*network, *device, *p)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_plan_corpus FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    write(folder + "/program-" + std::to_string(seed), program::encode(test::random_program(seed, true)));
  Smallest smallest;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Random random(seed);
    offer_network(smallest, test::random_network(random), random);
    offer_network(smallest, test::random_stateful_network(random), random);
    offer_network(smallest, nn::test::drawn_chain_with_factors(static_cast<unsigned>(seed), 4), random);
    for (const auto a : {test::Arithmetic::int8, test::Arithmetic::int16, test::Arithmetic::q8, test::Arithmetic::q16,
                         test::Arithmetic::mixed})
      offer_network(smallest, test::random_wide_network(random, a), random);
  }
  smallest.write_to(folder);
  for (std::uint64_t seed = 0; seed < 6; ++seed) write_npu_plan(folder, seed);
}
