#include "models/nn/graph/technique.h"
#include "tests/support/random_cases.h"

namespace dse::test {

hw::DevicePtr with_techniques(const hw::Device& device, Random& random) {
  auto d = std::make_shared<hw::Device>(device);
  auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
  const bool all = pick(random, 0, 1) == 1;
  const auto& names = nn::technique_names();
  for (const char* key : {"conv", "depthwise"}) engine.efficiency[key] = {1, pick(random, 2, 6)};  // else few pay
  for (std::size_t t = 1; t < names.size(); ++t) {
    if (!all && pick(random, 0, 1)) continue;
    engine.techniques[names[t]] = {pick(random, 1, 16), pick(random, 1, 2)};
    if (pick(random, 0, 1)) engine.efficiency[names[t]] = {pick(random, 1, 4), 4};
    if (pick(random, 0, 1)) engine.cycles_per_mac[names[t]] = {pick(random, 1, 4), 4};
  }
  return d;
}

hw::DevicePtr with_batches(const hw::Device& device, Random& random) {
  auto d = std::make_shared<hw::Device>(device);
  auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
  engine.rescaled_per_cycle = {pick(random, 1, 8), pick(random, 1, 4)};
  engine.per_batch = pick(random, 0, 40);
  engine.rescales_apart = pick(random, 0, 1) == 1;
  return d;
}

nn::NetworkPtr with_separable_filters(const nn::Network& network, Random& random) {
  auto n = std::make_shared<nn::Network>(network);
  for (const auto& op : n->operators) {
    if (op.kind != nn::OperatorKind::depthwise_conv_2d || pick(random, 0, 3) == 0) continue;
    auto& w = n->tensors[static_cast<std::size_t>(op.inputs[1])];  // [1, rows, columns, channels]
    if (w.type != nn::DataType::int8) continue;
    const auto rows = w.shape[1], columns = w.shape[2], channels = w.shape[3];
    for (std::int64_t c = 0; c < channels; ++c) {
      std::vector<int> row;
      for (std::int64_t x = 0; x < columns; ++x) row.push_back(pick(random, -11, 11));
      for (std::int64_t y = 0; y < rows; ++y) {
        const int factor = pick(random, -11, 11);
        for (std::int64_t x = 0; x < columns; ++x)
          w.data[static_cast<std::size_t>((y * columns + x) * channels + c)] =
              static_cast<std::uint8_t>(factor * row[static_cast<std::size_t>(x)]);
      }
    }
  }
  return n;
}

}  // namespace dse::test
