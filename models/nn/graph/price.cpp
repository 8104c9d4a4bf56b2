#include "models/nn/graph/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/suggest.h"
#include "models/nn/graph/calls.h"

namespace dse::nn {
namespace {

std::string type_text(const Operator& op) { return op.type.empty() ? name_of(op.kind) : op.type; }

/// "CUSTOM 'X'" goes by X as well.
bool is_type(const std::string& word, const std::string& type) {
  return type == word || type == "CUSTOM '" + word + "'";
}

/// The shorter of a type's words.
std::string word_of(const std::string& type) {
  const std::string head = "CUSTOM '";
  return type.starts_with(head) && type.ends_with('\'') ? type.substr(head.size(), type.size() - head.size() - 1)
                                                        : type;
}

}  // namespace

std::string add_cost(const std::string& text, LoadOptions& options) {
  const auto wrong = [&](const std::string& why) { return "cost '" + text + "' " + why + "; write GATHER_ND=12000"; };
  const auto equals = text.rfind('=');  // names may hold one
  if (equals == std::string::npos || equals == 0) return wrong("names no operator");
  const auto digits = text.substr(equals + 1);
  if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != std::string::npos ||
      std::stoll(digits) > max_cost)
    return wrong(fmt::format("has no number of cycles from 0 to {}", max_cost));
  if (!options.costs.emplace(text.substr(0, equals), std::stoll(digits)).second)
    return wrong("prices an operator twice");
  return {};
}

std::optional<std::int64_t> price_of(const Operator& op, const LoadOptions& options) {
  if (options.costs.empty()) return std::nullopt;
  if (const auto named = options.costs.find(op.name); named != options.costs.end()) return named->second;
  const auto type = type_text(op);
  for (const auto& word : {type, word_of(type)})
    if (const auto found = options.costs.find(word); found != options.costs.end()) return found->second;
  return std::nullopt;
}

namespace {

/// One call: reads up to two inputs, writes an output or none (-1).
void add_box(const Network& n, Operator& op, int in0, int in1, int out, std::int64_t cycles) {
  const auto bytes = [&](int t) { return static_cast<std::int32_t>(n.tensors[static_cast<std::size_t>(t)].bytes()); };
  KernelCall call;
  dse_op& k = call.op;
  k.kind = DSE_BLACK_BOX;
  k.in_h = k.in_w = k.out_h = k.out_w = 1;
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = 1;
  k.in_type = k.in2_type = k.out_type = k.weight_type = DSE_I8;
  k.in_c = in0 < 0 ? 0 : bytes(in0), k.arg[1] = in1 < 0 ? 0 : bytes(in1);
  k.out_c = out < 0 ? 1 : bytes(out), k.arg[2] = out < 0;
  k.arg[DSE_ARG_CYCLES] = static_cast<std::int32_t>(cycles);
  if (out >= 0) {
    const Tensor& t = n.tensors[static_cast<std::size_t>(out)];
    const bool of_bytes = t.type == DataType::int8 || t.type == DataType::uint8;
    if (of_bytes && !t.quantization.zero_point.empty())
      k.arg[0] = static_cast<std::uint8_t>(t.quantization.zero_point[0]);
    call.operands[DSE_OUT] = bound(out, flat_view(bytes(out), 1));
  }
  if (in0 >= 0) call.operands[DSE_IN0] = bound(in0, flat_view(bytes(in0), 1));
  if (in1 >= 0) call.operands[DSE_IN1] = bound(in1, flat_view(bytes(in1), 1));
  call.tile = {{0, 1}, {0, 1}, {0, k.out_c}, {0, k.in_c}, DSE_FIRST | DSE_LAST};
  op.calls.push_back(call);
}

}  // namespace

bool derive_price(Derivation& d, std::int64_t cycles) {
  Operator& op = d.op;
  const std::string why = op.unsupported;
  const auto refuse = [&](std::string what) { return op.unsupported = std::move(what), false; };
  if (op.outputs.empty()) return refuse("it makes nothing");
  std::vector<int> inputs;
  for (const int t : op.inputs)
    if (t >= 0 && std::count(inputs.begin(), inputs.end(), t) == 0) inputs.push_back(t);
  for (const auto* list : {&inputs, &op.outputs})
    for (const int t : *list)
      if (d.tensor(t).opaque || d.tensor(t).fill || d.tensor(t).bytes() > max_cost)
        return refuse(fmt::format("how many bytes '{}' takes is not known", d.tensor(t).name));
  if (op.type.empty()) op.type = name_of(op.kind);
  op.kind = OperatorKind::other;
  op.inputs.erase(std::remove(op.inputs.begin(), op.inputs.end(), -1), op.inputs.end());
  op.options = {};
  op.calls.clear(), op.channel_params.clear(), op.table.clear(), op.weights.clear();
  op.macs = 0;
  const std::size_t calls = std::max(op.outputs.size(), (inputs.size() + 1) / 2);
  const auto entry = [](const std::vector<int>& list, std::size_t i) { return i < list.size() ? list[i] : -1; };
  for (std::size_t i = 0; i < calls; ++i)
    add_box(d.network, op, entry(inputs, 2 * i), entry(inputs, 2 * i + 1), entry(op.outputs, i), i == 0 ? cycles : 0);
  op.kernel = op.calls.front().op;
  op.cycles = cycles;
  op.evaluation = Evaluation::kernel;
  return true;
}

bool check_costs(const Network& n, const LoadOptions& options, const std::string& file, Diagnostics& diags) {
  if (options.several) return true;
  bool ok = true;
  std::set<std::string> words;
  for (const Operator& op : n.operators) words.insert({op.name, type_text(op), word_of(type_text(op))});
  for (const auto& [word, cycles] : options.costs) {
    if (words.count(word) != 0) continue;
    const auto guess = nearest(word, {words.begin(), words.end()});
    diags.error({file, 0, 0},
                fmt::format("--cost: no operator is called {} or of that type{}", quote(word),
                            guess.empty() ? "" : "; did you mean " + guess + "?"),
                "dse inspect lists names and types");
    ok = false;
  }
  return ok;
}

bool applies(const std::string& cost, const Network& n) {
  for (const Operator& op : n.operators)
    if (op.cycles >= 0 && (op.name == cost || is_type(cost, type_text(op)))) return true;
  return std::any_of(n.host.begin(), n.host.end(),
                     [&](const HostOperator& h) { return h.name == cost || is_type(cost, h.type); });
}

bool check_priced(const Network& n, const LoadOptions& options, const std::string& file, Diagnostics& diags) {
  if (options.several) return true;
  bool ok = true;
  for (const auto& [word, cycles] : options.costs) {
    if (applies(word, n)) continue;
    diags.error({file, 0, 0},
                fmt::format("--cost: {} has a price, but what goes by it has a kernel, or another price", quote(word)),
                "only operators that cannot be run are priced");
    ok = false;
  }
  return ok;
}

std::string priced_text(const Network& n) {
  constexpr std::size_t kNamed = 12;
  std::vector<std::string> names;
  for (const Operator& op : n.operators)
    if (op.cycles >= 0) names.push_back(fmt::format("{} ({}) {} cycles", op.name, type_text(op), op.cycles));
  if (names.empty()) return {};
  for (auto& name : names)
    for (char& c : name)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';  // names come from files
  const std::size_t count = names.size(), shown = std::min(count, kNamed);
  names.resize(shown);
  return fmt::format("{} operator{} priced, not computed: {}{}", count, count == 1 ? " is" : "s are",
                     fmt::join(names, ", "), count > shown ? fmt::format(" and {} more", count - shown) : "");
}

}  // namespace dse::nn
