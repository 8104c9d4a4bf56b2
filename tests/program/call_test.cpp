#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "program/kinds.h"

namespace dse::program::call_test {
namespace {

struct Recorder : CostModel {
  mutable CallWork work;
  TaskCost copy(int, const CopyWork&) const override { return {}; }
  TaskCost call(int, const CallWork& w) const override { return work = w, TaskCost{}; }
};

/// A 3x3 convolution 8x8x4 -> 8x8x16, operands dense, one arena per role.
struct Conv {
  dse_op op{};
  std::shared_ptr<CallPayload> payload = std::make_shared<CallPayload>();
  TaskTemplate task{&call_kind(), 0, kNoSlot, {}, payload};
  TaskInstance instance{};
  Conv() {
    op.kind = DSE_CONV_2D;
    op.in_h = op.in_w = op.out_h = op.out_w = 8;
    op.in_c = 4, op.out_c = 16;
    op.kernel_h = op.kernel_w = 3;
    op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
    op.pad_top = op.pad_left = 1;
    op.multiplier = 1;
    payload->parameters = &op;
    const auto view = [&](int role, int h, int w, int c) {
      payload->views[role] = {role, 0, dse_view{nullptr, h, w, c, 0, 0, 0, 0, 0, 0, c}};
    };
    view(DSE_IN0, 32, 4, 1);
    view(DSE_OUT, 128, 16, 1);
    view(DSE_WEIGHTS, 36, 4, 1);
    view(DSE_QPARAMS, 12, 12, 12);
    view(DSE_ACC, 512, 64, 4);
    payload->y = Range::tiles(0, 4, 8);
    payload->x = Range::whole(8);
    payload->c = Range::whole(16);
    payload->k = Range::tiles(1, 2, 4);
    payload->accumulate = true;
    instance.task = &task;
  }
  CallWork work() const {
    Recorder r;
    call_kind().time(instance, r);
    return r.work;
  }
  std::int64_t bytes(int arena, bool write) const {
    std::vector<Access> all;
    call_kind().footprint(instance, all);
    std::int64_t n = 0;
    for (const Access& a : all)
      if (a.arena == arena && a.write == write) n += a.end - a.begin;
    return n;
  }
};

TEST(Call, FirstStepWritesPartialSumsOnly) {
  const Conv c;
  const Arithmetic a = arithmetic_of(c.work());
  EXPECT_EQ(a.macs, 4 * 8 * 16 * 9 * 2);
  EXPECT_EQ(a.elements, 0);
  EXPECT_EQ(c.bytes(DSE_ACC, false), 0);
  EXPECT_EQ(c.bytes(DSE_ACC, true), 4 * 8 * 16 * 4);
  EXPECT_EQ(c.bytes(DSE_OUT, true), 0);
  EXPECT_EQ(c.bytes(DSE_QPARAMS, false), 0);
  EXPECT_EQ(c.bytes(DSE_IN0, false), 5 * 8 * 2);  // rows 0..4: one row of halo below
  EXPECT_EQ(c.bytes(DSE_WEIGHTS, false), 16 * 9 * 2);
}

TEST(Call, LastStepRequantises) {
  Conv c;
  c.instance.loops = {1, 1};
  EXPECT_EQ(arithmetic_of(c.work()).elements, 4 * 8 * 16);
  EXPECT_EQ(c.bytes(DSE_ACC, false), 4 * 8 * 16 * 4);
  EXPECT_EQ(c.bytes(DSE_ACC, true), 0);
  EXPECT_EQ(c.bytes(DSE_OUT, true), 4 * 8 * 16);
  EXPECT_EQ(c.bytes(DSE_QPARAMS, false), 16 * 12);
  c.instance.loops = {2, 0};
  EXPECT_TRUE(call_kind().empty(c.instance));
}

TEST(Call, CostSeesTheBytesOfTheFootprint) {
  Conv c;
  for (const LoopIndex loops : {LoopIndex{0, 0}, LoopIndex{1, 1}}) {
    c.instance.loops = loops;
    const CallWork w = c.work();
    EXPECT_GE(w.operand_count, 3);
    for (int i = 0; i < w.operand_count; ++i)
      EXPECT_EQ(w.operands[i].bytes, c.bytes(w.operands[i].arena, w.operands[i].write));
  }
}

TEST(Call, CostSeesWhichOperandsHaveGaps) {
  const Conv c;
  const CallWork w = c.work();
  std::map<int, bool> dense;
  for (int i = 0; i < w.operand_count; ++i) {
    EXPECT_EQ(w.operands[i].arena, w.operands[i].role);
    dense[w.operands[i].role] = w.operands[i].dense;
  }
  // Two of four input channels are read, all output channels of whole rows are written.
  EXPECT_EQ(dense, (std::map<int, bool>{{DSE_IN0, false}, {DSE_WEIGHTS, false}, {DSE_ACC, true}}));
  const auto in = std::find_if(w.operands.begin(), w.operands.end(), [](const auto& o) { return o.role == DSE_IN0; });
  EXPECT_EQ(in->spread.run, 2);
  EXPECT_EQ(in->spread.span, (5 * 8 - 1) * 4 + 2);
}

TEST(Call, TilesAddUpToTheWholeCall) {
  Conv c;
  Arithmetic sum;
  for (std::int32_t row = 0; row < 2; ++row)
    for (std::int32_t step = 0; step < 2; ++step) {
      c.instance.loops = {row, step};
      const auto a = arithmetic_of(c.work());
      sum.macs += a.macs, sum.elements += a.elements;
    }
  EXPECT_EQ(sum, arithmetic_of(whole_call(c.op)));
}

TEST(Call, WithoutAccumulationTouchesNoPartialSums) {
  Conv c;
  c.payload->accumulate = false;
  c.payload->k = Range{};  // left out: all input channels
  EXPECT_EQ(arithmetic_of(c.work()).macs, 4 * 8 * 16 * 9 * 4);
  EXPECT_EQ(c.bytes(DSE_ACC, true) + c.bytes(DSE_ACC, false), 0);
  EXPECT_FALSE(call_kind().empty(c.instance));
}

TEST(Call, MissingOperandIsNotExecuted) {
  struct None : ByteSpace {
    std::uint8_t* base(int) const override { return const_cast<std::uint8_t*>(room); }
    std::uint8_t room[8192] = {};
  } bytes;
  Conv c;
  c.payload->views[DSE_WEIGHTS] = View{};
  EXPECT_FALSE(call_kind().execute(c.instance, bytes));
}

}  // namespace
}  // namespace dse::program::call_test
