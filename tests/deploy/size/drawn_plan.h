// Drawn plans on drawn devices, as packages are made of them.
#pragma once
#include <optional>

#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "tests/deploy/shipment.h"
#include "tests/support/random_state.h"

namespace dse::test {

struct DrawnPlan {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  plan::Plan plan;
  program::Program program;
  deploy::ByteVectors inputs, outputs;  // seeded, and what the interpreter makes of them
  /// It must outlive what is made of it.
  deploy::Shipment shipment(deploy::KernelSet kernels) const {
    auto out = shipment_of(program, plan::constants_image(*network, *device, plan), inputs, outputs);
    out.kernels = kernels;
    return out;
  }
};

/// Nothing where what is drawn does not fit.
inline std::optional<DrawnPlan> drawn_plan(std::uint64_t seed) {
  Random random(seed);
  const nn::NetworkPtr n = seed % 2 ? random_stateful_network(random) : random_network(random);
  const hw::DevicePtr d = random_device(random);
  auto made = plan::make_plan(*n, *d, random_choices(random, *n, *d));
  auto* plan = std::get_if<plan::Plan>(&made);
  if (!plan) return std::nullopt;
  auto program = plan::lower(*n, *d, *plan);
  const auto inputs = nn::seeded_inputs(*n, seed);
  deploy::ByteVectors outputs;
  const auto truth = nn::interpret(*n, inputs);
  for (const int t : n->outputs) outputs.push_back(truth[static_cast<std::size_t>(t)]);
  return DrawnPlan{n, d, std::move(*plan), std::move(program), inputs, std::move(outputs)};
}

}  // namespace dse::test
