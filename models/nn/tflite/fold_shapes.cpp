#include "models/nn/tflite/fold_shapes.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace dse::nn {
namespace {

using Integers = std::vector<std::int64_t>;
using Values = std::optional<Integers>;

/// An operand: a constant's values in row-major order, and its shape.
struct Operand {
  Integers values, shape;
};

bool plain_integers(const Tensor& t) {
  return (t.type == DataType::int32 || t.type == DataType::int64) && t.quantization.scale.empty();
}

class Folding {
 public:
  Folding(const TfliteReading& reading, const tflite::Operator& from, const Operator& op)
      : n_(reading.network), from_(from), op_(op) {}

  /// Values of every output; nothing when the operator is none of these.
  std::optional<std::vector<Integers>> run() {
    if (op_.outputs.empty() || op_.inputs.empty() || op_.inputs[0] < 0) return std::nullopt;
    if (op_.type == "SHAPE") return one(tensor(op_.inputs[0]).shape);
    if (op_.type == "RANK") return one(Integers{static_cast<std::int64_t>(tensor(op_.inputs[0]).shape.size())});
    if (activated()) return std::nullopt;
    for (std::size_t i = 0; i < values(); ++i) {
      const int t = op_.inputs[i];
      Operand in;
      if (t < 0 || !constant_integers(n_, t, in.values)) return std::nullopt;
      in.shape = tensor(t).shape;
      const bool list = in.shape.size() <= 1 && static_cast<std::int64_t>(in.values.size()) == tensor(t).elements();
      if (!is_setting(i) && (!plain_integers(tensor(t)) || !list)) return std::nullopt;
      in_.push_back(std::move(in));
    }
    if (op_.type == "UNPACK") return unpacked();
    return one(computed());
  }

 private:
  const Tensor& tensor(int t) const { return n_.tensors[static_cast<std::size_t>(t)]; }
  static std::optional<std::vector<Integers>> one(Values v) {
    if (!v) return std::nullopt;
    return std::vector<Integers>{std::move(*v)};
  }
  bool takes(std::size_t count) const { return in_.size() == count; }

  bool is(std::initializer_list<const char*> types) const {
    return std::any_of(types.begin(), types.end(), [&](const char* t) { return op_.type == t; });
  }
  /// How many operands tell the values: the output's tensor tells the new shape, whatever stands beside it.
  std::size_t values() const { return is({"RESHAPE", "EXPAND_DIMS"}) ? 1 : op_.inputs.size(); }
  /// Operands that become options, of which only the numbers matter: as they are read where the operator stays.
  bool is_setting(std::size_t input) const { return input > 0 && is({"SLICE", "STRIDED_SLICE"}); }

  /// Values behind an activation are no shapes.
  bool activated() const {
    const auto fused = [&](const auto* options) {
      return options && options->fused_activation_function() != tflite::ActivationFunctionType::NONE;
    };
    return fused(from_.builtin_options_as_AddOptions()) || fused(from_.builtin_options_as_SubOptions()) ||
           fused(from_.builtin_options_as_MulOptions()) || fused(from_.builtin_options_as_DivOptions()) ||
           fused(from_.builtin_options_as_ConcatenationOptions());
  }

  Values computed() {
    const std::string& type = op_.type;
    if (type == "CAST" || type == "SQUEEZE") return takes(1) ? Values(in_[0].values) : std::nullopt;
    if (type == "RESHAPE" || type == "EXPAND_DIMS") return Values(in_[0].values);
    if (type == "PACK" || type == "CONCATENATION") return joined();
    if (type == "STRIDED_SLICE") return strided();
    if (type == "SLICE") return slice();
    if (type == "GATHER") return gathered();
    if (type == "REDUCE_PROD") return product();
    if (type == "FILL") return filled();
    return elementwise();
  }

  std::optional<std::vector<Integers>> unpacked() {
    if (!takes(1) || in_[0].values.size() != op_.outputs.size()) return std::nullopt;
    std::vector<Integers> out;
    for (const auto v : in_[0].values) out.push_back({v});
    return out;
  }

  /// Scalars packed, lists put end to end.
  Values joined() {
    Integers out;
    const std::size_t rank = op_.type == "PACK" ? 0 : 1;
    for (const auto& i : in_) {
      if (i.shape.size() != rank || out.size() + i.values.size() > max_tflite_ports) return std::nullopt;
      out.insert(out.end(), i.values.begin(), i.values.end());
    }
    return out;
  }

  Values strided() {
    if (!takes(4) || in_[0].shape.size() != 1 || in_[1].values.size() != in_[2].values.size() ||
        in_[1].values.size() != in_[3].values.size())
      return std::nullopt;
    Operator ranges;
    if (!resolve_strided_slice(from_.builtin_options_as_StridedSliceOptions(), in_[0].shape, in_[1].values,
                               in_[2].values, in_[3].values, ranges))
      return std::nullopt;
    const auto& r = ranges.options;
    Integers out;
    for (std::int64_t i = r.begin[0]; r.strides[0] > 0 ? i < r.end[0] : i > r.end[0]; i += r.strides[0])
      out.push_back(in_[0].values[static_cast<std::size_t>(i)]);
    return out;
  }

  Values slice() {
    if (!takes(3) || in_[0].shape.size() != 1 || in_[1].values.size() != 1 || in_[2].values.size() != 1)
      return std::nullopt;
    const std::int64_t extent = in_[0].shape[0], begin = in_[1].values[0], size = in_[2].values[0];
    if (begin < 0 || begin > extent || size < -1 || size > extent - begin) return std::nullopt;
    const auto first = in_[0].values.begin() + begin;
    return Integers(first, size < 0 ? in_[0].values.end() : first + size);
  }

  Values gathered() {
    if (!takes(2) || in_[0].shape.size() != 1) return std::nullopt;
    Integers out;
    for (const auto i : in_[1].values) {
      if (i < 0 || i >= in_[0].shape[0]) return std::nullopt;
      out.push_back(in_[0].values[static_cast<std::size_t>(i)]);
    }
    return out;
  }

  Values product() {
    if (!takes(2) || in_[1].values.size() != 1) return std::nullopt;
    std::int64_t all = 1;
    for (const auto v : in_[0].values)
      if (__builtin_mul_overflow(all, v, &all)) return std::nullopt;
    return Integers{all};
  }

  Values filled() {
    std::int64_t count = 1;
    if (!takes(2) || in_[1].values.size() != 1) return std::nullopt;
    for (const auto d : in_[0].values) {
      if (d < 1 || d > static_cast<std::int64_t>(max_tflite_ports) / count) return std::nullopt;
      count *= d;
    }
    return Integers(static_cast<std::size_t>(count), in_[1].values[0]);
  }

  /// Of two operands of one length, or one of which is a single value.
  Values elementwise() {
    if (!takes(2) || in_[0].values.empty() || in_[1].values.empty()) return std::nullopt;
    const auto &a = in_[0].values, &b = in_[1].values;
    if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return std::nullopt;
    Integers out(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!apply(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i], out[i])) return std::nullopt;
    return out;
  }

  bool apply(std::int64_t a, std::int64_t b, std::int64_t& out) const {
    const std::string& type = op_.type;
    if (type == "ADD") return !__builtin_add_overflow(a, b, &out);
    if (type == "SUB") return !__builtin_sub_overflow(a, b, &out);
    if (type == "MUL") return !__builtin_mul_overflow(a, b, &out);
    if (type == "MAXIMUM") return out = std::max(a, b), true;
    if (type == "MINIMUM") return out = std::min(a, b), true;
    const bool floored = type == "FLOOR_DIV", mod = type == "FLOOR_MOD";
    if ((type != "DIV" && !floored && !mod) || b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min()))
      return false;
    const bool below = a % b != 0 && (a < 0) != (b < 0);  // the quotient lies below what is cut off
    out = mod ? a % b + (below ? b : 0) : a / b - (floored && below ? 1 : 0);
    return true;
  }

  const Network& n_;
  const tflite::Operator& from_;
  const Operator& op_;
  std::vector<Operand> in_;
};

/// The output can hold these values and is nothing else yet.
bool holds(const Tensor& t, const Integers& values) {
  const auto narrow = [](std::int64_t v) { return v == static_cast<std::int32_t>(v); };
  return t.kind == TensorKind::activation && plain_integers(t) &&
         t.elements() == static_cast<std::int64_t>(values.size()) &&
         (t.type == DataType::int64 || std::all_of(values.begin(), values.end(), narrow));
}

}  // namespace

bool fold_tflite_shape(TfliteReading& reading, const tflite::Operator& from, const Operator& op) {
  // A constant that is an output is copied to it: folding such a copy would ask for another.
  const bool copy = op.type == "RESHAPE" && op.outputs.size() == 1;
  if (copy && reading.ends[static_cast<std::size_t>(op.outputs[0])]) return false;
  const auto values = Folding(reading, from, op).run();
  if (!values || values->size() != op.outputs.size()) return false;
  auto& tensors = reading.network.tensors;
  for (std::size_t o = 0; o < op.outputs.size(); ++o) {
    const auto out = static_cast<std::size_t>(op.outputs[o]);
    // What was taken before is no constant, or else a network would depend on where its file makes it.
    if (reading.taken[out] || !holds(tensors[out], (*values)[o])) return false;
    // Twice the same output is no operator.
    if (std::count(op.outputs.begin(), op.outputs.end(), op.outputs[o]) != 1) return false;
  }
  for (std::size_t o = 0; o < op.outputs.size(); ++o) {
    Tensor& t = tensors[static_cast<std::size_t>(op.outputs[o])];
    const auto size = static_cast<std::size_t>(size_of(t.type));
    if (!reading.spend(size * (*values)[o].size())) return false;
    t.kind = TensorKind::constant;
    for (const std::int64_t v : (*values)[o])
      for (std::size_t b = 0; b < size; ++b)
        t.data.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(v) >> (8 * b)));
  }
  return true;
}

}  // namespace dse::nn
