// Accuracy of finished networks.
#include <algorithm>
#include <cstring>

#include "models/nn/quantizer/quantizer.h"
#include "models/nn/train/trainer.h"

namespace dse::nn::train {

std::vector<quantizer::Sample> calibration_samples(const Network& n, const data::Images& images,
                                                   const std::vector<std::int64_t>& resize, const std::string& file,
                                                   Diagnostics& diags) {
  constexpr std::int64_t most = 200;
  const data::InputMaker maker(images, n.tensors[static_cast<std::size_t>(n.inputs.at(0))].shape, resize, file, diags);
  std::vector<quantizer::Sample> samples;
  if (!maker.ok()) return samples;
  const std::int64_t count = std::min(images.count(), most);
  std::vector<float> x(static_cast<std::size_t>(maker.elements()));
  for (std::int64_t i = 0; i < count; ++i) {
    maker.make(images, i * images.count() / count, 0, 0, x.data());
    auto& bytes = samples.emplace_back(1).front();
    bytes.resize(4 * x.size());
    std::memcpy(bytes.data(), x.data(), bytes.size());
  }
  return samples;
}

double accuracy(const Network& n, const data::Images& images, const data::InputMaker& maker,
                const std::function<void(std::int64_t, std::int64_t)>& told, std::vector<int>* predictions) {
  const Tensor& in = n.tensors[static_cast<std::size_t>(n.inputs.at(0))];
  const Tensor& out = n.tensors[static_cast<std::size_t>(n.outputs.at(0))];
  std::vector<float> x(static_cast<std::size_t>(maker.elements()));
  std::vector<std::uint8_t> bytes(4 * x.size());
  std::int64_t hits = 0;
  for (std::int64_t i = 0; i < images.count(); ++i) {
    maker.make(images, i, 0, 0, x.data());
    std::memcpy(bytes.data(), x.data(), bytes.size());
    const auto made = interpret(n, {in.type == DataType::float32 ? bytes : quantizer::encode_input(in, bytes)});
    const auto& result = made[static_cast<std::size_t>(n.outputs[0])];
    std::int64_t best = 0;
    if (out.type == DataType::float32) {
      std::vector<float> y(result.size() / 4);
      std::memcpy(y.data(), result.data(), result.size());
      best = std::max_element(y.begin(), y.end()) - y.begin();
    } else {
      const auto y = quantizer::decode(out, result);
      best = std::max_element(y.begin(), y.end()) - y.begin();
    }
    if (predictions) predictions->push_back(static_cast<int>(best));
    if (!images.labels.empty() && images.labels[static_cast<std::size_t>(i)] == best) ++hits;
    if (told) told(i + 1, images.count());
  }
  return images.count() > 0 ? static_cast<double>(hits) / static_cast<double>(images.count()) : 0;
}

}  // namespace dse::nn::train
