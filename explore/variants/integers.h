// Integers for a variant, and how many labels they get right.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "models/nn/data/images.h"
#include "models/nn/network.h"

namespace dse::explore {

struct Integers {
  int bits = 8;           // 8: TensorFlow Lite's scheme; 16: Q formats
  bool spectral = false;  // circulant layers in the frequency domain
};

/// Ranges are observed on images for training, or on normal inputs where there are no data. Null on error.
nn::NetworkPtr in_integers(const nn::Network& floating, const Integers& wanted, const nn::data::DataSet* data,
                           const std::vector<std::int64_t>& resize, const std::string& file, Diagnostics& diags);

/// On the test part. What was measured before of the same file stands beside it. Empty on error.
std::optional<double> accuracy_of(const nn::Network& n, const nn::data::DataSet& data,
                                  const std::vector<std::int64_t>& resize, const std::string& file,
                                  const std::string& stored_as, Diagnostics& diags,
                                  const std::function<void(std::int64_t, std::int64_t)>& told);

}  // namespace dse::explore
