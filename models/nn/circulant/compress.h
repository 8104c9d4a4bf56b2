// Fewer weights for a network that has been trained: the nearest block-circulant matrices, pruning, clustering.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn::circulant {

struct CompressedLayer {
  std::string name;
  std::int64_t out = 0, in = 0, taps = 1;  // of its matrix
  int block = 1;                           // 1: dense
  double error = 0;                        // || W - W' || / || W ||, of all that was done to it
  double error_squared = 0, norm_squared = 0;
  std::int64_t parameters = 0, kept = 0;  // weights before and after (biases apart)
  std::int64_t zeros = 0, values = 0;     // among those kept: zeros, and how many different values
};

struct CompressOptions {
  std::map<std::string, int> blocks;  // by layer; layers that are not named stay as they are
  /// Every layer that is not named takes the largest power of two whose error is at most this; 0: none.
  double most_error = 0;
  int most_block = 1024;
  double prune = 0;  // share of the smallest weights of each layer that become 0
  int cluster = 0;   // different values that a layer keeps, by k-means; 0: all
};

/// Layers that can have blocks or others than they have: fully connected, convolutions of one group, circulant ones.
bool can_have_blocks(const Network& n, const Operator& op);

/// A float network with its channels last, compressed. Layers that are circulant already keep their blocks unless they
/// are named. Names without a layer and blocks that do not fit go to `diags`,
/// the result has no operators then.
Network compressed(Network n, const CompressOptions& options, std::vector<CompressedLayer>& layers,
                   const std::string& file, Diagnostics& diags);

/// The error of all layers together: the square root of what was lost of the sum of all squared weights.
double total_error(const std::vector<CompressedLayer>& layers);

}  // namespace dse::nn::circulant
