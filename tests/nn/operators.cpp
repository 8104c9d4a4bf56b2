#include "operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "models/nn/quantize.h"

namespace dse::nn::test {

std::int64_t offset_of(const dse_view& v, std::int32_t y, std::int32_t x, std::int32_t c) {
  std::int64_t slot = y - v.first_h, k = c - v.first_c;
  if (v.ring_h) slot %= v.ring_h;
  if (v.ring_c) k %= v.ring_c;
  const std::int64_t channel =
      v.block_c ? (k / v.block_c) * v.stride_block + (k % v.block_c) * v.stride_c : k * v.stride_c;
  return slot * v.stride_h + std::int64_t{x} * v.stride_w + channel;
}

Plain::Plain(int h_, int w_, int c_, int elem_)
    : h(h_), w(w_), c(c_), elem(elem_), bytes(static_cast<std::size_t>(h * w * c * elem)) {}
std::uint8_t* Plain::at(int y, int x, int c_) { return bytes.data() + ((y * w + x) * c + c_) * elem; }
dse_view Plain::view() {
  dse_view v{};
  v.base = bytes.data();
  v.elem = elem, v.stride_c = elem, v.stride_w = c * elem, v.stride_h = w * c * elem;
  return v;
}

namespace {

void fill(Plain& p, Random& r) {
  for (auto& b : p.bytes) b = static_cast<std::uint8_t>(pick(r, 0, 255));
}

void draw_window(dse_op& op, Random& r, bool dilated) {
  op.kernel_h = pick(r, 1, 4), op.kernel_w = pick(r, 1, 4);
  op.stride_h = pick(r, 1, 3), op.stride_w = pick(r, 1, 3);
  op.dilation_h = dilated ? pick(r, 1, 3) : 1, op.dilation_w = dilated ? pick(r, 1, 3) : 1;
  const bool same = pick(r, 0, 1);
  if (!same) {
    op.in_h = std::max(op.in_h, (op.kernel_h - 1) * op.dilation_h + 1);
    op.in_w = std::max(op.in_w, (op.kernel_w - 1) * op.dilation_w + 1);
  }
  const Window h = window(op.in_h, op.kernel_h, op.stride_h, op.dilation_h, same),
               w = window(op.in_w, op.kernel_w, op.stride_w, op.dilation_w, same);
  op.out_h = static_cast<int>(h.out), op.pad_top = static_cast<int>(h.pad_before);
  op.out_w = static_cast<int>(w.out), op.pad_left = static_cast<int>(w.pad_before);
}

int size_of_type(int type) { return type == DSE_I16 ? 2 : 1; }

bool sums_products(int kind) {
  return kind == DSE_CONV_2D || kind == DSE_FULLY_CONNECTED || kind == DSE_TRANSPOSE_CONV || kind == DSE_MATMUL ||
         kind == DSE_DEPTHWISE_CONV_2D;
}

bool pools(int kind) { return kind == DSE_AVERAGE_POOL_2D || kind == DSE_MAX_POOL_2D; }

int zero_point(Random& r, int type) {
  return type == DSE_I8 ? pick(r, -128, 127) : type == DSE_U8 ? pick(r, 0, 255) : 0;
}

void draw_range(dse_op& op, Random& r) {
  const int low = op.out_type == DSE_I8 ? -128 : op.out_type == DSE_U8 ? 0 : -32768;
  const int extent = op.out_type == DSE_I16 ? 65535 : 255;
  op.act_min = low + pick(r, 0, extent / 4), op.act_max = low + extent - pick(r, 0, extent / 4);
}

/// Types, zero points and accumulators that go together in a rounding mode.
void draw_types(dse_op& op, Random& r) {
  op.rounding = pick(r, DSE_ROUND_TFLITE, DSE_ROUND_QFORMAT);
  op.correction = pick(r, 0, 1);
  const bool product = sums_products(op.kind);
  int& other = op.kind == DSE_MATMUL ? op.in2_type : op.weight_type;
  if (op.rounding == DSE_ROUND_QFORMAT) {
    for (int* t : {&op.in_type, &other, &op.out_type}) *t = pick(r, 0, 1) ? DSE_I8 : DSE_I16;
    op.acc_bytes = op.in_type == DSE_I16 || other == DSE_I16 ? 8 : 4;
  } else if (op.rounding == DSE_ROUND_ONNX) {
    for (int* t : {&op.in_type, &other, &op.out_type}) *t = pick(r, DSE_I8, DSE_U8);
    if (product && pick(r, 0, 4) == 0) other = DSE_I16;  // weights less zero points of their own
  } else {
    op.in_type = op.out_type = pick(r, DSE_I8, DSE_I16);
    other = op.in_type == DSE_U8 || (op.kind == DSE_MATMUL && op.in_type == DSE_I16) ? op.in_type : DSE_I8;
    op.acc_bytes = op.in_type == DSE_I16 && (pick(r, 0, 1) || other == DSE_I16) ? 8 : 4;
  }
  if (pools(op.kind)) op.out_type = op.in_type;
  if (op.rounding != DSE_ROUND_QFORMAT) {
    op.in_zero = zero_point(r, op.in_type), op.out_zero = zero_point(r, op.out_type);
    if (op.kind == DSE_MATMUL) op.in2_zero = zero_point(r, other);
    if (op.kind != DSE_MATMUL && other == DSE_U8) op.weights_zero = zero_point(r, other);
  }
  draw_range(op, r);
}

/// Multiplier (Q formats: factor) and shift.
void draw_multiplier(const dse_op& op, Random& r, std::int32_t& multiplier, std::int32_t& shift) {
  const bool q = op.rounding == DSE_ROUND_QFORMAT;
  multiplier = q ? pick(r, 1, 20) : pick(r, 1 << 30, 0x7fffffff);
  shift = q ? pick(r, -2, 24) : pick(r, -12, pick(r, 0, 9) ? -4 : 2);
}

void draw_transposed_window(dse_op& op, Random& r) {
  const auto axis = [&](int in, std::int32_t& kernel, std::int32_t& stride, std::int32_t& pad) {
    kernel = pick(r, 1, 4), stride = pick(r, 1, 3), pad = pick(r, 0, kernel - 1);
    return std::max(1, (in - 1) * stride + kernel - pad - pick(r, 0, 1));
  };
  op.out_h = axis(op.in_h, op.kernel_h, op.stride_h, op.pad_top);
  op.out_w = axis(op.in_w, op.kernel_w, op.stride_w, op.pad_left);
}

}  // namespace

RandomOperator::RandomOperator(Random& r) {
  constexpr int kinds[] = {
      DSE_CONV_2D, DSE_DEPTHWISE_CONV_2D, DSE_FULLY_CONNECTED, DSE_TRANSPOSE_CONV, DSE_MATMUL, DSE_CONV_2D,
      DSE_ADD,     DSE_AVERAGE_POOL_2D,   DSE_MAX_POOL_2D,     DSE_SOFTMAX,        DSE_COPY};
  op.kind = kinds[pick(r, 0, static_cast<int>(std::size(kinds)) - 1)];
  op.in_h = op.out_h = pick(r, 1, 9), op.in_w = op.out_w = pick(r, 1, 9), op.in_c = op.out_c = pick(r, 1, 13);
  op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = op.multiplier = 1;
  const bool depthwise = op.kind == DSE_DEPTHWISE_CONV_2D, matrix = op.kind == DSE_MATMUL;
  if (sums_products(op.kind) || pools(op.kind)) {
    draw_types(op, r);
  } else {
    op.rounding = pick(r, 0, 1);
    op.in_zero = pick(r, -128, 127), op.in2_zero = pick(r, -128, 127), op.out_zero = pick(r, -128, 127);
    draw_range(op, r);
  }
  if (op.kind == DSE_CONV_2D) {
    op.groups = pick(r, 0, 3);
    if (pick(r, 0, 9) == 0) op.in_c = pick(r, 40, 200);  // patches longer than the kernel holds at a time
    op.in_c *= std::max(1, op.groups), op.out_c = pick(r, 1, 9) * std::max(1, op.groups);
  } else if (depthwise) {
    if (pick(r, 0, 9) == 0) op.in_c = pick(r, 30, 70);
    op.multiplier = pick(r, 1, 3), op.out_c = op.in_c * op.multiplier;
  } else if (sums_products(op.kind)) {
    op.out_c = pick(r, 1, 20);
  }
  if (op.kind == DSE_FULLY_CONNECTED || matrix) op.in_w = op.out_w = 1;
  if (op.kind == DSE_CONV_2D || depthwise || pools(op.kind)) draw_window(op, r, !pools(op.kind));
  if (op.kind == DSE_TRANSPOSE_CONV) draw_transposed_window(op, r);
  if (op.kind == DSE_ADD) {
    op.left_shift = 20;
    op.m1 = pick(r, 1 << 30, 0x7fffffff), op.m2 = pick(r, 1 << 30, 0x7fffffff), op.m3 = pick(r, 1 << 30, 0x7fffffff);
    op.s1 = -pick(r, 0, 3), op.s2 = -pick(r, 0, 3), op.s3 = -pick(r, 17, 20);
  }
  if (op.kind == DSE_SOFTMAX) {
    op.s1 = pick(r, 20, 24), op.m1 = pick(r, 1 << 30, 0x7fffffff);
    op.left_shift = -static_cast<int>((31ll << 26) >> op.s1);
  }
  if (matrix) draw_multiplier(op, r, op.m1, op.s1);
  if (pools(op.kind)) op.m1 = pick(r, 1 << 30, 0x7fffffff), op.s1 = pick(r, -1, 1), op.arg[0] = pick(r, 0, 1);
  fill_operands(r);
}

void RandomOperator::fill_operands(Random& r) {
  const bool depthwise = op.kind == DSE_DEPTHWISE_CONV_2D, matrix = op.kind == DSE_MATMUL;
  operand[DSE_IN0] = Plain(op.in_h, op.in_w, op.in_c, size_of_type(op.in_type));
  operand[DSE_OUT] = Plain(op.out_h, op.out_w, op.out_c, size_of_type(op.out_type));
  if (op.kind == DSE_ADD) operand[DSE_IN1] = Plain(op.in_h, op.in_w, op.in_c, 1);
  if (matrix) operand[DSE_IN1] = Plain(op.in_c, 1, op.out_c, size_of_type(op.in2_type));
  if (sums_products(op.kind) && !matrix) {
    operand[DSE_WEIGHTS] =
        Plain(op.out_c, op.kernel_h * op.kernel_w, depthwise ? 1 : depth(), size_of_type(op.weight_type));
    operand[DSE_QPARAMS] = Plain(op.out_c, 1, 1, op.acc_bytes == 8 ? 16 : 12);
  }
  for (const int role : {DSE_IN0, DSE_IN1, DSE_WEIGHTS}) fill(operand[role], r);
  if (op.rounding == DSE_ROUND_ONNX && op.weight_type == DSE_I16)  // differences of bytes
    for (std::size_t i = 0; i < operand[DSE_WEIGHTS].bytes.size(); i += 2) {
      const auto w = static_cast<std::int16_t>(pick(r, -255, 255));
      std::memcpy(&operand[DSE_WEIGHTS].bytes[i], &w, 2);
    }
  for (int c = 0; c < operand[DSE_QPARAMS].h; ++c) {
    const std::int64_t bias = pick(r, -20000, 20000);
    std::int32_t q[2];
    draw_multiplier(op, r, q[0], q[1]);
    std::uint8_t* record = operand[DSE_QPARAMS].at(c, 0, 0);
    const std::size_t bytes = op.acc_bytes == 8 ? 8 : 4;
    std::memcpy(record, &bias, bytes);
    std::memcpy(record + bytes, q, 8);
  }
}

int RandomOperator::depth() const { return op.in_c / std::max(1, op.groups); }

std::vector<std::uint8_t> RandomOperator::run_whole() {
  dse_call call{};
  call.op = &op;
  call.tile = {{0, op.out_h}, {0, op.out_w}, {0, op.out_c}, {0, depth()}, DSE_FIRST | DSE_LAST};
  for (int role = 0; role < DSE_ROLES; ++role)
    if (!operand[role].bytes.empty()) call.view[role] = operand[role].view();
  if (dse_run_call(&call) != 0) return {};
  return operand[DSE_OUT].bytes;
}

std::string RandomOperator::describe() const {
  return fmt::format(
      "kind {} rounding {} in {}x{}x{} out {}x{}x{} kernel {}x{} stride {}x{} dilation {}x{} pad {},{} multiplier {} "
      "groups {} types {} {} {} {} sums of {} bytes",
      op.kind, op.rounding, op.in_h, op.in_w, op.in_c, op.out_h, op.out_w, op.out_c, op.kernel_h, op.kernel_w,
      op.stride_h, op.stride_w, op.dilation_h, op.dilation_w, op.pad_top, op.pad_left, op.multiplier, op.groups,
      op.in_type, op.in2_type, op.weight_type, op.out_type, op.acc_bytes);
}

template <class F>
void Placed::each(F f) const {
  for (int y = box_.h.lo; y < box_.h.hi; ++y)
    for (int x = box_.w.lo; x < box_.w.hi; ++x)
      for (int c = box_.c.lo; c < box_.c.hi; ++c)
        f(y, x, c, static_cast<std::size_t>(origin_ + offset_of(view, y, x, c)));
}

Placed::Placed(const dse_box& box, int elem, Random& r, std::uint8_t poison) : view{}, box_(box), poison_(poison) {
  const int h = box.h.hi - box.h.lo, w = box.w.hi - box.w.lo, c = box.c.hi - box.c.lo;
  view.elem = elem;
  view.ring_h = pick(r, 0, 1) ? h + pick(r, 0, 2) : 0;
  view.ring_c = pick(r, 0, 1) ? c + pick(r, 0, 3) : 0;
  view.first_h = box.h.lo - pick(r, 0, view.ring_h ? 20 : 1);
  view.first_c = box.c.lo - pick(r, 0, view.ring_c ? 20 : 2);
  const int rows = view.ring_h ? view.ring_h : box.h.hi - view.first_h,
            channels = view.ring_c ? view.ring_c : box.c.hi - view.first_c;
  switch (pick(r, 0, 2)) {
    case 0:  // interleaved
      view.stride_c = elem, view.stride_w = channels * elem + pick(r, 0, 3),
      view.stride_h = w * view.stride_w + pick(r, 0, 5);
      break;
    case 1:  // planar
      view.stride_w = elem, view.stride_h = w * elem + pick(r, 0, 3),
      view.stride_c = rows * view.stride_h + pick(r, 0, 5);
      break;
    default:  // bricks of channels
      view.block_c = pick(r, 1, 5);
      view.stride_c = elem, view.stride_w = view.block_c * elem, view.stride_h = w * view.stride_w,
      view.stride_block = rows * view.stride_h + pick(r, 0, 3);
  }
  origin_ = pick(r, 0, 7) - std::int64_t{box.w.lo} * view.stride_w;
  std::size_t end = 0;
  each([&](int, int, int, std::size_t at) { end = std::max(end, at + static_cast<std::size_t>(elem)); });
  memory_.assign(end, poison);
  view.base = memory_.data() + origin_;
}

void Placed::load(Plain& from) {
  each([&](int y, int x, int c, std::size_t at) {
    std::memcpy(&memory_[at], from.at(y, x, c), static_cast<std::size_t>(view.elem));
  });
}
void Placed::store(Plain& to) {
  each([&](int y, int x, int c, std::size_t at) {
    std::memcpy(to.at(y, x, c), &memory_[at], static_cast<std::size_t>(view.elem));
  });
}
void Placed::load(const dse_view& whole) {
  each([&](int y, int x, int c, std::size_t at) {
    std::memcpy(&memory_[at], whole.base + offset_of(whole, y, x, c), static_cast<std::size_t>(view.elem));
  });
}
void Placed::store(const dse_view& whole) const {
  each([&](int y, int x, int c, std::size_t at) {
    std::memcpy(whole.base + offset_of(whole, y, x, c), &memory_[at], static_cast<std::size_t>(view.elem));
  });
}
int Placed::damaged() const {
  std::vector<bool> inside(memory_.size());
  each([&](int, int, int, std::size_t at) {
    std::fill_n(inside.begin() + static_cast<std::ptrdiff_t>(at), view.elem, true);
  });
  int n = 0;
  for (std::size_t i = 0; i < memory_.size(); ++i) n += !inside[i] && memory_[i] != poison_;
  return n;
}

TiledRun::TiledRun(RandomOperator& whole, unsigned seed, std::uint8_t poison)
    : whole_(whole),
      random_(seed),
      poison_(poison),
      out_(whole.op.out_h, whole.op.out_w, whole.op.out_c, size_of_type(whole.op.out_type)) {}

std::vector<dse_span> TiledRun::cut(int extent) {
  std::vector<dse_span> spans;
  for (int lo = 0; lo < extent;) {
    const int hi = std::min(extent, lo + pick(random_, 1, extent));
    spans.push_back({lo, hi});
    lo = hi;
  }
  return spans;
}

void TiledRun::run() {
  for (const auto y : cut(whole_.op.out_h))
    for (const auto x : cut(whole_.op.out_w))
      for (const auto c : cut(whole_.op.out_c)) run_tile(y, x, c);
}

void TiledRun::run_tile(dse_span y, dse_span x, dse_span c) {
  const dse_tile one{y, x, c, {0, whole_.depth()}, DSE_FIRST};
  const bool accumulates = dse_operand_box(&whole_.op, &one, DSE_ACC).touched;
  const auto steps = accumulates ? cut(whole_.depth()) : std::vector<dse_span>{{0, whole_.depth()}};
  // Partial sums stay where they are from step to step.
  Placed sums({y, x, c, 1}, whole_.op.acc_bytes == 8 ? 8 : 4, random_, poison_);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    dse_call call{};
    call.op = &whole_.op;
    const std::uint32_t first = s == 0 ? std::uint32_t{DSE_FIRST} : 0,
                        last = s + 1 == steps.size() ? std::uint32_t{DSE_LAST} : 0;
    call.tile = {y, x, c, steps[s], first | last};
    std::vector<std::unique_ptr<Placed>> placed(DSE_ROLES);
    for (const auto role : {DSE_IN0, DSE_IN1, DSE_OUT, DSE_WEIGHTS, DSE_QPARAMS}) {
      const dse_box box = dse_operand_box(&whole_.op, &call.tile, role);
      if (!box.touched) continue;
      const auto r = static_cast<std::size_t>(role);
      placed[r] = std::make_unique<Placed>(box, whole_.operand[role].elem, random_, poison_);
      if (role != DSE_OUT) placed[r]->load(whole_.operand[role]);
      call.view[role] = placed[r]->view;
    }
    if (dse_operand_box(&whole_.op, &call.tile, DSE_ACC).touched) call.view[DSE_ACC] = sums.view;
    const auto scratch_bytes = static_cast<std::size_t>(dse_scratch_bytes(&whole_.op, &call.tile));
    std::vector<std::uint8_t> scratch(scratch_bytes + 64, poison_);
    if (scratch_bytes > 0) call.view[DSE_SCRATCH].base = scratch.data() + 31;
    if (dse_run_call(&call) != 0) violations_ += "dse_run_call failed\n";
    for (std::size_t i = 0; i < scratch.size(); ++i)
      if ((i < 31 || i >= 31 + scratch_bytes) && scratch[i] != poison_) violations_ += "bytes beside the scratch\n";
    ++calls_;
    for (const auto& p : placed)
      if (p && p->damaged()) violations_ += fmt::format("{} bytes written outside a box\n", p->damaged());
    if (sums.damaged()) violations_ += "bytes written outside the partial sums\n";
    if (placed[DSE_OUT]) placed[DSE_OUT]->store(out_);
  }
}

}  // namespace dse::nn::test
