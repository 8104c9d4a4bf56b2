// Paddings into what reads them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "models/nn/graph/derivation.h"
#include "models/nn/quantize.h"
#include "models/nn/rewrite/rewrites.h"

namespace dse::nn::rewrite {
namespace {

/// The constant of a derived PAD.
std::int64_t value_of(const Operator& pad) {
  std::int64_t v = 0;
  std::memcpy(&v, &pad.kernel.arg[19], sizeof v);
  return v;
}

bool narrow(DataType t) { return t == DataType::int8 || t == DataType::uint8 || t == DataType::int16; }

/// The raw constant of a PAD as a value of its tensor's type.
std::int64_t raw_of(const Operator& pad, DataType type) {
  const std::int64_t v = value_of(pad);
  switch (type) {
    case DataType::int8:
      return static_cast<std::int8_t>(v);
    case DataType::uint8:
      return static_cast<std::uint8_t>(v);
    default:
      return static_cast<std::int16_t>(v);
  }
}

bool is_pool(const Operator& op) { return family_of(op.kind) == OperatorFamily::pool; }
bool is_convolution(const Operator& op) { return family_of(op.kind) == OperatorFamily::convolution; }

/// One dimension of a window after the padding went into it.
struct Side {
  std::int64_t before, after;
  bool same;  // what SAME pads
  bool none() const { return before == 0 && after == 0; }
};

/// In words if there are any: VALID, SAME (which `counted` padding is not), else elements.
void set_padding(OperatorOptions& o, const Side& h, const Side& w, bool counted) {
  const bool none = h.none() && w.none();
  o.same_padding = !none && !counted && h.same && w.same;
  o.explicit_padding = !none && !o.same_padding;
  const auto elements = [&](std::int64_t v) { return o.explicit_padding ? static_cast<int>(v) : 0; };
  o.pad_top = elements(h.before), o.pad_bottom = elements(h.after);
  o.pad_left = elements(w.before), o.pad_right = elements(w.after);
}

/// @param in extent before the padding, which adds `before` to the window's own `own`.
/// @returns nothing where a window could lie beside the image.
std::optional<Side> side(std::int64_t in, std::int64_t before, std::int64_t own, std::int64_t out, std::int64_t taps,
                         std::int64_t stride, std::int64_t dilation) {
  const std::int64_t reach = (taps - 1) * dilation + 1;
  Side s{before + own, 0, false};
  // Only what windows reach: the rest of the padding was never read.
  s.after = std::max<std::int64_t>(0, (out - 1) * stride + reach - in - s.before);
  if (s.before >= reach || s.after >= reach) return std::nullopt;
  const Window same = window(in, taps, stride, dilation, true);
  s.same = same.out == out && same.pad_before == s.before;
  return s;
}

class PadFolder {
 public:
  explicit PadFolder(Network& n) : n_(n), uses_(n) {}

  bool run() {
    std::vector<bool> dead(n_.operators.size());
    for (std::size_t o = 0; o < n_.operators.size(); ++o) dead[o] = fold(n_.operators[o]);
    const bool any = std::find(dead.begin(), dead.end(), true) != dead.end();
    if (any) drop_operators(n_, dead);
    return any;
  }

 private:
  bool foldable(const Operator& pad) const {
    if (pad.kind != OperatorKind::pad || !runs(pad) || pad.outputs.size() != 1 || !flows(n_, pad.inputs[0]))
      return false;
    const Tensor &in = at(n_, pad.inputs[0]), &out = at(n_, pad.outputs[0]);
    return narrow(in.type) && same_values(in, out) && in.quantization.scale.size() == 1 &&
           in.quantization.zero_point.size() == 1 && !uses_.is_output[static_cast<std::size_t>(pad.outputs[0])] &&
           out.kind == TensorKind::activation;
  }

  /// @returns whether all that read `pad` read what it pads instead.
  bool fold(const Operator& pad) {
    if (!foldable(pad)) return false;
    const int padded = pad.outputs[0];
    const auto& readers = uses_.readers[static_cast<std::size_t>(padded)];
    if (readers.empty()) return false;
    std::vector<Operator> changed;
    for (const int r : readers) {
      const Operator& reader = n_.operators[static_cast<std::size_t>(r)];
      const bool once = std::count(reader.inputs.begin(), reader.inputs.end(), padded) == 1;
      auto with = runs(reader) && once && reader.inputs[0] == padded ? into(pad, reader) : std::nullopt;
      if (!with) return false;
      with->inputs[0] = pad.inputs[0];
      changed.push_back(std::move(*with));
    }
    std::string names;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      names += (i ? ", " : "") + changed[i].name;
      n_.operators[static_cast<std::size_t>(readers[i])] = std::move(changed[i]);
    }
    note(n_, "pad", pad, "folded into " + names);
    return true;
  }

  std::optional<Operator> into(const Operator& pad, const Operator& reader) const {
    if (reader.kind == OperatorKind::pad) return into_pad(pad, reader);
    if (!is_pool(reader) && !is_convolution(reader)) return std::nullopt;
    const auto &before = pad.options.pad_before, &after = pad.options.pad_after;
    if (before.size() != 4 || before[0] || after[0] || before[3] || after[3]) return std::nullopt;
    if (reader.options.ceil_mode) return std::nullopt;
    const auto& in = at(n_, pad.inputs[0]).shape;
    const dse_op& k = reader.kernel;
    const auto h = side(in[1], before[1], k.pad_top, k.out_h, k.kernel_h, k.stride_h, k.dilation_h);
    const auto w = side(in[2], before[2], k.pad_left, k.out_w, k.kernel_w, k.stride_w, k.dilation_w);
    if (!h || !w || !keeps_bytes(pad, reader)) return std::nullopt;
    Operator out = reader;
    OperatorOptions& o = out.options;
    const bool counts = reader.kind == OperatorKind::average_pool_2d && !(h->none() && w->none());
    set_padding(o, *h, *w, counts);
    if (counts) o.count_include_pad = true;
    return out;
  }

  std::optional<Operator> into_pad(const Operator& pad, const Operator& reader) const {
    const DataType type = at(n_, pad.outputs[0]).type;
    if (!foldable(reader) || raw_of(pad, type) != raw_of(reader, type)) return std::nullopt;
    Operator out = reader;
    for (std::size_t d = 0; d < out.options.pad_before.size(); ++d) {
      out.options.pad_before[d] += pad.options.pad_before[d];
      out.options.pad_after[d] += pad.options.pad_after[d];
    }
    return out;
  }

  bool keeps_bytes(const Operator& pad, const Operator& reader) const {
    const Tensor& x = at(n_, pad.inputs[0]);
    const std::int64_t raw = raw_of(pad, x.type), zero = zero_of(x);
    const dse_op& k = reader.kernel;
    switch (reader.kind) {
      case OperatorKind::average_pool_2d: {
        // Its own padding must count as that of the PAD will, or be none.
        const auto& in = at(n_, pad.outputs[0]).shape;
        const bool bare = k.pad_top == 0 && k.pad_left == 0 && (k.out_h - 1) * k.stride_h + k.kernel_h <= in[1] &&
                          (k.out_w - 1) * k.stride_w + k.kernel_w <= in[2];
        return raw == zero && (bare || reader.options.count_include_pad);
      }
      case OperatorKind::max_pool_2d:
        // Padding that is never the greatest: cut away by the activation, or no more than any value.
        return raw <= k.act_min || raw <= least(pad.inputs[0]);
      default:
        return raw == zero;
    }
  }

  /// No value of the tensor is below.
  std::int64_t least(int tensor) const {
    const std::int64_t any = type_range(at(n_, tensor).type).min;
    const int maker = n_.producer(tensor);
    if (maker < 0) return any;
    const Operator& op = n_.operators[static_cast<std::size_t>(maker)];
    const int kind = op.kernel.kind;
    const bool cuts =
        kind == DSE_CONV_2D || kind == DSE_DEPTHWISE_CONV_2D || kind == DSE_ADD || kind == DSE_MAX_POOL_2D;
    return runs(op) && cuts && op.outputs.size() == 1 ? op.kernel.act_min : any;
  }

  Network& n_;
  const Uses uses_;
};

}  // namespace

bool fold_pads(Network& n) { return PadFolder(n).run(); }

bool trim_padding(Network& n) {
  bool any = false;
  for (Operator& op : n.operators) {
    if ((!is_pool(op) && !is_convolution(op)) || !runs(op) || !op.options.explicit_padding || op.options.ceil_mode)
      continue;
    const auto& in = at(n, op.inputs[0]).shape;
    const dse_op& k = op.kernel;
    const auto h = side(in[1], 0, k.pad_top, k.out_h, k.kernel_h, k.stride_h, k.dilation_h);
    const auto w = side(in[2], 0, k.pad_left, k.out_w, k.kernel_w, k.stride_w, k.dilation_w);
    if (!h || !w) continue;
    const OperatorOptions before = op.options;
    set_padding(op.options, *h, *w, op.options.count_include_pad);
    const OperatorOptions& o = op.options;
    any |= o.explicit_padding != before.explicit_padding || o.pad_bottom != before.pad_bottom ||
           o.pad_right != before.pad_right;
  }
  return any;
}

}  // namespace dse::nn::rewrite
