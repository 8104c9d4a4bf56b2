#include "plan/rules/in_place.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "plan/layer/whole_layer.h"
#include "plan/place/aliases.h"

namespace dse::plan {
namespace {

using nn::TensorKind;

bool same_view(const nn::KernelCall::Operand& a, const nn::KernelCall::Operand& b) {
  const dse_view &v = a.view, &w = b.view;
  return a.offset == b.offset && v.stride_h == w.stride_h && v.stride_w == w.stride_w && v.stride_c == w.stride_c &&
         v.elem == w.elem && v.first_h == w.first_h && v.first_c == w.first_c && v.ring_h == w.ring_h &&
         v.ring_c == w.ring_c && v.block_c == w.block_c && v.stride_block == w.stride_block;
}

/// Kernels of these kinds read an element (in pieces: 64 of them) before they write the one at the same place.
bool safe_kind(int kind) { return elementwise(kind) || kind == DSE_PRELU || kind == DSE_LOOKUP; }

bool leaves(const nn::Network& n, const std::vector<int>& root, int r) {
  return std::any_of(n.outputs.begin(), n.outputs.end(), [&](int t) { return root[t] == r; });
}

/// The last operator that reads a tensor of this root; -1 = none.
int last_reader(const nn::Network& n, const std::vector<int>& root, int r) {
  int last = -1;
  for (std::size_t t = 0; t < root.size(); ++t)
    if (root[t] == r)
      for (const int reader : n.consumers(static_cast<int>(t))) last = std::max(last, reader);
  return last;
}

/// Every call reads the tensor of this root where it writes the output.
bool aligned(const nn::Operator& op, const std::vector<int>& root, int r) {
  for (const auto& call : op.calls) {
    if (!safe_kind(call.op.kind)) return false;
    const auto& out = call.operands[DSE_OUT];
    if (!out.present || out.tensor != op.outputs[0]) return false;
    for (int role = 0; role < DSE_ROLES; ++role) {
      const auto& o = call.operands[role];
      if (role != DSE_OUT && o.present && o.tensor >= 0 && root[o.tensor] == r && !same_view(o, out)) return false;
    }
  }
  return !op.calls.empty();
}

}  // namespace

std::vector<int> inputs_to_overwrite(const nn::Network& n, int index, const std::vector<int>& root) {
  std::vector<int> out;
  const auto& op = n.operators[index];
  if (op.outputs.size() != 1 || n.tensors[op.outputs[0]].kind != TensorKind::activation) return out;
  const auto inputs = activations(n, op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int r = root[inputs[i]];
    if (n.tensors[r].kind != TensorKind::activation || n.tensors[r].bytes() != n.tensors[op.outputs[0]].bytes())
      continue;
    if (r == root[op.outputs[0]] || leaves(n, root, r) || last_reader(n, root, r) != index) continue;
    if (aligned(op, root, r)) out.push_back(static_cast<int>(i));
  }
  return out;
}

namespace {

/// The box that a call of a concatenation fills, when it moves a whole image as it is; a part without tensor: it does
/// not.
Part box_of(const nn::Network& n, const nn::KernelCall& call) {
  const auto &in = call.operands[DSE_IN0], &out = call.operands[DSE_OUT];
  if (call.op.kind != DSE_COPY || !in.present || !out.present || in.tensor < 0 || in.offset != 0) return {};
  const auto part = n.tensors[in.tensor].image(), whole = n.tensors[out.tensor].image();
  const std::int64_t elem = in.view.elem, index = out.offset / elem;
  const auto dense = [&](const dse_view& v, std::int64_t w, std::int64_t c) {
    return v.elem == elem && v.stride_c == elem && (part.w == 1 || v.stride_w == c * elem) &&
           (part.h == 1 || v.stride_h == w * c * elem);
  };
  if (call.op.out_h != part.h || call.op.out_w != part.w || call.op.out_c != part.c) return {};
  if (!dense(in.view, part.w, part.c) || !dense(out.view, whole.w, whole.c)) return {};
  const Part p{in.tensor, index / (whole.w * whole.c), index / whole.c % whole.w, index % whole.c};
  const bool inside = p.y + part.h <= whole.h && p.x + part.w <= whole.w && p.c + part.c <= whole.c;
  return inside ? p : Part{};
}

/// What a padding surrounds, when its border is of one byte's value and only around rows, columns and channels.
Part inside_of(const nn::Network& n, const nn::Operator& op) {
  const auto &in = n.tensors[op.inputs[0]], &out = n.tensors[op.outputs[0]];
  const auto& before = op.options.pad_before;
  const std::size_t rank = out.shape.size();
  for (std::size_t d = 0; d + 3 < rank; ++d)
    if (out.shape[d] != 1) return {};
  const auto border = border_of(op);
  for (std::int64_t i = 1; i < nn::size_of(in.type); ++i)
    if (border[i] != border[0]) return {};
  if (rank < 1 || before.size() != rank || nn::size_of(in.type) > 8) return {};
  const auto at = [&](std::size_t from_end) { return rank >= from_end ? before[rank - from_end] : 0; };
  if (rank == 2) return {op.inputs[0], at(2), 0, at(1)};  // rows of one column
  return {op.inputs[0], at(3), at(2), at(1)};
}

}  // namespace

std::array<std::uint8_t, 8> border_of(const nn::Operator& padding) {
  std::array<std::uint8_t, 8> out{};
  std::memcpy(out.data(), &padding.kernel.arg[19], out.size());
  return out;
}

std::vector<Part> parts_of(const nn::Network& n, int index) {
  const auto& op = n.operators[index];
  const bool joins = op.kind == nn::OperatorKind::concatenation || op.kind == nn::OperatorKind::pack;
  if ((!joins && op.kind != nn::OperatorKind::pad) || op.outputs.size() != 1) return {};
  std::vector<Part> out;
  if (joins) {
    if (op.calls.size() != op.inputs.size()) return {};
    for (const auto& call : op.calls) out.push_back(box_of(n, call));
  } else {
    out.push_back(inside_of(n, op));
  }
  const auto root = alias_roots(n, true);
  std::vector<int> seen;
  for (const auto& p : out) {
    if (p.tensor < 0) return {};
    const int r = root[p.tensor], maker = n.producer(r);
    if (n.tensors[r].kind != TensorKind::activation || maker < 0 || n.operators[maker].outputs.size() != 1) return {};
    if (leaves(n, root, r) || std::count(seen.begin(), seen.end(), r) > 0) return {};
    seen.push_back(r);
  }
  return out;
}

namespace {

/// What with_in_place makes smaller, first things first.
struct Need {
  std::int64_t on_chip, all, held;
  auto operator<=>(const Need&) const = default;
};

std::optional<Need> need_of(const nn::Network& n, const hw::Device& device, const std::vector<LayerChoice>& choices,
                            bool alias_reshapes) {
  const auto made = make_plan(n, device, choices, {.alias_reshapes = alias_reshapes});
  const auto* plan = std::get_if<Plan>(&made);
  if (!plan) return std::nullopt;
  Need need{on_chip_memory(device, plan->heights), 0, 0};
  for (const auto h : plan->heights) need.all += h;
  for (const auto& b : plan->buffers)
    if (b.role != program::BufferRole::constants) need.held += b.size * (b.last - b.first + (b.over < 0 ? 1 : 0));
  return need;
}

}  // namespace

namespace {

/// The search of with_in_place.
class Setter {
 public:
  Setter(const nn::Network& n, const hw::Device& device, const std::vector<LayerChoice>& choices, bool alias_reshapes)
      : n_(n), ample_(device), alias_reshapes_(alias_reshapes), choices_(choices) {
    for (auto& m : ample_.memories) m.size = std::int64_t{1} << 50;  // plans that do not fit may do so in place
  }

  std::vector<LayerChoice> run() {
    const auto need = need_of(n_, ample_, choices_, alias_reshapes_);
    if (!need) return choices_;
    need_ = *need;
    const auto contexts = contexts_of(n_, ample_, choices_, alias_reshapes_);
    std::vector<int> wholes, others;
    for (const int op : layers_of(n_, alias_reshapes_)) {
      if (choices_[op].in_place || !can_be_in_place(contexts[op], choices_[op])) continue;
      (parts_of(n_, op).empty() ? others : wholes).push_back(op);
    }
    set_others(others);
    set_wholes(wholes);
    std::erase_if(others, [&](int op) { return choices_[op].in_place; });
    set_others(others);  // those that made way
    return choices_;
  }

 private:
  /// Takes the choices when they make a plan that needs less, or as much where `even`.
  bool accept(std::vector<LayerChoice> choices, bool even) {
    const auto now = need_of(n_, ample_, choices, alias_reshapes_);
    if (!now) return false;
    const auto peaks = [](const Need& n) { return std::pair(n.on_chip, n.all); };
    if (even ? peaks(*now) > peaks(need_) : *now >= need_) return false;
    need_ = *now, choices_ = std::move(choices);
    return true;
  }
  std::vector<LayerChoice> with(const std::vector<LayerChoice>& choices, std::span<const int> layers) const {
    auto out = choices;
    for (const int op : layers) out[op].in_place = true;
    return out;
  }

  /// With one more whole; element-wise layers whose operands become parts make way. Nothing when it cannot be.
  std::optional<std::vector<LayerChoice>> with_whole(std::vector<LayerChoice> choices, int op) const {
    choices[op].in_place = true;
    for (;;) {
      const auto places = place_tensors(n_, choices, alias_reshapes_);
      if (places.problem.empty()) return choices;
      if (!parts_of(n_, places.problem_layer).empty()) return std::nullopt;
      choices[places.problem_layer].in_place = false;
    }
  }
  /// One after the other; and all at once, because each alone may cost more than it saves.
  void set_wholes(const std::vector<int>& layers) {
    auto all = choices_;
    for (const int op : layers)
      if (auto more = with_whole(all, op)) all = std::move(*more);
    for (const int op : layers)
      if (auto more = with_whole(choices_, op)) accept(std::move(*more), true);
    if (choices_ != all) accept(std::move(all), false);
  }
  /// As many at once as go together: alone or not, they rarely do harm.
  void set_others(std::span<const int> layers) {
    if (layers.empty() || accept(with(choices_, layers), false) || layers.size() == 1) return;
    set_others(layers.first(layers.size() / 2));
    set_others(layers.subspan(layers.size() / 2));
  }

  const nn::Network& n_;
  hw::Device ample_;
  const bool alias_reshapes_;
  std::vector<LayerChoice> choices_;
  Need need_{};
};

}  // namespace

std::vector<LayerChoice> with_in_place(const nn::Network& n, const hw::Device& device, std::vector<LayerChoice> choices,
                                       bool alias_reshapes) {
  return Setter(n, device, choices, alias_reshapes).run();
}

int filling_engine(const hw::Device& device, int memory) {
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m)
    if (const int e = device.copy_engine(m, memory); e >= 0) return e;
  return -1;
}

bool can_be_in_place(const LayerContext& context, const LayerChoice& choice) {
  const auto& n = *context.network;
  const auto root = alias_roots(n, true);
  const Home home{choice.output_memory, choice.output_layout};
  const auto inputs = inputs_to_overwrite(n, context.op, root);
  if (const auto parts = parts_of(n, context.op); !parts.empty()) {
    if (home.layout != TensorLayout::hwc) return false;
    for (int i = 0; i < context.input_count; ++i)
      if (!(context.inputs[i] == home)) return false;
    return n.operators[context.op].kind != nn::OperatorKind::pad || filling_engine(*context.device, home.memory) >= 0;
  }
  return std::any_of(inputs.begin(), inputs.end(), [&](int i) { return context.inputs[i] == home; });
}

}  // namespace dse::plan
