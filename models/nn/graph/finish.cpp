#include "models/nn/graph/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "models/nn/derive/derive.h"
#include "models/nn/graph/check/factors.h"
#include "models/nn/graph/check/faults.h"
#include "models/nn/graph/check/ports.h"
#include "models/nn/graph/check/tensors.h"
#include "models/nn/graph/check/wiring.h"
#include "models/nn/graph/cut.h"
#include "models/nn/graph/ends/integer_ends.h"
#include "models/nn/graph/price.h"
#include "models/nn/graph/sums/factors.h"
#include "models/nn/graph/sums/sum_bits.h"
#include "models/nn/graph/views.h"

namespace dse::nn {

namespace {

bool check_options(Derivation& d) {
  const OperatorOptions& o = d.op.options;
  for (const int v : {o.stride_h, o.stride_w, o.dilation_h, o.dilation_w})
    if (v < 1 || v > max_window)
      return d.fail(fmt::format("stride or dilation {} is not within 1 to {}", v, max_window));
  return true;
}

/// Float arithmetic: some operand or result is float32. The two conversions have kernels.
bool computes_in_float(const Derivation& d) {
  if (family_of(d.op.kind) == OperatorFamily::quantize) return false;
  const auto is_float = [&](int t) { return t >= 0 && d.tensor(t).type == DataType::float32; };
  return std::any_of(d.op.inputs.begin(), d.op.inputs.end(), is_float) ||
         std::any_of(d.op.outputs.begin(), d.op.outputs.end(), is_float);
}

/// What the calls cost beyond their products: the numbers of multiply-accumulates where extents do not tell, and in Q
/// formats whether storing an output takes a shift or a correction.
void note_costs(Operator& op) {
  for (auto& call : op.calls) {
    dse_op& k = call.op;
    if (k.kind == DSE_SVDF || k.kind == DSE_LSTM)
      k.arg[DSE_ARG_MACS] = static_cast<std::int32_t>(std::min<std::int64_t>(op.macs, 2147483647));
    if (k.rounding != DSE_ROUND_QFORMAT || op.channel_params.empty()) continue;
    // Records end in {factor, shift}. The high half of a fractional product is a shift by the weight's bits less one.
    const std::size_t words = static_cast<std::size_t>(dse_record_bytes(&k)) / 4;
    const std::int32_t high_half = k.weight_type == DSE_I16 ? 15 : 7;
    for (std::size_t r = words; r <= op.channel_params.size(); r += words) {
      if (op.channel_params[r - 1] != high_half) k.arg[DSE_ARG_STORE] |= DSE_STORE_SHIFTS;
      if (op.channel_params[r - 2] != 1) k.arg[DSE_ARG_STORE] |= DSE_STORE_CORRECTS;
    }
  }
}

/// @param told that the network computes in float; once is enough.
bool derive(Derivation& d, const LoadOptions& options, bool& told) {
  Operator& op = d.op;
  if (!op.unsupported.empty()) {  // the importer knows why
    const std::string why = std::exchange(op.unsupported, {});
    return d.fail(why);
  }
  if (op.kind == OperatorKind::other) return d.fail("this operator is not supported");
  if (computes_in_float(d)) {
    if (!options.allow_float && std::exchange(told, true) && !options.keep_unsupported) return false;
    if (!options.allow_float)
      return d.fail("computes in FLOAT32, and there are only integer kernels",
                    "quantise the network first: dse quantize");
    if (!derive_float(d)) return false;
    op.evaluation = Evaluation::floating;
    return true;
  }
  for (const int t : op.inputs)
    if (t >= 0 && d.tensor(t).fill)
      return d.fail(fmt::format("input '{}' is a constant given by a rule, which no kernel reads", d.tensor(t).name));
  if (!derive_integer(d)) return false;
  if (op.calls.empty()) add_plain_call(d.network, op);
  note_costs(op);
  op.kernel = op.calls.front().op;
  op.evaluation = Evaluation::kernel;
  op.sum_bits = sum_bits(d.network, op);
  return true;
}

/// The operator's own arithmetic where integer kernels have it, else the price. Float arithmetic is priced, too.
bool derive_or_price(Derivation& d, const LoadOptions& options, std::int64_t cycles) {
  LoadOptions integer = options;
  integer.allow_float = false, integer.keep_unsupported = true;
  bool told = false;
  return derive(d, integer, told) || derive_price(d, cycles);
}

}  // namespace

void name_operators(Network& n) {
  std::map<OperatorKind, int> running;
  std::set<std::string> taken;
  for (const auto& op : n.operators) taken.insert(op.name);
  for (auto& op : n.operators) {
    int& number = running[op.kind];
    if (!op.name.empty()) {
      ++number;
      continue;
    }
    do op.name = key_of(op.kind) + std::to_string(number++);
    while (!taken.insert(op.name).second);
  }
}

namespace {

NetworkPtr finish_whole(Network network, Diagnostics& diags, const std::string& file, const LoadOptions& options) {
  if (!check_tensors(network, file, diags)) return nullptr;
  settle_outputs(network);
  // What lacks all of these would be told once per operator or port, too.
  for (const auto& [lacks, what] : {std::pair{network.operators.empty(), "operators"},
                                    {network.inputs.empty(), "input"},
                                    {network.outputs.empty(), "output"}}) {
    if (!lacks) continue;
    diags.error({file, 0, 0}, fmt::format("the network has no {}", what));
    return nullptr;
  }
  bool told = false;
  std::vector<bool> made(network.tensors.size()), missed(network.tensors.size());
  std::vector<int> factors(network.tensors.size(), -1);
  for (std::size_t t = 0; t < made.size(); ++t) made[t] = network.tensors[t].kind != TensorKind::activation;
  bool ok = true;
  Faults faults;
  for (std::size_t o = 0; o < network.operators.size(); ++o) {
    Operator& op = network.operators[o];
    const std::string type = op.type.empty() ? name_of(op.kind) : op.type;
    const auto price = price_of(op, options);
    const bool kept = options.keep_unsupported || price;
    const std::string where = fmt::format("operator {} ({})", o, type);
    Diagnostics told_of;
    Derivation d(network, op, where, file, told_of, kept);
    if (!check_wiring(d, made, missed)) {
      ok = false;
      // One error is enough: those who read what it would have made are not told off as well.
      for (const int t : op.outputs)
        if (t >= 0 && static_cast<std::size_t>(t) < made.size()) made[static_cast<std::size_t>(t)] = true;
      faults.add(type, where, told_of);
      continue;
    }
    bool runs = check_options(d) && check_factors(d, factors) &&
                (price ? derive_or_price(d, options, *price) : derive(d, options, told));
    faults.add(type, where, told_of);
    if (!runs) op.evaluation = Evaluation::none, op.calls.clear();
    follow_factors(network, op, factors);
    ok = (runs || options.keep_unsupported) && ok;
    if (!runs && price && !options.keep_unsupported)
      diags.error({file, 0, 0}, fmt::format("operator {} ({}): cannot be priced: {}", o, type, op.unsupported));
  }
  faults.tell(diags);
  ok = check_ports(network, made, file, diags) && ok;
  for (const int t : network.outputs)
    if (ok && factors[static_cast<std::size_t>(t)] >= 0) {
      diags.error({file, 0, 0}, fmt::format("output '{}' has factors, which nobody outside would know",
                                            network.tensors[static_cast<std::size_t>(t)].name));
      ok = false;
    }
  if (!ok) return nullptr;
  name_operators(network);
  return std::make_shared<const Network>(std::move(network));
}

/// Ends that are the host's without anybody's asking are told.
void tell_ends(const std::vector<std::string>& ends, const std::string& file, Diagnostics& diags) {
  constexpr std::size_t most = 4;
  const std::vector<std::string> shown(ends.begin(), ends.begin() + std::min(most, ends.size()));
  diags.note({file, 0, 0},
             fmt::format("its ends only convert, and are the host's: {}{}", fmt::join(shown, ", "),
                         ends.size() > most ? fmt::format(" and {} more", ends.size() - most) : ""),
             "--float-io keeps conversions on the device");
}

}  // namespace

NetworkPtr finish_network(Network network, Diagnostics& diags, const std::string& file, const LoadOptions& options) {
  std::vector<std::string> ends;
  if (options.integer_io) name_operators(network);  // by the names that they have with their ends
  network = integer_ends(std::move(network), options, ends);
  LoadOptions stage = options;
  if (options.cut) {
    stage.allow_float = false, stage.keep_unsupported = true;
    const auto whole = finish_whole(std::move(network), diags, file, stage);
    if (!whole) return nullptr;
    auto part = cut_network(*whole);
    if (!part) {
      diags.error({file, 0, 0}, "no operator of the network can be run, so that there is nothing to cut off from it");
      return nullptr;
    }
    stage.keep_unsupported = false;
    network = std::move(*part);
  }
  auto done = finish_whole(std::move(network), diags, file, stage);
  if (done && !ends.empty()) tell_ends(ends, file, diags);
  return done;
}

}  // namespace dse::nn
