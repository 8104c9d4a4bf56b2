#include "plan/npu/emulate/meaning.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "base/diagnostics.h"
#include "base/index.h"
#include "base/units.h"
#include "plan/npu/emulate/coded.h"
#include "plan/npu/emulate/views.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

namespace {

using Words = std::vector<std::int32_t>;

class Writer {
 public:
  Writer(const nn::Network& network, const Costs& costs, const Schedule& schedule, const Places& places,
         std::deque<dse_op>& operators)
      : network_(network),
        costs_(costs),
        schedule_(schedule),
        views_(costs, places),
        places_(places),
        operators_(operators),
        first_(static_cast<std::int32_t>(operators.size())),
        pieces_(network.operators.size(), {-1, -1}) {
    for (int i = 0; i < costs.count(); ++i) {
      auto& [first, last] = pieces_[index(costs.op(i).source)];
      if (first < 0) first = i;
      last = i;
    }
  }

  std::vector<std::uint8_t> run(const Stream& stream, const std::array<RegionAt, 3>& regions) {
    std::map<int, std::int32_t> number;  // of an operation among the records
    std::vector<Words> records;
    Words kernels;
    for (const Part& p : stream.kernels) {
      const auto [at, fresh] = number.try_emplace(p.operation, static_cast<std::int32_t>(records.size()));
      if (fresh) records.push_back(record(p.operation));
      for (const std::int32_t v : {at->second, p.y0, p.y1, p.c0, p.c1}) kernels.push_back(v);
    }
    Words out(DSE_NPU_HEAD_WORDS, 0);
    std::size_t at = out.size() + records.size() + kernels.size();
    for (const Words& r : records) out.push_back(static_cast<std::int32_t>(at)), at += r.size();
    out.insert(out.end(), kernels.begin(), kernels.end());
    for (const Words& r : records) out.insert(out.end(), r.begin(), r.end());
    out[DSE_NPU_HEAD_FIRST_OPERATOR] = first_;
    out[DSE_NPU_HEAD_OPERATORS] = static_cast<std::int32_t>(operators_.size()) - first_;
    out[DSE_NPU_HEAD_HELD] = word(round_up(held_, kWord));
    out[DSE_NPU_HEAD_MEMORY] = word(round_up(held_, kWord) + round_up(passing_, kWord));
    out[DSE_NPU_HEAD_OPERATIONS] = static_cast<std::int32_t>(records.size());
    out[DSE_NPU_HEAD_KERNELS] = static_cast<std::int32_t>(stream.kernels.size());
    out[DSE_NPU_HEAD_CONSTANTS] = static_cast<std::int32_t>(4 * out.size());
    for (std::size_t r = 0; r < regions.size(); ++r) {
      std::int32_t* to = &out[DSE_NPU_HEAD_REGION + 3 * r];
      to[0] = regions[r].arena, to[1] = word(regions[r].offset), to[2] = word(regions[r].size);
    }
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t w : out)
      for (int b = 0; b < 32; b += 8) bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(w) >> b));
    bytes.insert(bytes.end(), constants_.begin(), constants_.end());
    return bytes;
  }

 private:
  static constexpr std::int64_t kWord = 8;

  const nn::Operator& source_of(int operation) const { return network_.operators[index(costs_.op(operation).source)]; }
  bool is_constant(int tensor) const { return network_.tensors[index(tensor)].kind == nn::TensorKind::constant; }
  bool is_variable(int tensor) const { return network_.tensors[index(tensor)].kind == nn::TensorKind::variable; }
  int graph_tensor(int tensor) const { return costs_.graph().of_network[index(tensor)]; }
  static std::int32_t word(std::int64_t v) {
    ensure(v >= 0 && v <= INT32_MAX, "a meaning of more than 2 GiB");
    return static_cast<std::int32_t>(v);
  }

  Words record(int operation) {
    const auto& [first, last] = pieces_[index(costs_.op(operation).source)];
    return as_a_whole(source_of(operation).kind, first != last) ? calls_record(operation) : blocks_record(operation);
  }

  // --- calls

  using Operands = std::array<std::optional<Place>, DSE_ROLES>;

  Words call(const dse_op& op, const dse_tile& tile, const Operands& operands) {
    operators_.push_back(op);
    Words out{static_cast<std::int32_t>(operators_.size()) - 1 - first_};
    for (const dse_span& s : {tile.y, tile.x, tile.c, tile.k}) out.push_back(s.lo), out.push_back(s.hi);
    out.push_back(static_cast<std::int32_t>(tile.flags));
    std::int32_t mask = 0;
    for (int role = 0; role < DSE_ROLES; ++role)
      if (operands[index(role)]) mask |= 1 << role;
    out.push_back(mask);
    for (const auto& p : operands) {
      if (!p) continue;
      const dse_view& v = p->view;
      for (const std::int32_t w :
           {static_cast<std::int32_t>(p->where), word(p->offset), static_cast<std::int32_t>(p->ring), v.stride_h,
            v.stride_w, v.stride_c, v.first_h, v.first_c, v.ring_h, v.ring_c, v.block_c, v.stride_block, v.elem})
        out.push_back(w);
    }
    passing_ = std::max<std::int64_t>(passing_, dse_scratch_bytes(&operators_.back(), &tile));
    return out;
  }

  /// Constants that lie in no region.
  template <class T>
  Place kept(const std::vector<T>& data, const nn::KernelCall::Operand& operand) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(data.data());
    const auto [at, fresh] = kept_.try_emplace(from, constants_.size());
    if (fresh) {
      constants_.insert(constants_.end(), from, from + data.size() * sizeof(T));
      constants_.resize(index(round_up(std::ssize(constants_), kWord)));
    }
    return {DSE_NPU_IN_MEANING, static_cast<std::int64_t>(at->second) + operand.offset, DSE_NPU_NO_RING, operand.view};
  }

  Place constant(const nn::Operator& op, std::size_t role, const nn::KernelCall::Operand& operand) {
    if (operand.tensor >= 0) {
      const int t = graph_tensor(operand.tensor);
      if (t >= 0 && costs_.tensor(t).constant && places_.tensor[index(t)] >= 0)
        return {DSE_NPU_CONSTANTS, places_.tensor[index(t)] + operand.offset, DSE_NPU_NO_RING, operand.view};
      return kept(network_.tensors[index(operand.tensor)].data, operand);
    }
    if (role == DSE_QPARAMS) return kept(op.channel_params, operand);
    if (role == DSE_LUT) return kept(op.table, operand);
    auto [at, fresh] = filters_.try_emplace(&op);
    if (fresh) at->second = nn::filter_major_weights(network_, op);
    return kept(at->second, operand);
  }

  // --- operators as a whole

  Words calls_record(int operation) {
    const nn::Operator& op = source_of(operation);
    const auto& [first, last] = pieces_[index(costs_.op(operation).source)];
    Words all;
    std::int32_t count = 0;
    const auto add = [&](const Words& w) { all.insert(all.end(), w.begin(), w.end()), ++count; };
    const std::map<int, std::int64_t> held = held_of(op, first, last);
    if (operation == first) {
      for (const int t : op.inputs)
        if (t >= 0 && held.count(t)) add(copy(tensor(graph_tensor(t)), hold(graph_tensor(t), held.at(t)), t));
      for (const nn::KernelCall& c : op.calls) {
        Operands operands;
        for (std::size_t role = 0; role < DSE_ROLES; ++role) {
          const auto& o = c.operands[role];
          if (!o.present || role == DSE_SCRATCH) continue;
          if (o.tensor < 0 || is_constant(o.tensor))
            operands[role] = constant(op, role, o);
          else if (held.count(o.tensor))
            operands[role] = Place{DSE_NPU_IN_MEMORY, held.at(o.tensor) + o.offset, DSE_NPU_NO_RING, o.view};
          else
            operands[role] = views_.of(graph_tensor(o.tensor), o, DSE_NPU_NO_RING);
        }
        add(call(c.op, c.tile, operands));
      }
    }
    if (operation == last) {
      for (const int t : op.inputs)
        if (t >= 0 && is_variable(t)) add(copy(hold(graph_tensor(t), held.at(t)), tensor(graph_tensor(t)), t));
      const int out = costs_.op(operation).ofm;
      add(copy(hold(out, held.at(op.outputs[0])), tensor(out), op.outputs[0]));
    }
    Words made{DSE_NPU_CALLS, count};
    made.insert(made.end(), all.begin(), all.end());
    return made;
  }

  /// What lies in working memory from the first piece to the last: outputs, states, and inputs that are no rows. Those
  /// of another operator may take its place, since pieces follow each other.
  std::map<int, std::int64_t> held_of(const nn::Operator& op, int first, int last) {
    for (int i = first; i <= last; ++i) ensure(&source_of(i) == &op, "pieces of two operators in turn");
    std::map<int, std::int64_t> out;
    std::int64_t at = 0;
    const auto add = [&](int t) {
      if (out.try_emplace(t, at).second) at += round_up(network_.tensors[index(t)].bytes(), kWord);
    };
    for (const int t : op.inputs)
      if (t >= 0 && !is_constant(t) && (is_variable(t) || costs_.format(graph_tensor(t)) == Format::brick)) add(t);
    for (const int t : op.outputs) add(t);
    held_ = std::max(held_, at);
    return out;
  }

  Place tensor(int graph) const { return views_.whole(graph); }
  Place hold(int graph, std::int64_t at) const { return {DSE_NPU_IN_MEMORY, at, DSE_NPU_NO_RING, views_.dense(graph)}; }

  Words copy(const Place& from, const Place& to, int network_tensor) {
    const int t = graph_tensor(network_tensor);
    dse_op op{};
    const auto [h, w, c] = views_.extents(t);
    op.kind = DSE_COPY, op.multiplier = 1;
    op.in_h = op.out_h = h, op.in_w = op.out_w = w, op.in_c = op.out_c = c;
    op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
    op.in_type = op.in2_type = op.out_type = costs_.tensor(t).bits == 8    ? DSE_I8
                                             : costs_.tensor(t).bits == 16 ? DSE_I16
                                                                           : DSE_I32;
    const dse_tile tile{{0, h}, {0, w}, {0, c}, {0, c}, DSE_FIRST | DSE_LAST};
    Operands operands;
    operands[DSE_IN0] = from, operands[DSE_OUT] = to;
    return call(op, tile, operands);
  }

  // --- operations block by block

  Words blocks_record(int operation) {
    const Operation& o = costs_.op(operation);
    const nn::Operator& source = source_of(operation);
    const nn::KernelCall& c = source.calls.at(index(o.call));
    const bool coded = nn::has_filters(source.kind);
    const Shape& s = o.ofm_shape;
    const bool plain = !o.write && c.op.out_h == s.h && c.op.out_w == s.w && c.op.out_c == s.c;
    const nn::Operator* fused = o.fused >= 0 ? &network_.operators[index(o.fused)] : nullptr;
    Words out{DSE_NPU_BLOCKS, (plain ? 0 : DSE_NPU_WHOLE) | (fused ? DSE_NPU_FUSED : 0) | (coded ? DSE_NPU_CODED : 0),
              s.h, s.w, s.c};
    const auto add = [&](const Words& w) { out.insert(out.end(), w.begin(), w.end()); };
    if (coded) add(coded_words(operation));
    Operands operands;
    for (std::size_t role = 0; role < DSE_ROLES; ++role) {
      const auto& operand = c.operands[role];
      if (!operand.present || role == DSE_SCRATCH) continue;
      if (coded && (role == DSE_WEIGHTS || role == DSE_QPARAMS)) {
        const auto where = role == DSE_WEIGHTS ? DSE_NPU_DECODED : DSE_NPU_RECORDS;
        operands[role] = Place{where, operand.offset, DSE_NPU_NO_RING, operand.view};
      } else if (role == DSE_OUT) {
        operands[role] = views_.of(o.ofm, operand, DSE_NPU_OFM_RING);
      } else if (operand.tensor >= 0 && !is_constant(operand.tensor)) {
        const int t = graph_tensor(operand.tensor);
        operands[role] = views_.of(t, operand, t == o.ifm ? DSE_NPU_IFM_RING : DSE_NPU_NO_RING);
      } else {
        operands[role] = constant(source, role, operand);
      }
    }
    add(call(c.op, c.tile, operands));
    if (!fused) return out;
    const nn::KernelCall& after = fused->calls.at(0);
    Operands both;
    both[DSE_IN0] = both[DSE_OUT] = operands[DSE_OUT];
    if (after.operands[DSE_LUT].present) both[DSE_LUT] = constant(*fused, DSE_LUT, after.operands[DSE_LUT]);
    add(call(after.op, after.tile, both));
    return out;
  }

  Words coded_words(int operation) {
    const auto& zeros = network_.tensors[index(source_of(operation).inputs[1])].quantization.zero_point;
    const BlockConfig& block = schedule_.operations[index(operation)].block;
    const dse_npu_coded c =
        coded_of(costs_.op(operation), source_of(operation), costs_.npu().acc(), block, zeros.size());
    passing_ = std::max(passing_, dse_npu_decoding_bytes(&c));
    const auto words = std::bit_cast<std::array<std::int32_t, DSE_NPU_CODED_WORDS>>(c);
    Words out(words.begin(), words.end());
    for (const std::int64_t z : zeros) out.push_back(static_cast<std::int32_t>(z));
    return out;
  }

  const nn::Network& network_;
  const Costs& costs_;
  const Schedule& schedule_;
  const TensorViews views_;
  const Places& places_;
  std::deque<dse_op>& operators_;
  const std::int32_t first_;
  std::vector<std::pair<int, int>> pieces_;  // first and last operation by operator
  std::int64_t held_ = 0, passing_ = 0;      // bytes of working memory, of what is kept and of one kernel
  std::vector<std::uint8_t> constants_;
  std::map<const std::uint8_t*, std::size_t> kept_;  // where they lie by where they come from
  std::map<const nn::Operator*, std::vector<std::uint8_t>> filters_;
};

}  // namespace

std::vector<std::uint8_t> meaning_of(const nn::Network& network, const Costs& costs, const Schedule& schedule,
                                     const Places& places, const Stream& stream, const std::array<RegionAt, 3>& regions,
                                     std::deque<dse_op>& operators) {
  return Writer(network, costs, schedule, places, operators).run(stream, regions);
}

}  // namespace dse::plan::npu
