// Multiply-accumulates per second of the int8 convolution against Eigen's float matrix product, on every convolution of
// the MLPerf Tiny networks. Eigen multiplies the matrix that im2col would make of the same layer, which it is given
// ready-made; the convolution gathers its windows and requantises its outputs within the measured time.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "models/nn/network.h"

namespace {

using namespace dse;
using nn::OperatorKind;

/// One whole call of an operator with operands of its own.
class Layer {
 public:
  Layer(const nn::Network& n, const nn::Operator& op)
      : op_(op.kernel),
        in_(bytes(n, op.inputs[0], 37)),
        out_(bytes(n, op.outputs[0], 0)),
        weights_(nn::filter_major_weights(n, op)),
        params_(op.channel_params),
        macs_(op.macs) {
    const nn::KernelCall& c = op.calls.at(0);
    call_.op = &op_;
    call_.tile = c.tile;
    for (std::size_t r = 0; r < DSE_ROLES; ++r) call_.view[r] = c.operands[r].view;
    call_.view[DSE_IN0].base = in_.data();
    call_.view[DSE_OUT].base = out_.data();
    call_.view[DSE_WEIGHTS].base = weights_.data();
    call_.view[DSE_QPARAMS].base = reinterpret_cast<std::uint8_t*>(params_.data());
  }
  void run() const { dse_run_call(&call_); }
  const std::uint8_t* output() const { return out_.data(); }
  const dse_op& op() const { return op_; }
  double macs() const { return static_cast<double>(macs_); }
  std::string shape() const {
    return fmt::format("{}x{}x{}_{}x{}s{}_{}", op_.in_h, op_.in_w, op_.in_c, op_.kernel_h, op_.kernel_w, op_.stride_h,
                       op_.out_c);
  }

 private:
  static std::vector<std::uint8_t> bytes(const nn::Network& n, int tensor, int step) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(n.tensors[static_cast<std::size_t>(tensor)].bytes()));
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = static_cast<std::uint8_t>(i * static_cast<std::size_t>(step) >> 3);
    return v;
  }
  dse_op op_;
  std::vector<std::uint8_t> in_, out_, weights_;
  std::vector<std::int32_t> params_;
  dse_call call_{};
  std::int64_t macs_;
};

void measure_kernel(benchmark::State& state, const Layer& layer) {
  for (auto _ : state) {
    layer.run();
    benchmark::DoNotOptimize(layer.output());
    benchmark::ClobberMemory();
  }
  state.counters["GMAC/s"] = benchmark::Counter(layer.macs() * 1e-9, benchmark::Counter::kIsIterationInvariantRate,
                                                benchmark::Counter::kIs1000);
}

void measure_eigen(benchmark::State& state, const Layer& layer) {
  const dse_op& k = layer.op();
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Index pixels = Eigen::Index{k.out_h} * k.out_w, depth = Eigen::Index{k.kernel_h} * k.kernel_w * k.in_c;
  const Matrix patches = Matrix::Random(pixels, depth), weights = Matrix::Random(k.out_c, depth);
  Matrix out(pixels, Eigen::Index{k.out_c});
  for (auto _ : state) {
    out.noalias() = patches * weights.transpose();
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.counters["GMAC/s"] = benchmark::Counter(layer.macs() * 1e-9, benchmark::Counter::kIsIterationInvariantRate,
                                                benchmark::Counter::kIs1000);
}

/// Prints as usual and keeps the best rate of every benchmark: others share the machine, noise only slows down.
class Rates : public benchmark::ConsoleReporter {
 public:
  Rates() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const auto& run : runs) {
      const auto rate = run.counters.find("GMAC/s");
      if (rate == run.counters.end() || run.run_type != Run::RT_Iteration) continue;
      double& best = rates[run.run_name.function_name];
      best = std::max(best, static_cast<double>(rate->second));
    }
  }
  std::map<std::string, double> rates;
};

void print_ratio(const std::map<std::string, double>& rates) {
  double logarithms = 0, worst = 0;
  int shapes = 0;
  std::string slowest;
  for (const auto& [name, rate] : rates) {
    if (!name.starts_with("conv/")) continue;
    const auto eigen = rates.find("eigen" + name.substr(4));
    if (eigen == rates.end()) continue;
    const double ratio = eigen->second / rate;
    logarithms += std::log(ratio), ++shapes;
    if (ratio > worst) worst = ratio, slowest = name;
  }
  if (shapes == 0) return;
  std::cout << fmt::format(
      "time of the int8 convolution / time of Eigen's float product: {:.2f} (geometric mean of {}"
      " shapes), at worst {:.2f} ({})\n",
      std::exp(logarithms / shapes), shapes, worst, slowest);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::unique_ptr<Layer>> layers;
  std::set<std::string> known;
  for (const char* name : {"resnet8", "ds-cnn", "mobilenet-v1-0.25-96", "autoencoder"}) {
    Diagnostics diags;
    const auto n = nn::load_network(std::string(DSE_SOURCE_DIR "/configs/networks/") + name + ".yaml", diags);
    if (!n) return std::cerr << diags.text(), 1;
    for (const auto& op : n->operators) {
      const bool conv = op.kind == OperatorKind::conv_2d;
      if (!conv && op.kind != OperatorKind::depthwise_conv_2d && op.kind != OperatorKind::fully_connected) continue;
      auto layer = std::make_unique<Layer>(*n, op);
      const std::string shape = std::string(conv ? "conv/" : nn::key_of(op.kind) + std::string("/")) + layer->shape();
      if (!known.insert(shape).second) continue;
      const Layer& l = *layer;
      benchmark::RegisterBenchmark(shape.c_str(), [&l](benchmark::State& s) { measure_kernel(s, l); });
      if (conv)
        benchmark::RegisterBenchmark(("eigen/" + l.shape()).c_str(),
                                     [&l](benchmark::State& s) { measure_eigen(s, l); });
      layers.push_back(std::move(layer));
    }
  }
  Rates rates;
  benchmark::RunSpecifiedBenchmarks(&rates);
  print_ratio(rates.rates);
}
