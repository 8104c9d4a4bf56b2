// 8 or 16 bits per layer.
#include <algorithm>
#include <cmath>
#include <map>

#include "models/nn/quantizer/groups.h"
#include "models/nn/quantizer/quantizer.h"

namespace dse::nn::quantizer {
namespace {

/// Operators whose results share a format.
struct Group {
  std::vector<std::size_t> operators;
  double noise = 0;  // at the outputs, of 8 bits here and 16 elsewhere
  double cost = 0;   // of 16 bits
};

std::vector<Group> groups_of(const Network& n) {
  const auto root = shared_quantization(n, Scheme::q_format);
  std::map<int, Group> groups;
  for (std::size_t o = 0; o < n.operators.size(); ++o)
    groups[root[static_cast<std::size_t>(n.operators[o].outputs[0])]].operators.push_back(o);
  std::vector<Group> out;
  for (auto& [_, g] : groups) out.push_back(std::move(g));
  return out;
}

/// Bytes in 8 bits of an operator's constants and results.
double bytes_of(const Network& n, const Operator& op) {
  std::int64_t bytes = 0;
  for (const int t : op.inputs)
    if (t >= 0 && n.tensors[static_cast<std::size_t>(t)].kind == TensorKind::constant)
      bytes += n.tensors[static_cast<std::size_t>(t)].elements();
  for (const int t : op.outputs) bytes += n.tensors[static_cast<std::size_t>(t)].elements();
  return static_cast<double>(bytes);
}

void set_costs(const Network& n, const BitsGoal& goal, std::vector<Group>& groups) {
  double cycles = 0, bytes = 0;
  for (const auto& op : n.operators) {
    cycles += static_cast<double>(op.macs) / goal.products8;
    bytes += bytes_of(n, op);
  }
  for (auto& g : groups)
    for (const auto o : g.operators) {
      const auto macs = static_cast<double>(n.operators[o].macs);
      const double more = std::max(0.0, macs / goal.products16 - macs / goal.products8);
      g.cost += (cycles > 0 ? more / cycles : 0) + (bytes > 0 ? bytes_of(n, n.operators[o]) / bytes : 0);
    }
}

}  // namespace

std::vector<int> choose_bits(const Network& prepared, const std::vector<Observer>& observed,
                             const std::vector<Sample>& all_samples, const QuantizeOptions& options,
                             const BitsGoal& goal, const std::string& file, Diagnostics& diags,
                             const Progress& progress) {
  // A run per group and per promotion: few samples tell enough.
  const std::vector<Sample> samples(all_samples.begin(),
                                    all_samples.begin() + std::min<std::ptrdiff_t>(4, std::ssize(all_samples)));
  const std::size_t count = prepared.operators.size();
  std::vector<int> bits(count, 8);
  if (goal.products16 <= 0) return bits;
  if (goal.products8 <= 0) return std::vector<int>(count, 16);
  bool ok = true;
  auto groups = groups_of(prepared);
  std::int64_t runs = 0;
  const auto outputs = [&](const std::vector<int>& b) {
    if (progress) progress(runs++, 2 * std::ssize(groups) + 1);
    Quantized q = quantize(prepared, observed, options, b, file, diags);
    ok = ok && q.network;
    return q.network ? measure(prepared, q, samples) : Fidelity{};
  };
  set_costs(prepared, goal, groups);
  const Fidelity best = outputs(std::vector<int>(count, 16));
  for (auto& g : groups) {
    if (!ok) return bits;
    std::vector<int> one(count, 16);
    for (const auto o : g.operators) one[o] = 8;
    g.noise = std::max(0.0, outputs(one).noise - best.noise);
  }
  const auto worth = [](const Group& g) { return g.noise / std::max(g.cost, 1e-12); };
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) { return worth(a) > worth(b); });
  for (const auto& g : groups) {
    if (!ok || outputs(bits).sqnr() >= goal.sqnr) return bits;
    for (const auto o : g.operators) bits[o] = 16;
  }
  return bits;
}

}  // namespace dse::nn::quantizer
