// Element-wise operators and SOFTMAX in every type and mode: any way of cutting them into tiles, in any layout, gives
// the bytes of the whole, and a call touches its boxes only. Parameters are drawn from their whole range, so that those
// of a damaged file are among them.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "tests/nn/operators.h"

namespace dse::nn::test::tiles_elementwise_test {
namespace {

constexpr std::array element_wise = {DSE_ADD,        DSE_SUB,        DSE_MUL,        DSE_DIV,
                                     DSE_MAXIMUM,    DSE_MINIMUM,    DSE_PRELU,      DSE_SQUARED_DIFFERENCE,
                                     DSE_REQUANTIZE, DSE_ABS,        DSE_LOOKUP,     DSE_LOGISTIC,
                                     DSE_TANH,       DSE_HARD_SWISH, DSE_LEAKY_RELU, DSE_SOFTMAX};
constexpr std::array roles = {DSE_IN0, DSE_IN1, DSE_LUT, DSE_OUT};

int bytes_of(int type) { return type == DSE_I16 ? 2 : type == DSE_I32 || type == DSE_F32 ? 4 : 1; }

struct Drawn {
  dse_op op{};
  std::array<Plain, DSE_ROLES> operand;
  explicit Drawn(Random& r);
  std::vector<std::uint8_t> whole();
  std::vector<std::uint8_t> tiled(Random& r, std::uint8_t poison, std::string& violations);
};

void draw_parameters(dse_op& op, Random& r) {
  const bool wild = pick(r, 0, 3) == 0;
  const auto multiplier = [&] { return wild ? pick(r, INT32_MIN, INT32_MAX) : pick(r, 1 << 30, INT32_MAX); };
  const auto shift = [&] { return wild ? pick(r, -31, 30) : -pick(r, 0, 20); };
  op.m1 = multiplier(), op.m2 = multiplier(), op.m3 = multiplier();
  op.s1 = shift(), op.s2 = shift(), op.s3 = shift();
  op.left_shift = wild ? pick(r, 0, 30) : 7;
  for (const auto i : {0, 1, 2}) op.arg[i] = wild ? pick(r, INT32_MIN, INT32_MAX) : pick(r, 0, 20);
  const int zeros = wild ? 1 << 30 : 128;
  op.in_zero = pick(r, -zeros, zeros), op.in2_zero = pick(r, -zeros, zeros), op.out_zero = pick(r, -zeros, zeros);
  op.act_min = pick(r, -32768, 0), op.act_max = pick(r, 0, 32767);
}

Drawn::Drawn(Random& r) {
  op.kind = element_wise[static_cast<std::size_t>(pick(r, 0, static_cast<int>(element_wise.size()) - 1))];
  op.rounding = pick(r, 0, 3);
  op.in_h = op.out_h = pick(r, 1, 5), op.in_w = op.out_w = pick(r, 1, 9), op.in_c = op.out_c = pick(r, 1, 40);
  op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = op.multiplier = 1;
  draw_parameters(op, r);
  op.in_type = pick(r, DSE_I8, DSE_I16), op.in2_type = pick(r, DSE_I8, DSE_I16), op.out_type = pick(r, DSE_I8, DSE_I16);
  if (op.kind == DSE_REQUANTIZE && pick(r, 0, 1)) op.out_type = pick(r, 0, 1) ? DSE_I32 : DSE_F32;
  if (op.kind == DSE_REQUANTIZE && op.out_type != DSE_F32 && pick(r, 0, 1))
    op.in_type = pick(r, 0, 1) ? DSE_I32 : DSE_F32;
  if (op.kind == DSE_LOOKUP && op.in_type == DSE_I16) op.in_type = DSE_U8;
  if (op.kind == DSE_LOOKUP) op.arg[DSE_ARGS - 1] = 256;
  if (op.kind == DSE_SOFTMAX) {
    op.rounding = pick(r, 0, 1);
    op.s1 = pick(r, 1, 30), op.left_shift = -(INT32_MAX >> op.s1);
    if (op.in_type == DSE_I16) op.out_type = DSE_I16, op.arg[DSE_ARGS - 1] = 1026;
  }
  operand[DSE_IN0] = Plain(op.in_h, op.in_w, op.in_c, bytes_of(op.in_type));
  operand[DSE_IN1] = Plain(op.in_h, op.in_w, op.in_c, bytes_of(op.in2_type));
  operand[DSE_OUT] = Plain(op.out_h, op.out_w, op.out_c, bytes_of(op.out_type));
  if (op.arg[DSE_ARGS - 1] > 0)
    operand[DSE_LUT] = Plain(1, 1, op.arg[DSE_ARGS - 1], op.kind == DSE_SOFTMAX ? 2 : bytes_of(op.out_type));
  for (auto& o : operand)
    for (auto& b : o.bytes) b = static_cast<std::uint8_t>(pick(r, 0, 255));
}

std::vector<std::uint8_t> Drawn::whole() {
  dse_call call{};
  call.op = &op;
  call.tile = {{0, op.out_h}, {0, op.out_w}, {0, op.out_c}, {0, op.in_c}, DSE_FIRST | DSE_LAST};
  for (const auto role : roles)
    if (!operand[role].bytes.empty()) call.view[role] = operand[role].view();
  if (dse_run_call(&call) != 0) return {};
  return operand[DSE_OUT].bytes;
}

std::vector<dse_span> cut(int extent, Random& r) {
  std::vector<dse_span> spans;
  for (int lo = 0; lo < extent;) {
    const int hi = std::min(extent, lo + pick(r, 1, extent));
    spans.push_back({lo, hi});
    lo = hi;
  }
  return spans;
}

std::vector<std::uint8_t> Drawn::tiled(Random& r, std::uint8_t poison, std::string& violations) {
  Plain out(op.out_h, op.out_w, op.out_c, bytes_of(op.out_type));
  for (const auto y : cut(op.out_h, r))
    for (const auto x : cut(op.out_w, r))
      for (const auto c : cut(op.out_c, r)) {
        dse_call call{};
        call.op = &op;
        call.tile = {y, x, c, {0, op.in_c}, DSE_FIRST | DSE_LAST};
        std::array<std::unique_ptr<Placed>, DSE_ROLES> placed;
        for (const auto role : roles) {
          const dse_box box = dse_operand_box(&op, &call.tile, role);
          if (!box.touched) continue;
          placed[role] = std::make_unique<Placed>(box, operand[role].elem, r, poison);
          if (role != DSE_OUT) placed[role]->load(operand[role]);
          call.view[role] = placed[role]->view;
        }
        if (dse_run_call(&call) != 0) violations += "dse_run_call failed\n";
        for (const auto& p : placed)
          if (p && p->damaged()) violations += "bytes outside a box were written\n";
        placed[DSE_OUT]->store(out);
      }
  return out.bytes;
}

class ElementWiseTiles : public testing::TestWithParam<unsigned> {};

TEST_P(ElementWiseTiles, EqualTheWholeAndTouchOnlyTheirBoxes) {
  for (unsigned i = 0; i < 500; ++i) {
    Random random(GetParam() * 1000 + i);
    Drawn drawn(random);
    const auto expected = drawn.whole();
    ASSERT_FALSE(expected.empty());
    for (const std::uint8_t poison : {0x5a, 0xa5}) {  // reads outside the boxes would see two different poisons
      std::string violations;
      ASSERT_EQ(drawn.tiled(random, poison, violations), expected) << "draw " << i << ", kind " << drawn.op.kind;
      ASSERT_EQ(violations, "") << "draw " << i << ", kind " << drawn.op.kind;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, ElementWiseTiles, testing::Range(0u, 8u));

}  // namespace
}  // namespace dse::nn::test::tiles_elementwise_test
