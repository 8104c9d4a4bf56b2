#include "tests/explore/calibrate/cluster_networks.h"

#include <fmt/format.h>

#include "models/nn/import.h"

namespace dse::explore {
namespace {

nn::NetworkPtr network_of(const std::string& name, const std::string& shape, const std::string& layers) {
  Diagnostics d;
  const auto text =
      fmt::format("format: 1\nname: {}\nseed: 1\ninput: {{shape: {}, scale: 0.0078, zero_point: 0}}\nlayers:\n{}", name,
                  shape, layers);
  auto network = nn::import_yaml(text, name + ".yaml", d);
  if (!network) fmt::print(stderr, "{}", d.text());
  return network;
}

std::string conv(int filters, int kernel, int stride = 1, const std::string& more = {}) {
  return fmt::format("  - conv: {{filters: {}, kernel: {}, stride: {}, activation: relu{}}}\n", filters, kernel, stride,
                     more);
}

/// Convolutions of `height` x `width`, pools and two fully connected layers over 512 samples of 100 channels, the
/// samples in rows (`down`) or columns.
nn::NetworkPtr eegnet(const std::string& name, bool down, bool first_depthwise, bool second_depthwise) {
  const auto kernel = [&](int n) { return down ? fmt::format("[{}, 1]", n) : fmt::format("[1, {}]", n); };
  const auto three = [&](bool depthwise) {
    return depthwise ? fmt::format("  - depthwise: {{kernel: {}, activation: relu}}\n", kernel(3))
                     : fmt::format("  - conv: {{filters: 4, kernel: {}, activation: relu}}\n", kernel(3));
  };
  const auto pool = [&](int n) { return fmt::format("  - max_pool: {{kernel: {0}, stride: {0}}}\n", kernel(n)); };
  return network_of(name, down ? "[1, 512, 1, 100]" : "[1, 1, 512, 100]",
                    conv(4, 1) + three(first_depthwise) + pool(4) + three(second_depthwise) + pool(8) +
                        "  - reshape: {shape: [1, 64]}\n"
                        "  - fully_connected: {units: 32, activation: relu}\n  - fully_connected: {units: 1}\n");
}

nn::NetworkPtr penguinet() {
  return network_of("penguinet", "[1, 96, 160, 1]",
                    conv(32, 5, 2) + "  - max_pool: {kernel: 2, stride: 2}\n" + conv(32, 3, 2) + conv(32, 3) +
                        conv(64, 3, 2) + conv(64, 3) + conv(128, 3, 2) + conv(128, 3) +
                        "  - reshape: {shape: [1, 1920]}\n  - fully_connected: {units: 4}\n");
}

nn::NetworkPtr residual(bool bypass) {
  return network_of(bypass ? "residual_connection_test_2" : "residual_connection_test_1", "[1, 200, 200, 1]",
                    conv(16, 5, 2) + conv(16, 3, 2) + conv(16, 3, 2, ", name: stem") + conv(16, 3) +
                        conv(16, 3, 1, ", name: main") + (bypass ? conv(16, 1, 1, ", from: stem, name: side") : "") +
                        fmt::format("  - add: {{from: {}, with: main}}\n", bypass ? "side" : "stem") + conv(16, 3) +
                        "  - reshape: {shape: [1, 10000]}\n  - fully_connected: {units: 2}\n");
}

nn::NetworkPtr dronet() {
  std::string layers = conv(32, 5, 2) + "  - max_pool: {kernel: 2, stride: 2, name: in1}\n";
  for (int block = 1; block <= 3; ++block) {
    const int filters = 16 << block;
    layers += conv(filters, 3, 2, fmt::format(", from: in{}", block)) +
              conv(filters, 3, 1, fmt::format(", name: main{}", block)) +
              conv(filters, 1, 2, fmt::format(", from: in{0}, name: side{0}", block)) +
              fmt::format("  - add: {{from: side{0}, with: main{0}, name: in{1}}}\n", block, block + 1);
  }
  return network_of("dronet", "[1, 200, 200, 1]",
                    layers + "  - reshape: {shape: [1, 6272]}\n  - fully_connected: {units: 2}\n");
}

}  // namespace

nn::NetworkPtr mobilenet_v1(int alpha, int resolution) {
  const auto width = [&](int channels) { return channels * alpha / 100; };
  const auto separable = [&](int stride, int filters) {
    return fmt::format("  - depthwise: {{kernel: 3, stride: {}, activation: relu}}\n", stride) +
           conv(width(filters), 1);
  };
  std::string layers = conv(width(32), 3, 2) + separable(1, 64) + separable(2, 128) + separable(1, 128) +
                       separable(2, 256) + separable(1, 256) + separable(2, 512);
  for (int i = 0; i < 5; ++i) layers += separable(1, 512);
  layers += separable(2, 1024) + separable(1, 1024);
  layers +=
      fmt::format("  - average_pool: {{kernel: {}}}\n  - reshape: {{shape: [1, {}]}}\n", resolution / 32, width(1024));
  return network_of(fmt::format("mobilenet-v1-{}.{:02}-{}", alpha / 100, alpha % 100, resolution),
                    fmt::format("[1, {0}, {0}, 3]", resolution), layers + "  - fully_connected: {units: 1000}\n");
}

nn::NetworkPtr dory_network(const std::string& name) {
  if (name.rfind("Mobile", 0) == 0) return mobilenet_v1(100, 128);
  if (name.rfind("PenguiNet", 0) == 0) return penguinet();
  if (name == "dronet_complete") return dronet();
  if (name == "Residual_connection_test_1") return residual(false);
  if (name == "Residual_connection_test_2") return residual(true);
  if (name == "eegnet_1d_8b_1xW" || name == "eegnet_1d_8b_Hx1")
    return eegnet("eegnet", name.back() == '1', false, false);
  if (name == "eegnetDW_1d_8b_1xW") return eegnet("eegnet-dw", false, false, true);
  if (name == "eegnetDW_1d_8b_Hx1") return eegnet("eegnet-dw", true, true, false);
  return nullptr;
}

}  // namespace dse::explore
