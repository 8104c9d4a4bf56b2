#include "cli/network/quantize_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/common/output.h"

namespace dse::cli {

namespace q = nn::quantizer;

namespace {

/// JSON has no infinity: an error of nothing is null.
nlohmann::json decibels(const q::Fidelity& f) {
  const double v = f.sqnr();
  if (!std::isfinite(v)) return nullptr;
  return std::round(v * 100) / 100;
}
std::string decibel_text(const q::Fidelity& f) {
  return std::isfinite(f.sqnr()) ? fmt::format("{:.1f} dB", f.sqnr()) : "exact";
}

}  // namespace

void print_quantized(const QuantizeWords& o, const q::Quantized& made, const q::Fidelity& total) {
  nlohmann::ordered_json j = {{"format", 1},
                              {"network", made.network->name},
                              {"scheme", o.scheme},
                              {"bits", o.bits},
                              {"samples", o.samples},
                              {"out", o.out},
                              {"sqnr_db", decibels(total)},
                              {"max_abs_error", total.largest_error}};
  j["layers"] = nlohmann::ordered_json::array();
  for (const auto& l : made.layers) {
    nlohmann::ordered_json one = {{"name", l.name},
                                  {"kind", l.kind},
                                  {"bits", l.bits},
                                  {"range", {l.range.min, l.range.max}},
                                  {"quantization", l.format},
                                  {"clipped", l.output.clipped_share()},
                                  {"sqnr_db", decibels(l.output)},
                                  {"macs", l.macs},
                                  {"bytes", l.output_bytes}};
    if (l.has_weights)
      one["weights"] = {{"bits", l.weight_bits},           {"range", {l.weight_range.min, l.weight_range.max}},
                        {"quantization", l.weight_format}, {"clipped", l.weights.clipped_share()},
                        {"sqnr_db", decibels(l.weights)},  {"bytes", l.weight_bytes}};
    j["layers"].push_back(std::move(one));
  }
  print_json(j);
}

void print_quantized_text(const QuantizeWords& o, const q::Quantized& made, const q::Fidelity& total) {
  std::size_t width = 5, format = 12, weights = 7;
  std::int64_t bytes = 0;
  for (const auto& l : made.layers) {
    width = std::max(width, l.name.size()), format = std::max(format, l.format.size());
    weights = std::max(weights, l.weight_format.size());
    bytes += l.weight_bytes;
  }
  fmt::print("{:<{}}  {:>4}  {:<22}  {:<{}}  {:>8}  {:>9}  {:<{}}  {:>8}  {:>9}\n", "layer", width, "bits", "range",
             "quantization", format, "clipped", "SQNR", "weights", weights, "clipped", "SQNR");
  for (const auto& l : made.layers) {
    fmt::print("{:<{}}  {:>4}  {:<22}  {:<{}}  {:>6.2f} %  {:>9}", l.name, width, l.bits,
               fmt::format("{:.4g} to {:.4g}", l.range.min, l.range.max), l.format, format,
               100 * l.output.clipped_share(), decibel_text(l.output));
    if (l.has_weights)
      fmt::print("  {:<{}}  {:>6.2f} %  {:>9}", l.weight_format, weights, 100 * l.weights.clipped_share(),
                 decibel_text(l.weights));
    fmt::print("\n");
  }
  fmt::print("{} in {}: outputs {} against float on {} samples, largest error {:.4g}; weights {} bytes\n{}\n",
             made.network->name, o.scheme, decibel_text(total), o.samples, total.largest_error, bytes, o.out);
}

}  // namespace dse::cli
