#include "tests/support/random_cases.h"

#include <algorithm>

#include "plan/choices/homes.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"

namespace dse::test {

int pick(Random& random, int lo, int hi) {
  return lo + static_cast<int>(random() % static_cast<std::uint64_t>(hi - lo + 1));
}

namespace {

class Builder {
 public:
  explicit Builder(Random& random) : random_(random) {
    n_.name = "random";
    current_ = add_tensor({1, pick(random_, 3, 14), pick(random_, 3, 14), pick(random_, 1, 12)}, nn::TensorKind::input);
    n_.inputs = {current_};
  }

  nn::NetworkPtr build() {
    const int layers = pick(random_, 2, 6);
    for (int i = 0; i < layers; ++i) image_layer();
    if (pick(random_, 0, 1)) head();
    n_.outputs = {current_};
    Diagnostics diags;
    auto done = nn::finish_network(std::move(n_), diags, "random");
    ensure(done != nullptr, "random network: " + diags.text());
    return done;
  }

 private:
  int add_tensor(std::vector<std::int64_t> shape, nn::TensorKind kind, nn::DataType type = nn::DataType::int8) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape);
    t.kind = kind;
    t.type = type;
    t.quantization.scale = {0.01f * static_cast<float>(pick(random_, 2, 12))};
    t.quantization.zero_point = {type == nn::DataType::int8 && kind != nn::TensorKind::constant ? pick(random_, -20, 20)
                                                                                                : 0};
    if (kind == nn::TensorKind::constant) {
      t.data.resize(t.elements() * nn::size_of(type));
      if (type == nn::DataType::int8)
        for (auto& b : t.data) b = static_cast<std::uint8_t>(random_());
      else
        for (std::size_t i = 0; i < t.data.size(); i += 4) {
          const auto v = static_cast<std::uint32_t>(pick(random_, -3000, 3000));
          for (int b = 0; b < 4; ++b) t.data[i + b] = static_cast<std::uint8_t>(v >> (8 * b));
        }
    }
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  const std::vector<std::int64_t>& shape() const { return n_.tensors[current_].shape; }

  static std::int64_t out_size(std::int64_t in, int k, int s, int d, bool same) {
    const std::int64_t eff = (k - 1) * d + 1;
    return same ? (in + s - 1) / s : (in + s - eff) / s;
  }
  void emit(nn::OperatorKind kind, std::vector<int> inputs, std::vector<std::int64_t> out,
            nn::OperatorOptions options) {
    nn::Operator op;
    op.kind = kind;
    op.name = std::string(nn::key_of(kind)) + std::to_string(n_.operators.size());
    op.inputs = std::move(inputs);
    op.options = options;
    current_ = add_tensor(std::move(out), nn::TensorKind::activation);
    op.outputs = {current_};
    n_.operators.push_back(std::move(op));
  }
  void image_layer() {
    const auto s = shape();
    nn::OperatorOptions o;
    o.activation = static_cast<nn::Activation>(pick(random_, 0, 2));
    const int what = pick(random_, 0, 9);
    int kh = pick(random_, 1, 4), kw = pick(random_, 1, 4);
    if (pick(random_, 0, 2) == 0) kh = kw = 1;
    o.same_padding = pick(random_, 0, 1);
    o.stride_h = pick(random_, 1, 3), o.stride_w = pick(random_, 1, 2);
    if (pick(random_, 0, 1)) o.stride_h = o.stride_w = 1;
    auto fits = [&](int k, int stride, int d, std::int64_t in) {
      return out_size(in, k, stride, d, o.same_padding) >= 1;
    };
    if (!fits(kh, o.stride_h, 1, s[1])) kh = 1;
    if (!fits(kw, o.stride_w, 1, s[2])) kw = 1;
    if (what <= 4) {
      if (pick(random_, 0, 4) == 0 && fits(kh, o.stride_h, 2, s[1]) && fits(kw, o.stride_w, 2, s[2]))
        o.dilation_h = o.dilation_w = 2;
      const int filters = pick(random_, 1, 16);
      const int w = add_tensor({filters, kh, kw, s[3]}, nn::TensorKind::constant);
      const int b = add_tensor({filters}, nn::TensorKind::constant, nn::DataType::int32);
      const int in = current_;
      emit(nn::OperatorKind::conv_2d, {in, w, b},
           {1, out_size(s[1], kh, o.stride_h, o.dilation_h, o.same_padding),
            out_size(s[2], kw, o.stride_w, o.dilation_w, o.same_padding), filters},
           o);
    } else if (what <= 6) {
      o.depth_multiplier = s[3] <= 4 ? pick(random_, 1, 3) : 1;
      const std::int64_t channels = s[3] * o.depth_multiplier;
      const int w = add_tensor({1, kh, kw, channels}, nn::TensorKind::constant);
      const int b = add_tensor({channels}, nn::TensorKind::constant, nn::DataType::int32);
      const int in = current_;
      emit(nn::OperatorKind::depthwise_conv_2d, {in, w, b},
           {1, out_size(s[1], kh, o.stride_h, 1, o.same_padding), out_size(s[2], kw, o.stride_w, 1, o.same_padding),
            channels},
           o);
    } else if (what == 7) {
      o.filter_h = kh, o.filter_w = kw;
      const int in = current_;
      emit(pick(random_, 0, 1) ? nn::OperatorKind::average_pool_2d : nn::OperatorKind::max_pool_2d, {in},
           {1, out_size(s[1], kh, o.stride_h, 1, o.same_padding), out_size(s[2], kw, o.stride_w, 1, o.same_padding),
            s[3]},
           o);
      n_.tensors[current_].quantization = n_.tensors[in].quantization;
    } else {  // a residual: two pointwise convolutions of the same input, added
      const int in = current_;
      const int filters = pick(random_, 1, 8);
      nn::OperatorOptions plain;
      int branch[2];
      for (int& result : branch) {
        const int w = add_tensor({filters, 1, 1, s[3]}, nn::TensorKind::constant);
        const int b = add_tensor({filters}, nn::TensorKind::constant, nn::DataType::int32);
        emit(nn::OperatorKind::conv_2d, {in, w, b}, {1, s[1], s[2], filters}, plain);
        result = current_;
      }
      nn::OperatorOptions sum;
      sum.activation = o.activation;
      emit(nn::OperatorKind::add, {branch[0], branch[1]}, {1, s[1], s[2], filters}, sum);
    }
  }
  void head() {
    const std::int64_t n = n_.tensors[current_].elements();
    const int in = current_;
    emit(nn::OperatorKind::reshape, {in}, {1, n}, {});
    n_.tensors[current_].quantization = n_.tensors[in].quantization;
    const int units = pick(random_, 2, 12);
    const int w = add_tensor({units, n}, nn::TensorKind::constant);
    const int b = add_tensor({units}, nn::TensorKind::constant, nn::DataType::int32);
    const int flat = current_;
    n_.tensors[b].quantization.scale = {n_.tensors[flat].quantization.scale[0] * n_.tensors[w].quantization.scale[0]};
    emit(nn::OperatorKind::fully_connected, {flat, w, b}, {1, units}, {});
    if (pick(random_, 0, 1)) {
      const int logits = current_;
      emit(nn::OperatorKind::softmax, {logits}, {1, units}, {});
      n_.tensors[current_].quantization.scale = {1.0f / 256};
      n_.tensors[current_].quantization.zero_point = {-128};
    }
  }

  Random& random_;
  nn::Network n_;
  int current_ = 0;
};

}  // namespace

nn::NetworkPtr random_network(Random& random) { return Builder(random).build(); }

hw::DevicePtr random_device(Random& random, bool tight) {
  auto d = std::make_shared<hw::Device>();
  d->name = "random";
  d->clock_hz = 100'000'000;
  d->kernel_library = "none";
  const std::int64_t scale = tight ? 1 : 64;
  d->memories.push_back(
      {.name = "l1", .size = 2048 * scale, .width = {pick(random, 1, 32), 1}, .latency = 1, .on_chip = true});
  d->memories.push_back({.name = "l2",
                         .size = 16384 * scale,
                         .width = {pick(random, 1, 8), pick(random, 1, 2)},
                         .latency = pick(random, 1, 20),
                         .on_chip = true});
  d->memories.push_back({.name = "l3",
                         .size = 8'000'000,
                         .width = {1, pick(random, 1, 2)},
                         .latency = pick(random, 10, 80),
                         .on_chip = false});
  const bool no_dma = pick(random, 0, 3) == 0;
  hw::Engine compute;
  compute.name = no_dma ? "cpu" : "array";
  compute.kind = no_dma ? hw::EngineKind::cpu : hw::EngineKind::mac_array;
  compute.memories = no_dma ? std::vector<int>{0, 1, 2} : std::vector<int>{0};
  compute.macs_per_cycle["int8"] = {pick(random, 1, 16), 1};
  compute.cycles_per_mac["default"] = {pick(random, 1, 4), 2};
  compute.cycles_per_element["default"] = {pick(random, 0, 3), 2};
  compute.dispatch = pick(random, 0, 100);
  compute.kernel_switch = pick(random, 0, 30);
  compute.queue = pick(random, 1, 6);
  if (no_dma) compute.copy_bytes_per_cycle = {pick(random, 1, 8), 2};
  d->engines.push_back(compute);
  if (!no_dma) {
    hw::Engine dma;
    dma.name = "dma";
    dma.kind = hw::EngineKind::dma;
    dma.links = {{1, 0}};
    dma.dimensions = pick(random, 1, 3);
    dma.channels = pick(random, 1, 3);
    dma.setup = pick(random, 0, 60);
    dma.per_row = pick(random, 0, 4);
    dma.outstanding = pick(random, 1, 8);
    dma.queue = pick(random, 1, 8);
    if (pick(random, 0, 1)) {
      dma.links.push_back({2, 0});
      dma.links.push_back({2, 1});
      d->engines.push_back(dma);
    } else {
      d->engines.push_back(dma);
      hw::Engine io = dma;
      io.name = "io_dma";
      io.links = {{2, 1}};
      io.dimensions = 1;
      io.channels = 1;
      d->engines.push_back(io);
    }
  }
  d->control.issue = pick(random, 0, 20);
  d->control.wait = pick(random, 0, 20);
  d->control.start = d->control.issue % 3 * 500;
  if (no_dma) d->control.engine = 0;
  // By what is drawn already, so that networks that are drawn next stay what they were.
  auto& far = d->memories[2];
  if (far.latency % 3 == 0) far.page = 64 << far.latency % 4, far.page_miss = far.latency / 2;
  auto& near = d->memories[0];
  if (near.banks > 1 && far.latency % 2 == 0) near.bank_word = 4;
  if (d->control.wait % 3 == 0) d->arbitration = "priority";
  for (std::size_t e = 0; e < d->engines.size(); ++e) {
    d->engines[e].priority = static_cast<int>(e + static_cast<std::size_t>(d->control.issue)) % 2;
    d->engines[e].blocking = d->engines[e].kind == hw::EngineKind::dma && d->engines[e].setup % 5 == 0;
  }
  d->constants = 2;
  d->io = 1;
  return d;
}

std::shared_ptr<hw::Device> with_tensors_outside(const hw::Device& device) {
  if (device.engines.size() < 2) return nullptr;
  auto d = std::make_shared<hw::Device>(device);
  for (auto& e : d->engines) std::erase(e.links, std::pair(2, 0));
  d->io = 2, d->memories[2].tensors = true;
  return d;
}

namespace {

/// Homes that plans may have beyond those that a search offers: any memory, planes wherever they differ.
std::vector<int> beyond(const std::string& choice, const plan::LayerContext& context, std::vector<int> domain) {
  const auto& op = context.network->operators[context.op];
  const auto& k = op.kernel;
  if (choice == "output") return plan::home_memories(*context.device);
  const bool whole = k.kind == DSE_SOFTMAX || k.kind == DSE_COPY || plan::is_whole(*context.network, op);
  if (choice == "layout" && !whole && k.out_h * k.out_w > 1 && k.out_c > 1) return {0, 1};
  return domain;
}

/// The values of a domain that make a layer run in tiles; all, where none or every one does.
std::vector<int> tiling(const std::string& choice, std::vector<int> domain, const hw::Device& device) {
  std::vector<int> some;
  for (const int v : domain) {
    if (choice == "tile" && v != 0) some.push_back(v);
    if (choice == "operands" && v == static_cast<int>(plan::Operands::tiled)) some.push_back(v);
    if (choice == "output" && v != device.engines[device.compute_engine()].memories.front()) some.push_back(v);
  }
  return some.empty() ? domain : some;
}

}  // namespace

std::vector<plan::LayerChoice> random_choices(Random& random, const nn::Network& network, const hw::Device& device,
                                              bool tiled) {
  static const auto registry = plan::ChoiceRegistry::standard();
  std::vector<plan::LayerChoice> choices(network.operators.size());
  for (int op : plan::layers_of(network, true)) {
    const auto context = plan::context_of(network, device, choices, op, true);
    for (const auto& c : registry.all()) {
      if (!c.searched) continue;
      auto domain = c.domain(context, choices[op]);
      if (domain.empty()) continue;
      if (tiled) domain = beyond(c.name, context, std::move(domain));
      if (tiled && pick(random, 0, 7)) domain = tiling(c.name, std::move(domain), device);
      c.set(choices[op], domain[random() % domain.size()]);
      if (c.name == "output" || c.name == "layout") {
        // What leaves the network, or is read through a reshape, lies channels-last in the io memory / anywhere.
        const int out = network.operators[op].outputs[0];
        const bool leaves = std::count(network.outputs.begin(), network.outputs.end(), out) > 0;
        bool reshaped = false;
        for (int reader : network.consumers(out))
          reshaped |=
              plan::is_whole(network, network.operators[reader]) || plan::renames(network, network.operators[reader]);
        if (leaves) choices[op].output_memory = device.io;
        if (leaves || reshaped) choices[op].output_layout = plan::TensorLayout::hwc;
      }
    }
  }
  return choices;
}

}  // namespace dse::test
