// How a layer is cut into tiles.
#include <algorithm>

#include "plan/choices/choice_kinds.h"
#include "plan/network/layers.h"

namespace dse::plan::choices {
namespace {

bool pointwise(const LayerContext& c) {
  const auto& k = kernel(c);
  if (elementwise(k.kind) || k.kind == DSE_FULLY_CONNECTED) return true;
  return k.kind == DSE_CONV_2D && k.kernel_h == 1 && k.kernel_w == 1 && k.stride_h == 1 && k.stride_w == 1 &&
         k.pad_top == 0 && k.pad_left == 0;
}

/// `all` first, then halves down to 1: what is left over in the last tile stays below one tile.
std::vector<int> halves(int all, int least = 1) {
  std::vector<int> out = {0};
  for (int n = (all + 1) / 2; n >= least && n < all; n = (n + 1) / 2) {
    out.push_back(n);
    if (n == 1) break;
  }
  return out;
}

/// What decides which operands move, and more.
std::vector<std::string> moves_and(std::initializer_list<const char*> more) {
  std::vector<std::string> names = {"engine", "operands", "output", "weights"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

std::vector<Choice> tile_choices() {
  std::vector<Choice> out;
  const auto add = [&out](std::vector<std::string> needs, Choice c) {
    out.push_back(needing(std::move(needs), std::move(c)));
  };
  add(moves_and({"layout", "phases"}),
      named(
          "scheme",
          "interleaved: rings of channels-last rows; planar: one plane at a time with partial sums; pixel-block: all "
          "channels of a block of pixels",
          {"interleaved", "planar", "pixel-block"}, [](const LayerChoice& l) { return static_cast<int>(l.scheme); },
          [](LayerChoice& l, int v) { l.scheme = static_cast<Scheme>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            std::vector<int> out = {0};
            if (l.phases != Phases::no || whole_only(c) || !moves_anything(c, l)) return out;
            out.push_back(1);
            const bool hwc = l.output_layout == TensorLayout::hwc && c.inputs[0].layout == TensorLayout::hwc &&
                             (c.input_count < 2 || c.inputs[1].layout == TensorLayout::hwc);
            if (pointwise(c) && hwc && kernel(c).out_w > 1) out.push_back(2);
            return out;
          }));
  add({"engine", "operands", "output", "phases", "scheme"},
      counted("tile", "output rows (pixel-block: pixels) computed at a time", &LayerChoice::tile,
              [](const LayerContext& c, const LayerChoice& l) {
                if (l.phases != Phases::no) {
                  std::vector<int> out = {0};
                  for (int n = 1; n < kernel(c).out_h; n *= 2) out.push_back(n);
                  return out;
                }
                if (whole_only(c) || !moves_activations(c, l)) return std::vector<int>{0};
                const auto& k = kernel(c);
                const int pixels = k.out_h * k.out_w;
                if (l.scheme == Scheme::pixel_block) return halves(pixels, std::min(8, pixels));
                return halves(k.out_h, l.scheme == Scheme::planar && accumulates(c) ? (k.out_h + 3) / 4 : 1);
              }));
  add(moves_and({"phases", "scheme"}),
      counted("filters", "output channels computed at a time (a filter set)", &LayerChoice::filters,
              [](const LayerContext& c, const LayerChoice& l) {
                if (l.phases != Phases::no || whole_only(c) || !moves_anything(c, l)) return std::vector<int>{0};
                const auto& k = kernel(c);
                if (accumulates(c))
                  return halves(k.out_c, l.scheme == Scheme::planar ? (k.out_c + 3) / 4 : std::min(8, k.out_c));
                if (l.scheme != Scheme::planar) return std::vector<int>{0};
                const int unit = std::max(1, k.kind == DSE_DEPTHWISE_CONV_2D ? k.multiplier : 1);
                std::vector<int> out;
                for (int n : {1, 4, 16})
                  if (n * unit < k.out_c) out.push_back(n * unit);
                out.push_back(0);
                return out;
              }));
  add({"scheme"}, counted("channels", "planar scheme: input channels per accumulation step", &LayerChoice::channels,
                          [](const LayerContext& c, const LayerChoice& l) {
                            if (l.scheme != Scheme::planar || !accumulates(c)) return std::vector<int>{0};
                            std::vector<int> out;
                            for (int n : {4, 16, 64})
                              if (n < kernel(c).in_c) out.push_back(n);
                            if (out.empty()) out.push_back(1);
                            return out;
                          }));
  return out;
}

}  // namespace dse::plan::choices
