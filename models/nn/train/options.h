// How a network is trained.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dse::nn::train {

enum class Optimiser { adam, sgd };
enum class Schedule { constant, cosine, step };

struct Options {
  int epochs = 20, batch = 100;
  Optimiser optimiser = Optimiser::adam;
  double learning_rate = 0.003;
  double momentum = 0.9;  // sgd; adam: of the first moment, that of the second is 0.999 (Kingma and Ba 2015)
  double weight_decay = 0;
  Schedule schedule =
      Schedule::cosine;  // of the learning rate, from batch to batch: towards 0, or by step_factor after
  int step_every = 10;   // every so many epochs
  double step_factor = 0.1;
  int shift = 0;  // augmentation: images move by up to so many of their pixels in each direction
  std::uint64_t seed = 1;
  std::vector<std::int64_t> resize;  // images to [h, w]; empty: by the network's input

  /// Every field in words, so that a checkpoint of other options is refused.
  std::string text() const;
};

}  // namespace dse::nn::train
