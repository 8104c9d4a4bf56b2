// Post-training quantisation: from a float32 network and sample inputs to integers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/passes/dynamic_rescaling.h"
#include "models/nn/quantizer/calibration.h"
#include "models/nn/quantizer/qformat.h"

namespace dse::nn::quantizer {

enum class Scheme { tflite_int8, q_format };
const char* name_of(Scheme s);  // "tflite-int8", "q-format"

struct QuantizeOptions {
  Scheme scheme = Scheme::tflite_int8;
  Statistic weights, activations;
  /// Weights have a scale (tflite-int8) or a correction factor (q-format) per output channel, else one per layer.
  bool per_channel = true;
  // q-format only:
  int bits = 8;  // 8, 16; 0: chosen per layer (choose_bits)
  Divisor divisor = Divisor::integer;
  Correction correction = Correction::correct_then_round;
  /// Weights below 1/2 in magnitude keep the fully fractional format (the source's rule: the store takes the
  /// accumulator's high half) instead of one with more fraction bits than bits.
  bool fully_fractional = true;
  /// Sums of products that nothing but such reads have the format that holds the worst case, not what was observed.
  bool worst_case = false;
  /// Circulant layers, as far as their blocks are powers of two that can be transformed: weights as Fourier transforms
  /// of 16 bits. Else as the elements that define the blocks.
  bool spectral = false;
  /// Dynamic rescaling: outputs share factors by batches (needs correct_then_round); none: static.
  std::optional<OutputBatches> factors;
};

/// How well integers stand for real values.
struct Fidelity {
  double signal = 0, noise = 0;  // sums of squares of the real values and of the differences
  double largest_error = 0;
  std::int64_t values = 0, clipped = 0;  // clipped: real values beyond the representable range by half a step or more
  void add(double real, double restored, double lowest, double highest, double step);
  /// Signal to quantisation noise in dB; +infinity without noise, 0 without signal.
  double sqnr() const;
  double clipped_share() const { return values ? static_cast<double>(clipped) / static_cast<double>(values) : 0; }
};

/// One operator after quantisation.
struct LayerReport {
  std::string name, kind;
  int bits = 8;        // of the output
  Range range;         // that the output's format has to hold: the statistic over the samples
  std::string format;  // "Q2.5", "Q2.5 / 49" (factors of as many batches), or "scale 0.0235 zero -128"
  Fidelity output;     // against the float network, on the evaluation's samples, errors of earlier layers included
  bool has_weights = false;
  int weight_bits = 8;
  Range weight_range;
  std::string weight_format;  // "Q0.7", "Q0.7 x 1 to 3" (factors), "scale 0.001 to 0.004"
  Fidelity weights;
  std::int64_t macs = 0, weight_bytes = 0, output_bytes = 0;
};

struct Quantized {
  NetworkPtr network;
  std::vector<LayerReport> layers;  // by operator
};

/// Brings a float network into the form that quantize() takes: batch normalisations and activations folded, channels
/// last, no operators without effect, what TensorFlow Lite has no words for put into its words (tflite-int8: global
/// pools, paddings) and means over the image as global average pools (q-format), outputs of fixed scale kept apart
/// from operators whose operands share one. @returns null on error.
NetworkPtr prepare(const Network& floating, const QuantizeOptions& options, const std::string& file,
                   Diagnostics& diags);

/// The network with every operator in integers, tensors and operators in the order of `prepared`.
/// @param observed of observe(), for `prepared`. @param bits per operator, weights and output: 8 or 16 (q-format).
/// @returns no network on error.
Quantized quantize(const Network& prepared, const std::vector<Observer>& observed, const QuantizeOptions& options,
                   const std::vector<int>& bits, const std::string& file, Diagnostics& diags);

/// What a real input becomes: float32 bytes to the input's integers.
std::vector<std::uint8_t> encode_input(const Tensor& integer, const std::vector<std::uint8_t>& float_bytes);
/// Real values of an activation of the quantised network.
std::vector<double> decode(const Tensor& integer, const std::vector<std::uint8_t>& bytes);

/// Samples for `floating` in the layout that `prepared` wants: inputs [N, C, H, W] become [N, H, W, C] where it does.
std::vector<Sample> in_layout_of(const Network& prepared, const Network& floating, std::vector<Sample> samples);

/// How many products of 8 and of 16 bits a device makes per cycle; 0: it cannot. And what choosing aims at.
struct BitsGoal {
  double products8 = 1, products16 = 1;
  double sqnr = 30;  // dB, over all network outputs
};
/// Bits per operator, 8 or 16, for q-format: all begin with 8. Where the error of one operator's weights and results in
/// 8 bits, all others in 16, adds to the outputs is measured for every group of operators that share formats; then the
/// group whose promotion takes away most noise for its cost goes to 16 bits, until the outputs reach the goal. Its cost
/// is the cycles and the bytes that it adds, each as a share of the whole network's in 8 bits.
/// Only the first four samples are used.
std::vector<int> choose_bits(const Network& prepared, const std::vector<Observer>& observed,
                             const std::vector<Sample>& samples, const QuantizeOptions& options, const BitsGoal& goal,
                             const std::string& file, Diagnostics& diags, const Progress& progress = {});

/// Runs both networks on the samples and fills `output` of every layer. @returns all network outputs together.
Fidelity measure(const Network& prepared, Quantized& quantized, const std::vector<Sample>& samples,
                 const Progress& progress = {});

}  // namespace dse::nn::quantizer
