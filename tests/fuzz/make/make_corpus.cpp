// make_corpus FOLDER: small model files, the first kinds together, and one operator of every kind alone.
#include <fstream>
#include <iostream>
#include <string>

#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"
#include "one_operator.h"
#include "tflite_writer.h"

namespace {

void write(const std::string& path, const dse::nn::NetworkPtr& network) {
  const auto bytes = dse::nn::test::to_tflite(*network);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// The smallest of some drawn operators of a kind that can be written.
void write_drawn(const std::string& folder, const std::string& kind) {
  namespace random_ops = dse::nn::random_ops;
  std::vector<std::uint8_t> smallest;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    dse::Diagnostics diags;
    const auto n = dse::nn::finish_network(
        random_ops::network_of(random_ops::draw(kind, random_ops::Mode::tflite, seed)), diags, kind);
    if (!n) continue;
    const auto bytes = dse::nn::write_tflite(*n, diags);
    if (!bytes.empty() && (smallest.empty() || bytes.size() < smallest.size())) smallest = bytes;
  }
  if (smallest.empty()) return;
  std::ofstream(folder + "/drawn-" + kind + ".tflite", std::ios::binary)
      .write(reinterpret_cast<const char*>(smallest.data()), static_cast<std::streamsize>(smallest.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_corpus FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  write(folder + "/every-operator.tflite", dse::nn::test::every_operator());
  write(folder + "/running-sum.tflite", dse::nn::test::running_sum(10));
  write(folder + "/running-sum-from-zero.tflite", dse::nn::test::running_sum(0));
  for (const auto& kind : dse::nn::random_ops::kinds_of(dse::nn::random_ops::Mode::tflite)) write_drawn(folder, kind);
  const std::pair<const char*, const char*> layers[] = {
      {"conv", "conv: {filters: 2, kernel: 2, stride: 2, activation: relu6}"},
      {"depthwise", "depthwise: {kernel: 2, multiplier: 2}"},
      {"add", "add: {with: input, activation: relu_n1_to_1}"},
      {"average_pool", "average_pool: {kernel: 2}"},
      {"max_pool", "max_pool: {kernel: 3, stride: 1, padding: same}"},
      {"reshape", "reshape: {shape: [4, 4]}"},
      {"fully_connected", "fully_connected: {units: 2}"},
      {"softmax", "softmax: {beta: 2}"}};
  for (const auto& [name, layer] : layers) {
    dse::Diagnostics diags;
    const auto n = dse::nn::import_yaml(
        std::string("format: 1\nname: n\ninput: {shape: [1, 4, 4, 1]}\nlayers:\n  - ") + layer + "\n", name, diags);
    if (!n) {
      std::cerr << diags.text();
      return 1;
    }
    write(folder + "/" + name + ".tflite", n);
  }
}
