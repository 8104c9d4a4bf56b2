// A few of the states of a section stand for all of them where these are too many.
#pragma once
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "explore/compose/graph/sections.h"

namespace dse::explore {

/// Of states with these bytes of tensors alive those with the least and the most in each memory, and others between
/// them: per state whether it is one. About `few`, at least two for each memory.
inline std::vector<char> spread_over(const std::vector<MemoryVector>& bytes, std::size_t memories, std::size_t few) {
  std::vector<char> kept(bytes.size(), 0);
  const auto each = std::max<std::size_t>(2, few / std::max<std::size_t>(1, memories));
  std::vector<std::size_t> by(bytes.size());
  for (std::size_t m = 0; m < memories; ++m) {
    std::iota(by.begin(), by.end(), std::size_t{0});
    std::stable_sort(by.begin(), by.end(), [&](auto a, auto b) { return bytes[a][m] < bytes[b][m]; });
    for (std::size_t k = 0; k < each; ++k) kept[by[k * (by.size() - 1) / (each - 1)]] = 1;
  }
  return kept;
}

/// Drops the others, with the edges that lead to them.
template <class Node>
void keep_few(const std::vector<char>& kept, std::vector<Node>& nodes, std::vector<SectionEdge>& edges) {
  std::vector<int> number(nodes.size(), -1);
  std::vector<Node> left;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (kept[i]) number[i] = static_cast<int>(left.size()), left.push_back(std::move(nodes[i]));
  nodes = std::move(left);
  std::erase_if(edges, [&](SectionEdge& e) { return (e.to = number[static_cast<std::size_t>(e.to)]) < 0; });
}

}  // namespace dse::explore
