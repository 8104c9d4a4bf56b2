// One operator's calls, each cut into tiles at random.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "one_operator.h"
#include "tests/nn/operators.h"

namespace dse::nn::random_ops {
namespace {

using test::pick;
using test::Placed;
using test::Random;

std::vector<dse_span> cut(dse_span whole, Random& r) {
  std::vector<dse_span> parts;
  for (int lo = whole.lo; lo < whole.hi;) {
    const int hi = std::min(whole.hi, lo + pick(r, 1, whole.hi - whole.lo));
    parts.push_back({lo, hi});
    lo = hi;
  }
  return parts;
}

class Tiled {
 public:
  Tiled(const Network& n, const TensorBytes& bytes, unsigned seed, std::uint8_t poison)
      : n_(n),
        op_(n.operators.at(0)),
        bytes_(bytes),
        weights_(filter_major_weights(n, op_)),
        table_(op_.table),
        params_(op_.channel_params),
        random_(seed),
        poison_(poison) {
    for (const int t : op_.outputs) bytes_.at(static_cast<std::size_t>(t)).assign(size(t), 0);
  }

  void run() {
    for (const auto& call : op_.calls) run_call(call);
  }
  std::vector<std::vector<std::uint8_t>> outputs() const {
    std::vector<std::vector<std::uint8_t>> r;
    for (const int t : op_.outputs) r.push_back(bytes_.at(static_cast<std::size_t>(t)));
    return r;
  }
  std::string violations;

 private:
  std::size_t size(int t) const { return static_cast<std::size_t>(n_.tensors.at(static_cast<std::size_t>(t)).bytes()); }

  dse_view whole(const KernelCall& c, std::size_t role) {
    dse_view v = c.operands[role].view;
    const int tensor = c.operands[role].tensor;
    if (tensor >= 0) {
      const auto& t = n_.tensors[static_cast<std::size_t>(tensor)];
      v.base = t.kind == TensorKind::constant ? const_cast<std::uint8_t*>(t.data.data())
                                              : bytes_[static_cast<std::size_t>(tensor)].data();
    } else {
      v.base = role == DSE_WEIGHTS   ? weights_.data()
               : role == DSE_QPARAMS ? reinterpret_cast<std::uint8_t*>(params_.data())
                                     : table_.data();
    }
    v.base += c.operands[role].offset;
    return v;
  }

  void run_call(const KernelCall& c) {
    for (const auto y : cut(c.tile.y, random_))
      for (const auto x : cut(c.tile.x, random_))
        for (const auto ch : cut(c.tile.c, random_)) run_tile(c, y, x, ch);
  }

  void run_tile(const KernelCall& c, dse_span y, dse_span x, dse_span ch) {
    dse_tile one = c.tile;
    one.flags = DSE_FIRST;
    const bool accumulates = dse_operand_box(&c.op, &one, DSE_ACC).touched;
    const auto steps = accumulates ? cut(c.tile.k, random_) : std::vector<dse_span>{c.tile.k};
    Placed sums({y, x, ch, 1}, c.op.acc_bytes == 8 ? 8 : 4, random_, poison_);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      dse_call call{};
      call.op = &c.op;
      call.tile = {y, x, ch, steps[s], 0};
      if (s == 0) call.tile.flags |= DSE_FIRST;
      if (s + 1 == steps.size()) call.tile.flags |= DSE_LAST;
      run_step(c, call, sums);
    }
  }

  void run_step(const KernelCall& c, dse_call& call, Placed& sums) {
    std::array<std::unique_ptr<Placed>, DSE_ROLES> placed;
    for (const auto role : {DSE_IN0, DSE_IN1, DSE_OUT, DSE_WEIGHTS, DSE_QPARAMS, DSE_LUT}) {
      const dse_box box = dse_operand_box(&c.op, &call.tile, role);
      if (!box.touched || !c.operands[role].present) continue;
      placed[role] = std::make_unique<Placed>(box, c.operands[role].view.elem, random_, poison_);
      if (role != DSE_OUT) placed[role]->load(whole(c, role));
      call.view[role] = placed[role]->view;
    }
    if (dse_operand_box(&c.op, &call.tile, DSE_ACC).touched) call.view[DSE_ACC] = sums.view;
    std::vector<std::uint8_t> scratch(static_cast<std::size_t>(dse_scratch_bytes(&c.op, &call.tile)), poison_);
    if (!scratch.empty()) call.view[DSE_SCRATCH].base = scratch.data();
    if (dse_run_call(&call) != 0) violations += "dse_run_call refused a tile\n";
    for (const auto& p : placed)
      if (p && p->damaged()) violations += fmt::format("{} bytes written outside a box\n", p->damaged());
    if (sums.damaged()) violations += "bytes written outside the partial sums\n";
    if (placed[DSE_OUT]) placed[DSE_OUT]->store(whole(c, DSE_OUT));
  }

  const Network& n_;
  const Operator& op_;
  TensorBytes bytes_;
  std::vector<std::uint8_t> weights_, table_;
  std::vector<std::int32_t> params_;
  Random random_;
  std::uint8_t poison_;
};

}  // namespace

std::vector<std::vector<std::uint8_t>> run_in_tiles(const Network& n, const TensorBytes& bytes, unsigned seed,
                                                    std::uint8_t poison, std::string& violations) {
  Tiled tiled(n, bytes, seed, poison);
  tiled.run();
  violations += tiled.violations;
  return tiled.outputs();
}

}  // namespace dse::nn::random_ops
