// Weights for a variant by training.
#pragma once
#include <string>
#include <vector>

#include "explore/question/sweep.h"
#include "explore/variants/options.h"
#include "models/nn/train/trainer.h"

namespace dse::explore {

/// The bytes of a file; none: it is not there.
std::vector<std::uint8_t> stored(const std::string& file);

/// What is trained, for people; where an interrupted training goes on, empty: nowhere; and who asks for it.
struct TrainingOf {
  std::string what, checkpoint;
  const VariantSpec& spec;
};

/// Trains a network to its end. @param reached if not null, its accuracy on the test part.
/// @returns null on error and when it was interrupted.
nn::NetworkPtr trained(const nn::Network& n, const nn::data::DataSet& data, const nn::train::Options& options,
                       const TrainingOf& of, const VariantOptions& asked, Diagnostics& diags, double* reached);

}  // namespace dse::explore
