#include "explore/front/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/hw/compute_timing.h"
#include "models/hw/ethos_u/of_device.h"
#include "models/hw/libraries/shape_table.h"
#include "models/hw/library.h"

namespace dse::explore {
namespace {

/// The structure of the shipped network of this name; empty if there is none, or none that can be read.
std::string shipped_structure(const std::string& name) {
  static std::map<std::string, std::string> known;
  if (name.empty() || name.find('/') != std::string::npos) return {};
  const auto [it, fresh] = known.emplace(name, "");
  if (!fresh) return it->second;
  Diagnostics ignored;
  const auto file = hw::config_file("networks/" + name + ".yaml");
  const auto network = file ? nn::load_network(*file, ignored) : nullptr;
  if (network) it->second = network->structure_hash();
  return it->second;
}

bool has_wide_work(const nn::Network& network) {
  return std::any_of(network.operators.begin(), network.operators.end(), [&](const nn::Operator& op) {
    const auto wide = [&](int t) {
      return t >= 0 && network.tensors[static_cast<std::size_t>(t)].type == nn::DataType::int16;
    };
    if (op.options.spectral) return wide(op.inputs[0]) || wide(op.outputs[0]);  // spectra have prices of their own
    return std::any_of(op.inputs.begin(), op.inputs.end(), wide) ||
           std::any_of(op.outputs.begin(), op.outputs.end(), wide);
  });
}

/// Layers with calls that an engine with a table times by its rates, unless they are cut into calls that rows cover.
std::vector<std::string> beyond_the_table(const hw::Engine& engine, const nn::Network& network) {
  std::vector<std::string> out;
  for (const auto& op : network.operators)
    if (std::any_of(op.calls.begin(), op.calls.end(), [&](const nn::KernelCall& call) {
          const auto work = program::call_on(call.op, call.tile);
          return hw::table_is_asked(engine, work) && !hw::table_covers(engine, work) &&
                 hw::why_not_timed(engine, work).empty();
        }))
      out.push_back(op.name);
  return out;
}

/// From the smallest on: the next that is told apart is faster by the error.
void tell_apart(double error, Front& front) {
  if (error <= 0 || front.objectives != std::vector<std::string>{"memory", "latency"}) return;
  const Point* apart = nullptr;
  std::size_t alike = 0;
  for (auto& p : front.points) {
    const bool faster =
        !apart || static_cast<double>(apart->latency_ticks) >= (1 + error) * static_cast<double>(p.latency_ticks);
    if (faster)
      apart = &p;
    else
      p.as_fast_as = apart->id, ++alike;
  }
  if (alike > 0)
    front.notes.push_back(fmt::format(
        "{} of {} points are faster than a smaller one by less than the ± {:.2g} % that times on this device are off",
        alike, front.points.size(), 100 * error));
}

void judge_by_measurements(const Case& c, Front& front) {
  const double error = c.device->timing_error;
  tell_apart(error, front);
  const std::string around =
      error > 0 ? fmt::format(", ± {:.2g} % on networks that its constants were not fitted to", 100 * error) : "";
  if (c.device->validated.empty()) {
    front.accuracy += around;
    return;
  }
  const auto structure = c.network->structure_hash();
  front.accuracy = "not validated on this network" + around;
  const Point* whole = nullptr;
  for (const auto& p : front.marked)
    if (p.origin == "TFLM today") whole = &p;
  for (const auto& row : c.device->validated) {
    const auto measured = row.structure.empty() ? shipped_structure(row.network) : row.structure;
    if (measured.empty() && row.network == c.network->name)
      front.accuracy = fmt::format(
          "not validated: the device file measured a network of this name, but not of which structure (structure: {} "
          "in its row would say this one)",
          structure);
    if (measured != structure || !whole || row.cycles <= 0) continue;
    const double off = 100.0 * (static_cast<double>(whole->latency_ticks) - static_cast<double>(row.cycles)) /
                       static_cast<double>(row.cycles);
    front.accuracy = fmt::format("{:+.1f} % against {} cycles measured on silicon, layer by layer ({}; {})", off,
                                 row.cycles, row.role, row.source) +
                     around;
    return;
  }
}

}  // namespace

void judge_accuracy(const Case& c, Front& front) {
  judge_by_measurements(c, front);
  const auto npu = hw::ethos_u::npu_of(*c.device);
  if (const auto note = npu ? hw::ethos_u::unvalidated(npu->npu.acc()) : ""; !note.empty())
    front.accuracy += fmt::format("; {}", note);
}

std::vector<std::string> timing_notes(const Case& c) {
  std::vector<std::string> out;
  const int index = c.device->compute_engine();
  if (index < 0) return out;
  const auto& engine = c.device->engines[static_cast<std::size_t>(index)];
  const hw::ComputeTiming timing(engine, c.device->kernel_library);
  if (!timing.times_accesses())
    out.push_back(fmt::format(
        "times on this engine do not depend on memory speed: the table of {} ({}) has cycles per multiply-accumulate "
        "and per element, none per access to a memory",
        engine.name, hw::name_of(engine.kind)));
  if (const auto names = beyond_the_table(engine, *c.network); !names.empty())
    out.push_back(fmt::format(
        "calls that no row of the table of {} covers are timed by its rates: those of {}, where they are not cut into "
        "smaller ones",
        engine.name, fmt::join(names, ", ")));
  if (!timing.tells_widths_apart() && has_wide_work(*c.network))
    out.push_back(
        fmt::format("16-bit work on a CPU table made for 8 bits: {} has one rate for both, so {} is timed "
                    "as if it were 8 bits wide",
                    engine.name, c.network_name()));
  return out;
}

}  // namespace dse::explore
