// Softmax of 8 and 16 bits as Arm's compiler takes it apart: the steps of the reference (exponentials by table, their
// sum, its reciprocal by Newton and Raphson, a product) as operations on 32 bits. Source: Vela 3.10,
// ethosu/vela/softmax.py.
#include "base/index.h"
#include "plan/npu/decompose/builder.h"

namespace dse::plan::npu {
namespace {

/// The pieces, each of which makes the tensor that the next ones read.
class Pieces {
 public:
  Pieces(Builder& b, const Shape& all) : b_(b), all_(all), one_{1, all.h, all.w, 1} {}

  int binary(Function f, int a, int second, int bits = 32, std::int64_t table_bytes = 0) {
    const Graph& g = b_.graph();
    const bool whole = g.tensors[index(a)].shape == all_ || g.tensors[index(second)].shape == all_;
    return finish(f, a, b_.between(next(f), whole ? all_ : one_, bits), second, table_bytes);
  }
  int number(const std::string& name) { return b_.constant(name, {1, 1, 1, 1}, 32); }
  int leading_zeros(int a) {
    return finish(Function::leading_zeros, a, b_.between(next(Function::leading_zeros), one_, 32), -1, 0);
  }
  /// The largest of the channels, as columns of a picture.
  int maximum(int a, int bits) {
    const int out = b_.between(next(Function::max_pool), one_, bits);
    Operation& op = b_.add(Function::max_pool, a, out);
    const int rows = all_.h * all_.w;
    op.ifm_shape = {1, rows, all_.c, 1}, op.ofm_shape = {1, rows, 1, 1};
    op.kernel = {1, all_.c, 1, 1, 1, 1};
    return out;
  }
  int sum(int a) {
    const int out = b_.between(next(Function::reduce_sum), one_, 32);
    Operation& op = b_.add(Function::reduce_sum, a, out);
    op.ifm_shape = all_, op.ofm_shape = one_;
    return out;
  }
  void last(Function f, int a, int second, int out) {
    Operation& op = b_.add(f, a, out, second);
    op.ofm_shape = all_;
  }

 private:
  std::string next(Function f) { return std::string(hw::ethos_u::name_of(f)) + std::to_string(count_++); }
  int finish(Function f, int a, int out, int second, std::int64_t table_bytes) {
    Operation& op = b_.add(f, a, out, second);
    if (b_.graph().tensors[index(a)].shape.elements() == all_.elements()) op.ifm_shape = all_;
    if (table_bytes) op.activation = Activation::table, op.table_bytes = table_bytes;
    return out;
  }

  Builder& b_;
  Shape all_, one_;
  int count_ = 0;
};

void bytes(Pieces& p, int ifm, int ofm) {
  constexpr std::int64_t kExpBytes = 256 * 4;
  const int largest = p.maximum(ifm, 8);
  const int exp = p.binary(Function::sub, ifm, largest, 32, kExpBytes);
  const int sum = p.sum(p.binary(Function::shift_right, exp, p.number("twelve")));
  const int zeros = p.leading_zeros(sum);
  const int right = p.binary(Function::sub, p.number("headroom"), zeros);
  const int one = p.number("one");
  const int headroom = p.binary(Function::sub, zeros, one);
  const int shifted = p.binary(Function::shift_left, sum, headroom);
  const int less_one = p.binary(Function::shift_left, p.binary(Function::sub, shifted, p.number("2^30")), one);
  const int half = p.binary(Function::add, less_one, p.number("2^31-1"));
  int x = p.binary(Function::add, p.binary(Function::mul, half, p.number("-32/17")), p.number("48/17"));
  const int two29 = p.number("2^29"), four = p.number("four");
  for (int i = 0; i < 3; ++i) {
    const int error = p.binary(Function::sub, two29, p.binary(Function::mul, x, half));
    x = p.binary(Function::add, x, p.binary(Function::mul, p.binary(Function::mul, x, error), four));
  }
  const int factor = p.binary(Function::mul, x, p.number("two"));
  p.last(Function::shift_right, p.binary(Function::mul, exp, factor), right, ofm);
}

void words(Pieces& p, int ifm, int ofm) {
  constexpr std::int64_t kTableBytes = 512 * 4;
  const int largest = p.maximum(ifm, 16);
  const int less = p.binary(Function::sub, ifm, largest);
  const int scaled = p.binary(Function::mul, less, p.number("scale"));
  const int exp = p.binary(Function::add, scaled, p.number("32767"), 16, kTableBytes);
  const int sum = p.sum(exp);
  const int zeros = p.leading_zeros(sum);
  const int right = p.binary(Function::sub, p.number("31"), zeros);
  const int one = p.binary(Function::shift_left, p.number("one"), right);
  const int shifted = p.binary(Function::shift_left, p.binary(Function::sub, sum, one), zeros);
  const int short_one = p.binary(Function::shift_right, shifted, p.number("15"));
  const int reciprocal = p.binary(Function::sub, short_one, p.number("32768"), 16, kTableBytes);
  p.last(Function::shift_right, p.binary(Function::mul, exp, reciprocal), right, ofm);
}

}  // namespace

void add_softmax(Builder& b) {
  const int ifm = b.tensor(b.op().inputs[0]), ofm = b.tensor(b.op().outputs[0]);
  Shape all = b.graph().tensors[index(ifm)].shape;
  all.h *= all.n, all.n = 1;
  Pieces pieces(b, all);
  b.graph().tensors[index(ifm)].bits == 16 ? words(pieces, ifm, ofm) : bytes(pieces, ifm, ofm);
}

}  // namespace dse::plan::npu
