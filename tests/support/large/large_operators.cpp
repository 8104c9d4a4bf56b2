#include "tests/support/large/large_operators.h"

#include "tests/support/large/builder.h"

namespace dse::test {
namespace {

const large::Makers& makers() {
  static const auto all = [] {
    auto out = large::moves();
    for (auto& m : large::computations()) out.push_back(std::move(m));
    return out;
  }();
  return all;
}

}  // namespace

const std::vector<std::string>& large_operators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, make] : makers()) out.push_back(name);
    return out;
  }();
  return names;
}

nn::NetworkPtr large_operator(Random& random, const std::string& name, std::int64_t bytes, bool between) {
  for (const auto& [n, make] : makers())
    if (n == name) return large::Builder(random, bytes).finish(between, make);
  throw InvariantError("no operator '" + name + "'");
}

hw::DevicePtr with_near_bytes(const hw::Device& device, std::int64_t bytes) {
  auto d = std::make_shared<hw::Device>(device);
  auto& near =
      d->memories[static_cast<std::size_t>(d->engines[static_cast<std::size_t>(d->compute_engine())].memories.front())];
  near.size += bytes - near.free();
  return d;
}

}  // namespace dse::test
