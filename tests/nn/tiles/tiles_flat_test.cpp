// Data movement, reductions, resizing and recurrent operators: any way of cutting a call into tiles, in any layout,
// gives the bytes of the whole, and a call touches its boxes only.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>

#include "tests/nn/operators.h"
#include "tests/nn/tiles/flat_networks.h"

namespace dse::nn::test::tiles_flat_test {
namespace {

constexpr dse_role every_role[] = {DSE_IN0, DSE_OUT, DSE_WEIGHTS, DSE_QPARAMS, DSE_STATE0, DSE_STATE1};

/// The calls of one operator, tile by tile, over a copy of every tensor.
class TiledOperator {
 public:
  TiledOperator(const Network& n, TensorBytes bytes, Random& random, std::uint8_t poison)
      : network_(n), op_(n.operators[0]), bytes_(std::move(bytes)), random_(random), poison_(poison) {}

  void run() {
    for (const KernelCall& c : op_.calls)
      for (const auto y : cut(c.op.out_h))
        for (const auto x : cut(c.op.out_w))
          for (const auto z : cut(c.op.out_c)) run_tile(c, {y, x, z, {0, c.op.in_c}, DSE_FIRST | DSE_LAST});
    // The states of operators that are computed whole move once per call: the first tile's are kept.
    for (auto& [tensor, state] : states_) bytes_[static_cast<std::size_t>(tensor)] = state;
  }
  const TensorBytes& bytes() const { return bytes_; }
  std::string violations;

 private:
  std::vector<dse_span> cut(int extent) {
    std::vector<dse_span> spans;
    for (int lo = 0; lo < extent;) {
      const int hi = std::min(extent, lo + pick(random_, 1, extent));
      spans.push_back({lo, hi});
      lo = hi;
    }
    return spans;
  }

  std::uint8_t* memory(const KernelCall::Operand& o, dse_role role) {
    if (o.tensor >= 0) {
      const Tensor& t = network_.tensors[static_cast<std::size_t>(o.tensor)];
      return t.kind == TensorKind::constant ? const_cast<std::uint8_t*>(t.data.data())
                                            : bytes_[static_cast<std::size_t>(o.tensor)].data();
    }
    return role == DSE_WEIGHTS ? const_cast<std::uint8_t*>(op_.weights.data())
                               : reinterpret_cast<std::uint8_t*>(const_cast<std::int32_t*>(op_.channel_params.data()));
  }

  /// Moves the box of an operand between its tensor and a plain copy.
  template <class F>
  static void each(const dse_box& b, F f) {
    for (int y = b.h.lo; y < b.h.hi; ++y)
      for (int x = b.w.lo; x < b.w.hi; ++x)
        for (int c = b.c.lo; c < b.c.hi; ++c) f(y, x, c);
  }

  void run_tile(const KernelCall& c, const dse_tile& tile) {
    dse_call call{};
    call.op = &c.op;
    call.tile = tile;
    std::vector<std::unique_ptr<Placed>> placed(DSE_ROLES);
    std::vector<Plain> plain(DSE_ROLES);
    for (const auto role : every_role) {
      const dse_box box = dse_operand_box(&c.op, &tile, role);
      if (!box.touched) continue;
      const auto r = static_cast<std::size_t>(role);
      const auto& operand = c.operands[r];
      ASSERT_TRUE(operand.present) << "role " << role;
      const int elem = operand.view.elem;
      const std::uint8_t* base = memory(operand, role) + operand.offset;
      plain[r] = Plain(box.h.hi, box.w.hi, box.c.hi, elem);
      each(box, [&](int y, int x, int z) {
        std::memcpy(plain[r].at(y, x, z), base + offset_of(operand.view, y, x, z), static_cast<std::size_t>(elem));
      });
      placed[r] = std::make_unique<Placed>(box, elem, random_, poison_);
      if (role != DSE_OUT) placed[r]->load(plain[r]);
      call.view[r] = placed[r]->view;
    }
    const auto scratch = static_cast<std::size_t>(dse_scratch_bytes(&c.op, &tile));
    std::vector<std::uint8_t> work(scratch + 1, poison_);
    if (scratch > 0) call.view[DSE_SCRATCH].base = work.data();
    if (dse_run_call(&call) != 0) violations += "dse_run_call failed\n";
    if (work.back() != poison_) violations += "scratch overrun\n";
    for (const auto& p : placed)
      if (p && p->damaged()) violations += "bytes written outside a box\n";
    for (const auto role : {DSE_OUT, DSE_STATE0, DSE_STATE1}) {
      const auto r = static_cast<std::size_t>(role);
      if (!placed[r]) continue;
      placed[r]->store(plain[r]);
      const auto& operand = c.operands[r];
      if (role != DSE_OUT) {
        const auto [it, fresh] = states_.emplace(operand.tensor, plain[r].bytes);
        if (!fresh && it->second != plain[r].bytes) violations += "tiles leave different states\n";
        continue;
      }
      std::uint8_t* base = memory(operand, role) + operand.offset;
      each(dse_operand_box(&c.op, &tile, role), [&](int y, int x, int z) {
        std::memcpy(base + offset_of(operand.view, y, x, z), plain[r].at(y, x, z),
                    static_cast<std::size_t>(operand.view.elem));
      });
    }
  }

  const Network& network_;
  const Operator& op_;
  TensorBytes bytes_;
  Random& random_;
  std::uint8_t poison_;
  std::map<int, std::vector<std::uint8_t>> states_;
};

class FlatTiles : public testing::TestWithParam<unsigned> {};

TEST_P(FlatTiles, EqualTheWholeAndTouchOnlyTheirBoxes) {
  std::set<int> kinds;
  for (unsigned i = 0; i < 400; ++i) {
    const unsigned seed = GetParam() * 1000 + i;
    Random random(seed);
    const NetworkPtr n = random_flat_network(random);
    kinds.insert(n->operators[0].kernel.kind);
    const TensorBytes start = random_bytes(*n, random);
    TensorBytes state(start.size());
    std::vector<std::vector<std::uint8_t>> inputs;
    for (std::size_t t = 0; t < start.size(); ++t)
      if (n->tensors[t].kind == TensorKind::variable) state[t] = start[t];
    for (const int t : n->inputs) inputs.push_back(start[static_cast<std::size_t>(t)]);
    const TensorBytes expected = interpret(*n, inputs, state);
    for (const std::uint8_t poison : {0x5a, 0xa5}) {
      TiledOperator tiled(*n, start, random, poison);
      tiled.run();
      ASSERT_EQ(tiled.violations, "") << "seed " << seed << " " << n->operators[0].name;
      for (std::size_t t = 0; t < start.size(); ++t)
        ASSERT_EQ(tiled.bytes()[t], expected[t]) << "seed " << seed << " " << n->operators[0].name << " tensor " << t;
    }
  }
  // Reductions of images are pools; how many of the draws are, and of which kind, is chance.
  for (const int pool : {DSE_AVERAGE_POOL_2D, DSE_MAX_POOL_2D}) kinds.erase(pool);
  EXPECT_EQ(kinds.size(), 15u);
}

INSTANTIATE_TEST_SUITE_P(Random, FlatTiles, testing::Range(0u, 8u));

}  // namespace
}  // namespace dse::nn::test::tiles_flat_test
