// Networks of a given size, as text in words: chains, chains with shortcuts, branches that join again and again, and
// branches that are all alive beside each other.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "models/nn/import.h"
#include "tests/support/random_cases.h"

namespace dse::test {

enum class Wiring { chain, shortcuts, branches, parallel };
constexpr Wiring kWirings[] = {Wiring::chain, Wiring::shortcuts, Wiring::branches, Wiring::parallel};

/// About so many operators, over small tensors.
inline nn::NetworkPtr drawn_graph(Wiring wiring, int operators, Random& random) {
  std::string text =
      "format: 1\nname: drawn\nseed: 1\ninput: {shape: [1, 8, 8, 3], scale: 0.0078, zero_point: 0}\nlayers:\n";
  int count = 0;
  const auto conv = [&](const std::string& from) {
    auto name = fmt::format("c{}", count++);
    text += fmt::format("  - conv: {{name: {}{}, filters: 4, kernel: {}, activation: relu}}\n", name,
                        from.empty() ? "" : ", from: " + from, 2 * pick(random, 0, 1) + 1);
    return name;
  };
  const auto add = [&](const std::string& from, const std::string& with) {
    auto name = fmt::format("a{}", count++);
    text += fmt::format("  - add: {{name: {}, from: {}, with: {}, activation: relu}}\n", name, from, with);
    return name;
  };
  auto last = conv("");
  if (wiring == Wiring::parallel) {
    std::vector<std::string> ends;
    for (int b = 0; b < operators / 2; ++b) ends.push_back(conv(last));
    last = ends[0];
    for (std::size_t b = 1; b < ends.size(); ++b) last = add(last, ends[b]);
  }
  while (count + 2 < operators) {
    if (wiring == Wiring::chain) {
      last = conv(last);
    } else if (wiring == Wiring::shortcuts) {
      last = add(conv(conv(last)), last);
    } else {
      const auto a = conv(last), b = conv(last), c = conv(conv(last));
      last = add(add(a, b), c);
    }
  }
  text += "  - mean: {name: mean}\n  - fully_connected: {name: last, units: 4}\n";
  Diagnostics d;
  return nn::import_yaml(text, "drawn.yaml", d);
}

}  // namespace dse::test
