#include "models/nn/circulant/compress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "models/nn/circulant/layer.h"
#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"

namespace dse::nn::circulant {
namespace {

/// The smallest magnitudes become 0; of equal ones the first.
void prune(std::vector<double>& w, double share) {
  std::vector<std::size_t> order(w.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(w[a]) < std::abs(w[b]); });
  const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(w.size())));
  for (std::size_t i = 0; i < count; ++i) w[order[i]] = 0;
}

/// k-means of one dimension (Lloyd 1982), from evenly spread centres. Zeros stay zeros: they are a cluster of their
/// own.
void cluster(std::vector<double>& w, int k) {
  std::vector<double> sorted;
  for (const double v : w)
    if (v != 0) sorted.push_back(v);
  std::sort(sorted.begin(), sorted.end());
  const bool zeros = sorted.size() < w.size();
  const auto centres = static_cast<std::size_t>(std::max(1, k - (zeros ? 1 : 0)));
  if (std::set<double>(sorted.begin(), sorted.end()).size() <= centres) return;
  std::vector<double> centre(centres);
  for (std::size_t c = 0; c < centres; ++c)
    centre[c] = sorted.front() +
                (sorted.back() - sorted.front()) * (static_cast<double>(c) + 0.5) / static_cast<double>(centres);
  // The values of a centre are those between the middles to its neighbours.
  const auto nearest = [&](double v) {
    const auto above = static_cast<std::size_t>(std::lower_bound(centre.begin(), centre.end(), v) - centre.begin());
    if (above == 0) return above;
    return above == centres || v - centre[above - 1] <= centre[above] - v ? above - 1 : above;
  };
  for (int round = 0; round < 100; ++round) {
    std::vector<double> sum(centres), count(centres);
    for (const double v : sorted) sum[nearest(v)] += v, ++count[nearest(v)];
    std::vector<double> next(centres);
    for (std::size_t c = 0; c < centres; ++c) {
      // A centre without values goes to the value that is worst off.
      const auto far = [&](double v) { return std::abs(v - centre[nearest(v)]); };
      next[c] = count[c] > 0 ? sum[c] / count[c]
                             : *std::max_element(sorted.begin(), sorted.end(),
                                                 [&](double a, double b) { return far(a) < far(b); });
    }
    std::sort(next.begin(), next.end());
    if (next == centre) break;
    centre = std::move(next);
  }
  for (double& v : w)
    if (v != 0) v = centre[nearest(v)];
}

class Compressor {
 public:
  Compressor(Network n, const CompressOptions& o, std::vector<CompressedLayer>& layers, const std::string& file,
             Diagnostics& diags)
      : n_(unfinished(std::move(n))), o_(o), layers_(layers), file_(file), diags_(diags) {}

  Network run() {
    if (!check_names()) return {};
    bool ok = true;
    for (Operator& op : n_.operators)
      if (can_have_blocks(n_, op)) ok = compress(op) && ok;
    return ok ? std::move(n_) : Network{};
  }

 private:
  bool fail(const std::string& what, const std::string& hint = {}) {
    diags_.error({file_, 0, 0}, what, hint);
    return false;
  }
  Tensor& tensor(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }

  bool check_names() {
    bool ok = true;
    for (const auto& [name, block] : o_.blocks) {
      std::vector<std::string> known;
      bool found = false;
      for (const auto& op : n_.operators) {
        if (!can_have_blocks(n_, op)) continue;
        known.push_back(op.name), found = found || op.name == name;
      }
      if (!found)
        ok = fail(fmt::format("--blocks: '{}' is no layer that can have blocks", name),
                  fmt::format("known are {}", fmt::join(known, ", ")));
    }
    return ok;
  }

  /// A layer as it stands.
  Blocks shape_of(const Operator& op) {
    if (is_circulant(op.kind)) return blocks_of(n_, op);
    const auto& w = tensor(op.inputs[1]).shape;
    if (op.kind == OperatorKind::fully_connected) return {w[0], w[1], 1, 1};
    return {w[0], w[3], 1, w[1] * w[2]};
  }

  /// The block that a layer is to have and its projection; 1: it stays dense.
  bool choose(const Operator& op, const std::vector<double>& matrix, Blocks& s, Projection& best) {
    if (const auto given = o_.blocks.find(op.name); given != o_.blocks.end()) {
      const Blocks wanted{s.out, s.in, given->second, s.taps};
      if (const auto why = why_no_block(given->second, false); !why.empty())
        return fail(fmt::format("layer {}: {}", op.name, why));
      if (wanted.size > std::max(wanted.in, wanted.out))
        return fail(fmt::format("layer {}: a block of {} is larger than the layer, which has {} inputs and {} outputs",
                                op.name, wanted.size, wanted.in, wanted.out));
      s = wanted;
      best = project(s, matrix);
      return true;
    }
    if (is_circulant(op.kind)) return true;
    const std::int64_t most = std::min<std::int64_t>({o_.most_block, s.in, s.out});
    for (std::int64_t b = 2; o_.most_error > 0 && b <= most; b *= 2) {
      const Blocks larger{s.out, s.in, b, s.taps};
      Projection p = project(larger, matrix);
      if (p.relative() > o_.most_error) continue;
      s = larger, best = std::move(p);
    }
    return true;
  }

  bool compress(Operator& op) {
    const int weights = op.inputs[1];
    const auto values = values_of(tensor(weights));
    for (const float v : values)
      if (!std::isfinite(v)) return fail(fmt::format("layer {}: its weights are not all finite", op.name));
    std::vector<double> w(values.begin(), values.end());
    CompressedLayer l;
    l.name = op.name, l.parameters = static_cast<std::int64_t>(w.size());
    const Blocks was = shape_of(op);
    Blocks s = was;
    Projection p;
    const auto matrix = expanded<double>(was, w);
    if (!choose(op, matrix, s, p)) return false;
    for (const double v : matrix) l.norm_squared += v * v;
    l.error_squared = p.error;
    if (s.size != was.size) {
      w = std::move(p.weights);
      set_form(op, s);
    }
    const auto before = w;
    if (o_.prune > 0) prune(w, o_.prune);
    if (o_.cluster > 0) cluster(w, o_.cluster);
    // Each weight of a block stands in as many places as a block has rows.
    const auto places = static_cast<double>(s.size);
    double changed = 0;
    for (std::size_t i = 0; i < w.size(); ++i) changed += (w[i] - before[i]) * (w[i] - before[i]);
    l.error_squared += places * changed;
    l.error = l.norm_squared > 0 ? std::sqrt(l.error_squared / l.norm_squared) : 0;
    l.out = s.out, l.in = s.in, l.taps = s.taps, l.block = static_cast<int>(s.size);
    l.kept = static_cast<std::int64_t>(w.size());
    l.zeros = std::count(w.begin(), w.end(), 0.0);
    l.values = static_cast<std::int64_t>(std::set<double>(w.begin(), w.end()).size());
    set_values(tensor(op.inputs[1]), std::vector<float>(w.begin(), w.end()));
    layers_.push_back(std::move(l));
    return true;
  }

  /// Makes the layer one of such blocks. Weights that several operators read are copied first.
  void set_form(Operator& op, const Blocks& s) {
    const bool conv = op.kind == OperatorKind::conv_2d || op.kind == OperatorKind::circulant_conv_2d;
    if (n_.consumers(op.inputs[1]).size() > 1) {
      Tensor copy = tensor(op.inputs[1]);
      copy.name += "/" + op.name;
      n_.tensors.push_back(std::move(copy));
      op.inputs[1] = static_cast<int>(n_.tensors.size()) - 1;
    }
    Tensor& t = tensor(op.inputs[1]);
    const std::int64_t h = conv ? t.shape[1] : 1, w = conv ? t.shape[2] : 1;
    if (s.size > 1)
      t.shape = weights_shape(s, h, w, conv);
    else
      t.shape = conv ? std::vector<std::int64_t>{s.out, h, w, s.in} : std::vector<std::int64_t>{s.out, s.in};
    op.kind = s.size > 1 ? (conv ? OperatorKind::circulant_conv_2d : OperatorKind::circulant_fully_connected)
                         : (conv ? OperatorKind::conv_2d : OperatorKind::fully_connected);
    op.type.clear();
    op.options.block = static_cast<int>(s.size), op.options.spectral = false;
  }

  Network n_;
  const CompressOptions& o_;
  std::vector<CompressedLayer>& layers_;
  const std::string& file_;
  Diagnostics& diags_;
};

}  // namespace

bool can_have_blocks(const Network& n, const Operator& op) {
  if (is_circulant(op.kind)) return true;
  if (op.kind != OperatorKind::fully_connected && op.kind != OperatorKind::conv_2d) return false;
  const auto tensor = [&](int t) -> const Tensor& { return n.tensors[static_cast<std::size_t>(t)]; };
  const Tensor &x = tensor(op.inputs[0]), &w = tensor(op.inputs[1]);
  if (w.kind != TensorKind::constant || w.type != DataType::float32) return false;
  if (op.kind == OperatorKind::conv_2d)
    return !op.options.channels_first && w.shape.size() == 4 && x.shape.back() == w.shape[3];
  const std::int64_t rows = x.shape.size() == 2 ? x.shape[0] : 1;
  return w.shape.size() == 2 && x.elements() == rows * w.shape[1];
}

Network compressed(Network n, const CompressOptions& options, std::vector<CompressedLayer>& layers,
                   const std::string& file, Diagnostics& diags) {
  return Compressor(in_domain(std::move(n), false, false), options, layers, file, diags).run();
}

double total_error(const std::vector<CompressedLayer>& layers) {
  double error = 0, norm = 0;
  for (const auto& l : layers) error += l.error_squared, norm += l.norm_squared;
  return norm > 0 ? std::sqrt(error / norm) : 0;
}

}  // namespace dse::nn::circulant
