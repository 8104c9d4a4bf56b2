// What changed between two networks: layers by graph, shapes, work, bytes, quantisation and weights.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "reports/diff/point_diff.h"
#include "reports/words/document.h"

namespace dse::reports {

/// Constants of a layer on both sides.
enum class Weights {
  none,     // neither side has any
  equal,    // same shapes, types and values
  values,   // same shapes and types, other values
  shapes,   // other shapes or types
  one_side  // only one side has the layer
};

struct NetworkLayerDiff {
  std::string name_a, name_b;  // empty: the side has no such layer
  std::string kind;
  Presence presence = Presence::both;
  std::vector<WordPair> differs;  // of layers on both sides: options, shapes and types, quantisation; by what it is of
  Weights weights = Weights::none;
  std::int64_t values = 0, values_changed = 0;  // elements of the constants, and those that differ (Weights::values)
  Pair macs, weight_bytes, activation_bytes;    // activation: what the layer makes
  bool equal() const { return presence == Presence::both && differs.empty() && weights <= Weights::equal; }
};

struct NetworkDiff {
  std::string a, b;                                      // as given
  std::string name_a, name_b;                            // of the networks
  WordPair structure;                                    // structure hashes
  std::vector<NetworkLayerDiff> layers;                  // in A's order, B's own ones where they stand there
  std::vector<WordPair> differs;                         // inputs and outputs of the networks
  Pair operators, macs, weight_bytes, activation_bytes;  // sums over the layers
  Pair
      shared_bytes;  // of constants that several layers use, counted again by each: weight_bytes - shared = in the file
  Pair peak_bytes;   // activations alive at once, at most
  /// Nothing but names differs.
  bool equal() const;
};

NetworkDiff diff_networks(const std::string& given_a, const nn::Network& a, const std::string& given_b,
                          const nn::Network& b);

/// Layers that differ, in order; totals first. Columns add up.
void describe(const NetworkDiff& diff, Document& out);
/// Complete: every layer. Fields are described in docs/run/diff.md.
nlohmann::json to_json(const NetworkDiff& diff);
/// The totals as metrics for limits: `macs`, `weight_bytes`, `activation_bytes`, `peak_bytes`, `operators`.
PointDiff as_metrics(const NetworkDiff& diff);

}  // namespace dse::reports
