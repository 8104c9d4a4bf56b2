// Graphs with parallel branches for tests.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "methods/branch/graph.h"

namespace dse::plan::branch::test {

/// One line per node: "name bytes input..."; "name bytes*" is an output that stays.
Graph graph_of_lines(const std::vector<std::string>& lines);

/// Two branches of two and three nodes between B and A: sizes 40 | 80 30 | 70 35 60, A's unknown.
Graph two_branches();
/// The same with a third branch that an intermediate aggregation joins to the first.
Graph three_branches();
/// Three branches of three nodes between a node of 20 and an aggregation.
Graph three_totals(std::int64_t a, std::int64_t b);

int node_named(const Graph& graph, const std::string& name);
std::vector<int> order_named(const Graph& graph, const std::vector<std::string>& names);

/// A random series-parallel graph of at most `nodes` nodes: nested branches, direct skips, several aggregations, at
/// times several readers of one value; sizes 0..12 with few zeros. At times its first node is given, inner values are
/// kept, or a node follows one that it does not read.
Graph random_series_parallel(std::mt19937& random, int nodes);

}  // namespace dse::plan::branch::test
