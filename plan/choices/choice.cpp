#include "plan/choices/choice.h"

#include <algorithm>
#include <charconv>

#include "plan/choices/assignment.h"
#include "plan/layer/whole_layer.h"
#include "plan/network/row_graph.h"
#include "plan/plan.h"
#include "plan/rules/in_place.h"

namespace dse::plan {
namespace {

/// Names of an enumeration, by value.
Choice named(std::string name, std::string doc, std::vector<std::string> names,
             std::function<int(const LayerChoice&)> get, std::function<void(LayerChoice&, int)> set,
             std::function<std::vector<int>(const LayerContext&, const LayerChoice&)> domain) {
  Choice c;
  c.name = std::move(name), c.doc = std::move(doc);
  c.get = std::move(get), c.set = std::move(set), c.domain = std::move(domain);
  c.text = [names](const hw::Device&, int v) { return names.at(v); };
  c.parse = [names](const hw::Device&, const std::string& s) -> std::optional<int> {
    const auto it = std::find(names.begin(), names.end(), s);
    return it == names.end() ? std::nullopt : std::optional<int>(static_cast<int>(it - names.begin()));
  };
  return c;
}

/// Counts; 0 is "all".
Choice counted(std::string name, std::string doc, int LayerChoice::*field,
               std::function<std::vector<int>(const LayerContext&, const LayerChoice&)> domain) {
  Choice c;
  c.name = std::move(name), c.doc = std::move(doc), c.domain = std::move(domain);
  c.get = [field](const LayerChoice& l) { return l.*field; };
  c.set = [field](LayerChoice& l, int v) { l.*field = v; };
  c.text = [](const hw::Device&, int v) { return v == 0 ? std::string("all") : std::to_string(v); };
  c.parse = [](const hw::Device&, const std::string& s) -> std::optional<int> {
    if (s == "all") return 0;
    int v = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    return error == std::errc() && end == s.data() + s.size() && v > 0 ? std::optional<int>(v) : std::nullopt;
  };
  return c;
}

/// A memory of the device, or `none` for -1.
Choice memory(std::string name, std::string doc, std::string none, int LayerChoice::*field,
              std::function<std::vector<int>(const LayerContext&, const LayerChoice&)> domain) {
  Choice c;
  c.name = std::move(name), c.doc = std::move(doc), c.domain = std::move(domain);
  c.get = [field](const LayerChoice& l) { return l.*field; };
  c.set = [field](LayerChoice& l, int v) { l.*field = v; };
  c.text = [none](const hw::Device& d, int v) { return v < 0 ? none : d.memories.at(v).name; };
  c.parse = [none](const hw::Device& d, const std::string& s) -> std::optional<int> {
    if (s == none) return -1;
    const int m = d.memory(s);
    return m < 0 ? std::nullopt : std::optional<int>(m);
  };
  return c;
}

const dse_op& kernel(const LayerContext& c) { return c.network->operators[c.op].kernel; }
bool accumulates(const LayerContext& c) {
  return kernel(c).kind == DSE_CONV_2D || kernel(c).kind == DSE_FULLY_CONNECTED;
}
bool whole_only(const LayerContext& c) {
  return kernel(c).kind == DSE_SOFTMAX || kernel(c).kind == DSE_COPY ||
         is_whole(*c.network, c.network->operators[c.op]);
}
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

int compute_engine(const LayerContext& c, const LayerChoice& l) {
  return l.engine >= 0 ? l.engine : c.device->compute_engine();
}

/// An operand is moved to the nearest memory: it lies where the engine does not reach, or all operands are tiled.
bool moves(const LayerContext& c, const LayerChoice& l, int memory) {
  const auto& engine = c.device->engines[compute_engine(c, l)];
  return !engine.reaches(memory) || (l.operands == Operands::tiled && memory != engine.memories.front());
}
bool moves_anything(const LayerContext& c, const LayerChoice& l) {
  for (int i = 0; i < c.input_count; ++i)
    if (moves(c, l, c.inputs[i].memory)) return true;
  if (moves(c, l, l.output_memory)) return true;
  return has_constants(*c.network, c.network->operators[c.op]) &&
         moves(c, l, l.weights_memory == kStreamed ? c.device->constants : l.weights_memory);
}
bool moves_activations(const LayerContext& c, const LayerChoice& l) {
  for (int i = 0; i < c.input_count; ++i)
    if (moves(c, l, c.inputs[i].memory)) return true;
  return moves(c, l, l.output_memory);
}

/// Tiled over an image, so that planes are of use.
bool takes_planes(const nn::Network& n, const nn::Operator& op) {
  return !renames(n, op) && !is_whole(n, op) && op.kind != nn::OperatorKind::softmax &&
         op.kind != nn::OperatorKind::fully_connected;
}

}  // namespace

std::vector<int> home_memories(const hw::Device& device) {
  std::vector<int> out;
  const int engine = device.compute_engine();
  if (engine < 0) return out;
  const int near = device.engines[engine].memories.front();
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m) {
    if (!device.memories[m].on_chip && m != device.io) continue;
    const bool reached = device.engines[engine].reaches(m);
    if (reached || (device.copy_engine(m, near) >= 0 && device.copy_engine(near, m) >= 0)) out.push_back(m);
  }
  return out;
}

std::vector<Home> output_homes(const nn::Network& n, const hw::Device& d, int op) {
  const int tensor = n.operators[op].outputs[0];
  std::vector<Home> given = {{d.io, TensorLayout::hwc}};
  if (n.operators[op].outputs.size() > 1 || n.tensors[tensor].kind == nn::TensorKind::variable) return given;
  const auto root = alias_roots(n, true);
  const auto image = n.tensors[root[tensor]].image();  // one pixel, one channel: the same bytes either way
  bool planes = takes_planes(n, n.operators[op]) && image.c > 1 && image.h * image.w > 1;
  for (std::size_t a = 0; a < root.size(); ++a) {
    if (root[a] != root[tensor]) continue;
    if (std::count(n.outputs.begin(), n.outputs.end(), static_cast<int>(a)) > 0) return given;
    for (const int reader : n.consumers(static_cast<int>(a))) {
      if (activations(n, n.operators[reader]).size() > 2) return given;
      planes &= takes_planes(n, n.operators[reader]);
    }
  }
  const auto& engine = d.engines[d.compute_engine()];
  std::vector<Home> out;
  for (const int m : home_memories(d)) {
    out.push_back({m, TensorLayout::hwc});
    if (planes && !engine.reaches(m)) out.push_back({m, TensorLayout::chw});
  }
  return out;
}

ChoiceRegistry ChoiceRegistry::standard() {
  ChoiceRegistry r;
  const std::vector<std::string> moves_all = {"engine", "operands", "output", "weights"};
  const auto and_more = [](std::vector<std::string> names, std::initializer_list<const char*> more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  const auto add = [&r](std::vector<std::string> needs, Choice c) {
    c.needs = std::move(needs);
    r.add(std::move(c));
  };
  r.add(memory("engine", "engine that computes the layer", "default", &LayerChoice::engine,
               [](const LayerContext&, const LayerChoice&) { return std::vector<int>{-1}; }));
  auto& engine = r.choices_.back();  // engines, not memories, by name
  engine.text = [](const hw::Device& d, int v) { return v < 0 ? std::string("default") : d.engines.at(v).name; };
  engine.parse = [](const hw::Device& d, const std::string& s) -> std::optional<int> {
    if (s == "default") return -1;
    const int e = d.engine(s);
    return e >= 0 && d.engines[e].computes() ? std::optional<int>(e) : std::nullopt;
  };
  add({}, memory("output", "memory that the output tensor lives in until its last reader", "none",
                 &LayerChoice::output_memory, [](const LayerContext& c, const LayerChoice&) {
                   std::vector<int> out;
                   for (const auto& h : output_homes(*c.network, *c.device, c.op))
                     if (h.layout == TensorLayout::hwc) out.push_back(h.memory);
                   return out;
                 }));
  add({"output"},
      named(
          "layout", "order of the output tensor's bytes: channels last (hwc) or one plane after the other (chw)",
          {"hwc", "chw"}, [](const LayerChoice& l) { return static_cast<int>(l.output_layout); },
          [](LayerChoice& l, int v) { l.output_layout = static_cast<TensorLayout>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            const auto homes = output_homes(*c.network, *c.device, c.op);
            const Home planes{l.output_memory, TensorLayout::chw};
            return std::find(homes.begin(), homes.end(), planes) == homes.end() ? std::vector<int>{0}
                                                                                : std::vector<int>{0, 1};
          }));
  add({}, memory("weights", "where the filters are: streamed from the constants memory, or resident since start-up",
                 "streamed", &LayerChoice::weights_memory, [](const LayerContext& c, const LayerChoice&) {
                   std::vector<int> out = {kStreamed};
                   if (!has_constants(*c.network, c.network->operators[c.op])) return out;
                   // One place is enough to trade memory for time; filters beside the engine would push tensors out of
                   // there.
                   const int io = c.device->io;
                   const int place = c.device->memories[io].on_chip
                                         ? io
                                         : c.device->engines[c.device->compute_engine()].memories.front();
                   if (place != c.device->constants) out.push_back(place);
                   return out;
                 }));
  add({"engine"},
      named(
          "operands", "automatic: used where they lie if the engine reaches them; tiled: copied to the nearest memory",
          {"automatic", "tiled"}, [](const LayerChoice& l) { return static_cast<int>(l.operands); },
          [](LayerChoice& l, int v) { l.operands = static_cast<Operands>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            const auto& e = c.device->engines[compute_engine(c, l)];
            const bool copies = e.kind == hw::EngineKind::cpu && !e.copy_bytes_per_cycle.zero() &&
                                e.memories.size() > 1 && !whole_only(c);
            return copies ? std::vector<int>{0, 1} : std::vector<int>{0};
          }));
  add(and_more(moves_all, {"layout", "phases"}),
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
  auto phases = named(
      "phases",
      "no: the layer runs by itself, with whole tensors; with-next: a few rows at a time, together with the layer "
      "after it; yes: the same, as the last layer of such a segment",
      {"no", "yes", "with-next"}, [](const LayerChoice& l) { return static_cast<int>(l.phases); },
      [](LayerChoice& l, int v) { l.phases = static_cast<Phases>(v); },
      [](const LayerContext& c, const LayerChoice& l) {
        const auto& ops = c.network->operators;
        if (!by_rows(*c.network, ops[c.op])) return std::vector<int>{0};
        // Rows stay where the engine reaches them; what leaves the network goes home as well.
        const auto& engine = c.device->engines[compute_engine(c, l)];
        const bool leaves = has_fixed_home(*c.network, c.op, true);
        if (l.output_memory >= 0 && !engine.reaches(l.output_memory) && !leaves) return std::vector<int>{0, 1};
        std::size_t next = static_cast<std::size_t>(c.op) + 1;
        while (next < ops.size() && renames(*c.network, ops[next])) ++next;
        return next < ops.size() && by_rows(*c.network, ops[next]) ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1};
      });
  phases.searched = false;  // of segments, which the planner of shared phases makes
  add({"engine", "output"}, std::move(phases));
  auto halo = named(
      "halo", "rows that two phases need: kept from one to the next (cached), or computed again (recomputed)",
      {"cached", "recomputed"}, [](const LayerChoice& l) { return static_cast<int>(l.halo); },
      [](LayerChoice& l, int v) { l.halo = static_cast<shared::Halo>(v); },
      [](const LayerContext&, const LayerChoice& l) {
        return l.phases == Phases::yes ? std::vector<int>{0, 1} : std::vector<int>{0};
      });
  halo.searched = false;
  add({"phases"}, std::move(halo));
  auto strips = counted(
      "strips",
      "strips of columns in which the segment runs, one after the other; columns that two of them read are computed "
      "for both",
      &LayerChoice::strips, [](const LayerContext& c, const LayerChoice& l) {
        if (l.phases != Phases::yes || l.halo != shared::Halo::cached) return std::vector<int>{1};
        std::vector<int> out = {1};
        const auto& op = c.network->operators[c.op];
        const auto width = by_columns(*c.network, op) ? c.network->tensors[op.outputs[0]].image().w : 1;
        for (int n = 2; n <= std::min<std::int64_t>(width, kMostStrips); ++n) out.push_back(n);
        return out;
      });
  strips.searched = false;
  add({"phases", "halo"}, std::move(strips));
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
  add(and_more(moves_all, {"phases", "scheme"}),
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
  add(and_more(moves_all, {"channels", "filters", "phases", "tile"}),
      named(
          "buffering", "single, or double: the next tile travels while this one is computed", {"double", "single"},
          [](const LayerChoice& l) { return l.double_buffer ? 0 : 1; },
          [](LayerChoice& l, int v) { l.double_buffer = v == 0; },
          [](const LayerContext& c, const LayerChoice& l) {
            const bool tiled = l.phases == Phases::no && (l.tile != 0 || l.filters != 0 || l.channels != 0);
            return tiled && moves_anything(c, l) ? std::vector<int>{0, 1} : std::vector<int>{1};
          }));
  add({"channels", "filters", "tile"},
      named(
          "order", "filters-outer: the input is streamed again per filter set; rows-outer: the filters per row tile",
          {"filters-outer", "rows-outer"}, [](const LayerChoice& l) { return static_cast<int>(l.order); },
          [](LayerChoice& l, int v) { l.order = static_cast<Order>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            const bool both = accumulates(c) && l.tile != 0 && l.filters != 0 && l.channels == 0;
            return both ? std::vector<int>{0, 1} : std::vector<int>{0};
          }));
  add({"channels", "engine", "filters", "operands", "order", "weights"},
      named(
          "staging", "filters on a detour through another memory: the whole layer at once, or set by set",
          {"whole", "sets"}, [](const LayerChoice& l) { return static_cast<int>(l.staging); },
          [](LayerChoice& l, int v) { l.staging = static_cast<Staging>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            const auto& d = *c.device;
            const int near = d.engines[compute_engine(c, l)].memories.front();
            const bool detour =
                l.weights_memory == kStreamed && moves(c, l, d.constants) && d.copy_engine(d.constants, near) < 0;
            const bool by_set = detour && l.filters != 0 && l.channels == 0 && l.order == Order::filters_outer;
            return by_set && has_constants(*c.network, c.network->operators[c.op]) ? std::vector<int>{0, 1}
                                                                                   : std::vector<int>{0};
          }));
  add({"layout", "output"}, named(
                                "in_place",
                                "yes: an element-wise operator writes over an input that nobody reads afterwards; the "
                                "parts of a concatenation, or what is padded, are made where they belong",
                                {"no", "yes"}, [](const LayerChoice& l) { return l.in_place ? 1 : 0; },
                                [](LayerChoice& l, int v) { l.in_place = v == 1; },
                                [](const LayerContext& c, const LayerChoice& l) {
                                  return can_be_in_place(c, l) ? std::vector<int>{0, 1} : std::vector<int>{0};
                                }));
  r.choices_.back().searched = false;  // whether it pays depends on the layers around it
  return r;
}

}  // namespace dse::plan
