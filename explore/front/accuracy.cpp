#include "explore/front/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "explore/question/metric.h"
#include "models/hw/compute_timing.h"
#include "models/hw/device_reader.h"
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

const hw::Engine* priced(const hw::Device& d) {
  const int engine = d.compute_engine();
  return engine < 0 || d.npu() >= 0 ? nullptr : &d.engines[static_cast<std::size_t>(engine)];
}

/// All that the cycles of a call follow from, whatever else the device is.
bool one_price_list(const hw::Device& a, const hw::Device& b) {
  const auto *e = priced(a), *f = priced(b);
  if (!e || !f || a.kernel_library != b.kernel_library) return false;
  const auto list = [](const hw::Engine& g) {
    return std::tie(g.kind, g.macs_per_cycle, g.efficiency, g.cycles_per_mac, g.cycles_per_element,
                    g.cycles_per_mac_int16, g.cycles_per_element_int16, g.cycles_per_count, g.cycles_per_count_int16,
                    g.cycles_by_shape, g.cores, g.takes);
  };
  return list(*e) == list(*f);
}

/// Shipped devices on which times were compared with networks that took no part in fitting.
const std::vector<hw::DevicePtr>& measured_devices() {
  static const auto all = [] {
    std::vector<hw::DevicePtr> out;
    for (const auto& name : hw::library_devices()) {
      Diagnostics ignored;
      const auto device = hw::read_device(name, {}, ignored);
      if (device && device->timing_error > 0) out.push_back(device);
    }
    return out;
  }();
  return all;
}

/// What stands behind "not validated ...": empty where nothing is known.
std::string error_text(const hw::Device& device) {
  const auto error = known_error(device);
  if (!error.known()) return {};
  if (error.of.empty()) return ", " + error.text() + " on networks that its constants were not fitted to";
  return fmt::format(", {} on boards of the same price list ({}): none was measured on this one", error.text(),
                     fmt::join(error.of, ", "));
}

void judge_by_measurements(const Case& c, Front& front) {
  const double error = c.device->timing_error;
  tell_apart(error, front);
  const auto around = error_text(*c.device);
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

bool KnownError::open(double time, double limit) const {
  return time > limit ? time <= limit * (1 + share) : time > limit * (1 - share);
}

std::string KnownError::text() const {
  if (least < share) return fmt::format("± {:.2g} to {:.2g} %", 100 * least, 100 * share);
  return fmt::format("± {:.2g} %", 100 * share);
}

KnownError known_error(const hw::Device& device) {
  if (device.timing_error > 0) return {device.timing_error, device.timing_error};
  KnownError out;
  for (const auto& d : measured_devices())
    if (one_price_list(device, *d)) {
      out.least = out.of.empty() ? d->timing_error : std::min(out.least, d->timing_error);
      out.share = std::max(out.share, d->timing_error);
      out.of.push_back(d->name);
    }
  return out;
}

namespace {

void tell_open_limit(const KnownError& error, const Constraint& k, Front& front) {
  const auto limit = k.metric + " <= " + value_text(k.metric, k.limit);
  const auto times = "times on this device are off by " + error.text();
  for (const auto& l : front.least)
    if (front.points.empty() && l.metric == k.metric && l.alone.value > k.limit && error.open(l.alone.value, k.limit))
      front.infeasible_reason += fmt::format("; {}, so whether {} is met cannot be told", times, limit);
  const auto open = std::count_if(front.points.begin(), front.points.end(),
                                  [&](const Point& p) { return error.open(p.latency_us, k.limit); });
  if (open > 0)
    front.notes.push_back(
        fmt::format("{}: whether {} of {} points keep {} cannot be told", times, open, front.points.size(), limit));
}

const Point* fastest(const Front& front) {
  const auto it = std::min_element(front.points.begin(), front.points.end(),
                                   [](const Point& a, const Point& b) { return a.latency_ticks < b.latency_ticks; });
  return it == front.points.end() || it->latency_ticks <= 0 ? nullptr : &*it;
}

/// Other devices on which the network's fastest plan takes as many cycles, by the same prices.
std::vector<std::string> alike(const std::vector<Case>& cases, const std::vector<Front>& fronts, std::size_t of) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    const auto *mine = fastest(fronts[of]), *other = fastest(fronts[i]);
    if (mine && other && fronts[i].base != fronts[of].base && fronts[i].network_hash == fronts[of].network_hash &&
        mine->latency_ticks == other->latency_ticks && one_price_list(*cases[of].device, *cases[i].device))
      out.push_back(fronts[i].device);
  }
  return out;
}

}  // namespace

void tell_errors(const std::vector<Case>& cases, std::vector<Front>& fronts) {
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    const auto error = known_error(*cases[i].device);
    for (const auto& k : fronts[i].constraints)
      if (k.metric == "latency" && error.known()) tell_open_limit(error, k, fronts[i]);
    if (const auto names = alike(cases, fronts, i); !names.empty())
      fronts[i].notes.push_back(fmt::format(
          "the fastest plan takes as many cycles as on {}: one price list, and memories that add nothing to "
          "it",
          fmt::join(names, ", ")));
  }
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
