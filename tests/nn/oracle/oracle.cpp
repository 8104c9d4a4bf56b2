#include "oracle.h"

#include <cstring>
#include <limits>

#include "families.h"

namespace dse::nn::oracle {

std::int64_t bytes_of(Type t) {
  switch (t) {
    case Type::i16:
      return 2;
    case Type::i32:
    case Type::f32:
      return 4;
    case Type::i64:
      return 8;
    default:
      return 1;
  }
}
std::int64_t lowest(Type t) {
  switch (t) {
    case Type::i8:
      return -128;
    case Type::i16:
      return -32768;
    case Type::i32:
      return INT32_MIN;
    case Type::i64:
      return INT64_MIN;
    default:
      return 0;
  }
}
std::int64_t highest(Type t) {
  switch (t) {
    case Type::i8:
      return 127;
    case Type::u8:
      return 255;
    case Type::i16:
      return 32767;
    case Type::i32:
      return INT32_MAX;
    case Type::i64:
      return INT64_MAX;
    default:
      return 1;
  }
}

std::int64_t Tensor::elements() const {
  std::int64_t n = 1;
  for (const auto d : shape) n *= d;
  return n;
}
float Tensor::s(std::int64_t c) const {
  if (scale.empty()) throw std::invalid_argument("tensor without a scale");
  return scale.size() == 1 ? scale[0] : scale.at(static_cast<std::size_t>(c));
}
std::int64_t Tensor::z(std::int64_t c) const {
  return zero.empty() ? 0 : zero.size() == 1 ? zero[0] : zero.at(static_cast<std::size_t>(c));
}

std::vector<std::uint8_t> Tensor::bytes() const {
  std::vector<std::uint8_t> raw;
  for (const float v : f) {
    raw.resize(raw.size() + 4);
    std::memcpy(raw.data() + raw.size() - 4, &v, 4);
  }
  for (const auto v : q)
    for (std::int64_t b = 0; b < bytes_of(type); ++b) raw.push_back(static_cast<std::uint8_t>(v >> 8 * b));
  return raw;
}

void Tensor::set_bytes(const std::vector<std::uint8_t>& raw) {
  const auto size = static_cast<std::size_t>(bytes_of(type)), n = raw.size() / size;
  if (raw.size() != n * size || static_cast<std::int64_t>(n) != elements()) throw std::invalid_argument("tensor bytes");
  q.clear(), f.clear();
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t v = 0;
    for (std::size_t b = 0; b < size; ++b) v |= std::uint64_t{raw[i * size + b]} << 8 * b;
    if (type == Type::f32) {
      float value;
      std::memcpy(&value, raw.data() + 4 * i, 4);
      f.push_back(value);
    } else {
      const bool negative = lowest(type) < 0 && (v >> (8 * size - 1) & 1);
      if (negative && size < 8) v |= ~std::uint64_t{0} << 8 * size;
      q.push_back(static_cast<std::int64_t>(v));
    }
  }
}

void each(const std::vector<std::int64_t>& shape, const std::function<void(const Index&)>& f) {
  for (const auto d : shape)
    if (d == 0) return;
  Index i(shape.size(), 0);
  while (true) {
    f(i);
    std::size_t d = shape.size();
    while (d > 0 && ++i[d - 1] == shape[d - 1]) i[--d] = 0;
    if (d == 0) return;
  }
}

std::int64_t offset(const std::vector<std::int64_t>& shape, const Index& i) {
  if (i.size() != shape.size()) throw std::invalid_argument("rank");
  std::int64_t o = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (i[d] < 0 || i[d] >= shape[d]) throw std::invalid_argument("index out of range");
    o = o * shape[d] + i[d];
  }
  return o;
}

std::int64_t at(const Tensor& t, const Index& i) { return t.q.at(static_cast<std::size_t>(offset(t.shape, i))); }

std::int64_t at(const Tensor& t, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
  const auto& s = t.shape;
  const bool inside =
      s.size() == 4 && n >= 0 && y >= 0 && x >= 0 && c >= 0 && n < s[0] && y < s[1] && x < s[2] && c < s[3];
  if (!inside) throw std::invalid_argument("index of an image");
  return t.q.at(static_cast<std::size_t>(((n * s[1] + y) * s[2] + x) * s[3] + c));
}

std::int64_t at(const Tensor& t, std::int64_t row, std::int64_t column) {
  const auto& s = t.shape;
  const bool inside = s.size() == 2 && row >= 0 && column >= 0 && row < s[0] && column < s[1];
  if (!inside) throw std::invalid_argument("index of a matrix");
  return t.q.at(static_cast<std::size_t>(row * s[1] + column));
}

std::int64_t broadcast_at(const Tensor& t, const Index& i) {
  Index own(t.shape.size());
  if (own.size() > i.size()) throw std::invalid_argument("broadcast");
  for (std::size_t d = 0; d < own.size(); ++d) own[d] = t.shape[d] == 1 ? 0 : i[d + i.size() - own.size()];
  return at(t, own);
}

int positive_axis(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) throw std::invalid_argument("axis");
  return static_cast<int>(axis);
}

const Tensor& Call::x(std::size_t i) const {
  if (!has(i)) refuse("input " + std::to_string(i) + " is absent");
  return *in[i];
}

std::int64_t finish(const Call& c, Wide value) {
  const auto r = activation_range(c.y(), c.o.activation, c.o.mode);
  return clamp(value, r.lo, r.hi);
}

int pad_before(std::int64_t in, std::int64_t out, int kernel, int stride, int dilation, Padding p, int given) {
  if (p == Padding::given) return given;
  const std::int64_t reach = std::int64_t{kernel - 1} * dilation + 1;
  const std::int64_t total = p == Padding::valid ? 0 : (out - 1) * stride + reach - in;
  return total > 0 ? static_cast<int>(total / 2) : 0;
}

void run(const std::string& kind, const Options& options, const std::vector<const Tensor*>& inputs,
         std::vector<Tensor>& outputs, State* state) {
  const Call c{kind, options, inputs, outputs, state};
  for (auto& t : outputs) t.q.clear(), t.f.clear();
  for (auto* family : {run_convolution, run_pool, run_binary, run_reduction, run_unary, run_sigmoid, run_softmax,
                       run_resize, run_move, run_cut, run_recurrent, run_quantize})
    if (family(c)) {
      for (const auto& t : outputs)
        if (static_cast<std::int64_t>(t.q.size() + t.f.size()) != t.elements()) c.refuse("shape of the output");
      return;
    }
  c.refuse("unknown operator");
}

}  // namespace dse::nn::oracle
