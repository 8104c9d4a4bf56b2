// Training: mini-batches, an optimiser, a schedule, checkpoints. Everything follows from the network, the data and the
// options: equal seeds give equal weights, whether or not training was interrupted in between.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/nn/data/images.h"
#include "models/nn/quantizer/calibration.h"
#include "models/nn/train/model.h"
#include "models/nn/train/options.h"

namespace dse::nn::train {

struct Epoch {
  double loss = 0, train_accuracy = 0, test_accuracy = 0;  // loss: mean over its batches; accuracies 0 to 1
};

struct Progress {
  int epoch = 0, epochs = 0;  // from 0
  std::int64_t batch = 0, batches = 0;
  double loss = 0;  // of the epoch so far
  std::int64_t done() const { return epoch * batches + batch; }
  std::int64_t total() const { return epochs * batches; }
};

enum class End { done, interrupted, diverged };

class Trainer {
 public:
  /// What cannot be trained on these data goes to `diags`, and ok() is false.
  Trainer(const Network& n, const data::DataSet& data, const Options& options, const std::string& file,
          Diagnostics& diags, Way way = Way::faster);
  bool ok() const { return maker_ && maker_->ok() && model_.ok() && fits_; }

  /// From where it stands to the last epoch. `told` may be empty. A loss of a batch above 10,000 or of no number ends
  /// it: the epoch does not count, and parameters are those of the epoch before.
  End run(const std::atomic<bool>& stop, const std::function<void(const Progress&)>& told,
          const std::function<void(const Epoch&)>& finished);
  const std::vector<Epoch>& history() const { return history_; }
  double accuracy(const data::Images& images);
  Network trained(bool spectra) const { return model_.written(network_, spectra); }

  /// All that is needed to go on from the last finished epoch.
  std::vector<std::uint8_t> checkpoint() const;
  /// What is wrong with a checkpoint: damaged, or of another network, data or options. Empty: it was taken.
  std::string resume(const std::vector<std::uint8_t>& bytes);

 private:
  struct Moments {
    std::vector<float> first, second;
  };
  bool train_epoch(int epoch, const std::atomic<bool>& stop, const std::function<void(const Progress&)>& told,
                   Epoch& made, bool& interrupted);
  void fill(const data::Images& images, const std::vector<float>& made, std::int64_t i, float* to, int epoch) const;
  void update(double rate);
  double rate_at(std::int64_t step) const;
  std::uint64_t identity() const;

  const Network& network_;
  const data::DataSet& data_;
  Options options_;
  Model<float> model_;
  std::optional<data::InputMaker> maker_;
  bool fits_ = false;
  std::vector<float> made_;  // inputs of all training images, where they are few enough and do not move
  std::vector<Moments> moments_;
  std::vector<Epoch> history_;
  std::int64_t step_ = 0;
  std::uint64_t identity_ = 0;  // of network, data and options
};

/// Inputs for observing ranges: images for training, 200 at most, evenly spread. None, and says so, where images do not
/// become inputs of the network.
std::vector<quantizer::Sample> calibration_samples(const Network& n, const data::Images& images,
                                                   const std::vector<std::int64_t>& resize, const std::string& file,
                                                   Diagnostics& diags);

/// Accuracy of a network, float or quantised, on labelled images: the share whose largest output is the label's.
/// @param inputs of each image in float, as InputMaker makes them.
double accuracy(const Network& n, const data::Images& images, const data::InputMaker& maker,
                const std::function<void(std::int64_t, std::int64_t)>& told = {},
                std::vector<int>* predictions = nullptr);

}  // namespace dse::nn::train
