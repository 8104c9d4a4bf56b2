#include "explore/variants/integers.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/system/whole_file.h"
#include "models/nn/quantizer/quantizer.h"
#include "models/nn/train/trainer.h"

namespace dse::explore {

namespace q = nn::quantizer;

nn::NetworkPtr in_integers(const nn::Network& floating, const Integers& wanted, const nn::data::DataSet* data,
                           const std::vector<std::int64_t>& resize, const std::string& file, Diagnostics& diags) {
  q::QuantizeOptions options;
  options.scheme = wanted.bits == 16 ? q::Scheme::q_format : q::Scheme::tflite_int8;
  options.bits = wanted.bits, options.spectral = wanted.spectral;
  const auto prepared = q::prepare(floating, options, file, diags);
  if (!prepared) return nullptr;
  const auto samples = data ? nn::train::calibration_samples(floating, data->train, resize, file, diags)
                            : q::synthetic_samples(floating, 8, 1);
  if (diags.has_errors()) return nullptr;
  const auto observed = q::observe(*prepared, q::in_layout_of(*prepared, floating, samples));
  const std::vector<int> bits(prepared->operators.size(), wanted.bits);
  auto made = q::quantize(*prepared, observed, options, bits, file, diags);
  return made.network;
}

std::optional<double> accuracy_of(const nn::Network& n, const nn::data::DataSet& data,
                                  const std::vector<std::int64_t>& resize, const std::string& file,
                                  const std::string& stored_as, Diagnostics& diags,
                                  const std::function<void(std::int64_t, std::int64_t)>& told) {
  const std::string beside = fmt::format("{}.{}.accuracy", stored_as, data.test.count());
  if (std::ifstream in(beside); in) {
    double known = -1;
    if (in >> known && known >= 0 && known <= 1) return known;
  }
  const auto& shape = n.tensors[static_cast<std::size_t>(n.inputs.at(0))].shape;
  const nn::data::InputMaker maker(data.test, shape, resize, file, diags);
  if (!maker.ok()) return std::nullopt;
  const double reached = nn::train::accuracy(n, data.test, maker, told);
  write_whole(beside, fmt::format("{:.17g}\n", reached));
  return reached;
}

}  // namespace dse::explore
