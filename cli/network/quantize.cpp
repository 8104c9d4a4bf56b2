// dse quantize: integers for a float network, and what they cost in accuracy.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/characters.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/progress.h"
#include "cli/network/quantize_report.h"
#include "models/hw/libraries/shape_table.h"
#include "models/nn/dsenet.h"
#include "models/nn/made/fill.h"
#include "models/nn/quantizer/quantizer.h"
#include "models/nn/tflite/write_tflite.h"
#include "models/nn/train/trainer.h"

namespace dse::cli {
namespace {

namespace q = nn::quantizer;

struct QuantizeArguments {
  nn::LoadOptions load;
  std::string network, calibration = "synthetic", scheme = "tflite-int8", bits = "8", device, out;
  std::string weights = "max", activations = "max", divisor = "integer", correction = "correct-then-round";
  std::string weight_format = "fractional", rescaling = "static", batches = "rows", domain = "time", data;
  std::vector<std::int64_t> resize;
  std::uint64_t seed = 1, made_up = 0;
  int samples = 8;
  double sqnr = 30;
  bool per_layer = false, json = false, has_made_up = false;
};

q::Statistic statistic(const std::string& option, const std::string& text, Diagnostics& d) {
  const auto s = q::statistic_from(text);
  if (!s)
    d.error({}, fmt::format("{}: '{}' is no statistic", option, text), "max, percentile:99.9 or sigma:4, for example");
  return s.value_or(q::Statistic{});
}

nn::OutputBatches batches_of(const std::string& text, Diagnostics& d) {
  using By = nn::OutputBatches::By;
  if (text == "rows" || text == "channels") return {text == "rows" ? By::rows : By::channels, 0};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    d.error({}, fmt::format("--output-batches: '{}' is no number of batches", text),
            "rows, channels or 16, for example");
  return {By::number, number};
}

q::QuantizeOptions options_of(const QuantizeArguments& o, Diagnostics& d) {
  q::QuantizeOptions out;
  out.scheme = o.scheme == "q-format" ? q::Scheme::q_format : q::Scheme::tflite_int8;
  out.bits = o.bits == "auto" ? 0 : o.bits == "16" ? 16 : 8;
  out.weights = statistic("--weights", o.weights, d);
  out.activations = statistic("--activations", o.activations, d);
  out.per_channel = !o.per_layer;
  out.divisor = o.divisor == "integer" ? q::Divisor::integer : q::Divisor::power_of_two;
  out.correction =
      o.correction == "round-then-correct" ? nn::Correction::round_then_correct : nn::Correction::correct_then_round;
  out.fully_fractional = o.weight_format == "fractional";
  if (out.scheme == q::Scheme::tflite_int8 && out.bits != 8)
    d.error({}, fmt::format("--bits {}: tflite-int8 has 8 bits", o.bits), "--scheme q-format has 8, 16 and auto");
  out.spectral = o.domain == "frequency";
  out.worst_case = o.rescaling == "worst-case";
  if (out.worst_case && out.scheme != q::Scheme::q_format)
    d.error({}, "--rescaling worst-case: formats of the worst case are Q formats", "--scheme q-format");
  if (o.rescaling == "dynamic") out.factors = batches_of(o.batches, d);
  if (out.factors && (out.scheme != q::Scheme::q_format || out.correction != nn::Correction::correct_then_round))
    d.error({}, "--rescaling dynamic: factors are of Q formats, and correction comes before them",
            "--scheme q-format --correction correct-then-round");
  const auto extension = std::filesystem::path(o.out).extension();
  if (extension != ".dsenet" && extension != ".tflite")
    d.error({o.out, 0, 0}, fmt::format("'{}' is no kind of file that can be written", extension.string()),
            "known are .tflite and .dsenet");
  if (extension == ".tflite" && out.scheme == q::Scheme::q_format)
    d.error({o.out, 0, 0}, "TensorFlow Lite has no Q formats", "write a .dsenet file");
  return out;
}

/// Products per cycle of the engine that makes the most of 8 bits. A CPU makes those of 16 bits as fast, unless its
/// file says otherwise. What an accelerator takes off it depends on the layer.
void read_rates(const hw::Device& device, q::BitsGoal& goal) {
  goal.products8 = goal.products16 = 0;
  for (const auto& engine : device.engines) {
    if (!engine.computes() || engine.partial()) continue;
    const auto rate = [&](const char* type) {
      const auto found = engine.macs_per_cycle.find(type);
      const double peak = found == engine.macs_per_cycle.end() ? 0.0 : found->second.value();
      return std::max(peak, hw::most_macs_per_cycle(engine, type == std::string("int16")));
    };
    const auto scalar = [](const auto& cycles, double otherwise) {
      const auto found = cycles.find("default");
      return found != cycles.end() && found->second.value() > 0 ? 1 / found->second.value() : otherwise;
    };
    const double cpu = scalar(engine.cycles_per_mac, 0);
    const double eight = std::max(rate("int8"), cpu),
                 sixteen = std::max(rate("int16"), scalar(engine.cycles_per_mac_int16, cpu));
    if (std::max(eight, sixteen) <= std::max(goal.products8, goal.products16)) continue;
    goal.products8 = eight, goal.products16 = sixteen;
  }
}

/// The two sets of inputs: for ranges, and for the report (a folder's serve for both).
struct Samples {
  std::vector<q::Sample> calibration, evaluation;
};
Samples read_inputs(const QuantizeArguments& o, const nn::Network& floating, const nn::Network& prepared,
                    Diagnostics& d) {
  if (!o.data.empty()) {
    const auto& shape = floating.tensors[static_cast<std::size_t>(floating.inputs.at(0))].shape;
    const auto set = nn::data::read_data_set(o.data, shape, d);
    if (!set) return {};
    const auto made = nn::train::calibration_samples(floating, set->train, o.resize, o.network, d);
    const auto samples = q::in_layout_of(prepared, floating, made);
    return {samples, samples};
  }
  if (o.calibration != "synthetic") {
    const auto samples = q::in_layout_of(prepared, floating, q::read_samples(floating, o.calibration, d));
    return {samples, samples};
  }
  const auto drawn = [&](std::uint64_t seed) {
    return q::in_layout_of(prepared, floating, q::synthetic_samples(floating, o.samples, seed));
  };
  return {drawn(o.seed), drawn(o.seed + 1)};
}

bool write(const QuantizeArguments& o, const nn::Network& n, Diagnostics& d) {
  const bool tflite = std::filesystem::path(o.out).extension() == ".tflite";
  const auto bytes = tflite ? nn::write_tflite(n, d) : nn::write_dsenet(n);
  if (d.has_errors()) return false;
  write_file(o.out, characters(bytes));
  return true;
}

int quantize(const QuantizeArguments& o) {
  Diagnostics d;
  const auto options = options_of(o, d);
  q::BitsGoal goal;
  goal.sqnr = o.sqnr;
  if (!o.device.empty())
    if (const auto device = load_device(o.device, d)) read_rates(*device, goal);
  if (options.bits == 16 && goal.products16 <= 0)
    d.error({}, fmt::format("device {} multiplies no 16-bit numbers", o.device), "--bits 8 or auto");
  nn::LoadOptions load = o.load;
  load.allow_float = load.prefer_float = true;
  auto floating = d.has_errors() ? nullptr : cli::load_network(o.network, d, load);
  if (const int code = report(d); code || !floating) return code;
  if (o.has_made_up) floating = std::make_shared<const nn::Network>(nn::with_he_normal_weights(*floating, o.made_up));
  const auto prepared = q::prepare(*floating, options, o.network, d);
  if (!prepared) return report(d);
  const Samples inputs = read_inputs(o, *floating, *prepared, d);
  if (const int code = report(d)) return code;
  ProgressBar bar;
  const auto told = [&](const char* what) {
    return [&bar, what](std::int64_t done, std::int64_t total) { bar.show(what, done, total); };
  };
  const auto observed = q::observe(*prepared, inputs.calibration, told("observing ranges"));
  const auto bits = options.bits == 0 ? q::choose_bits(*prepared, observed, inputs.calibration, options, goal,
                                                       o.network, d, told("choosing bits"))
                                      : std::vector<int>(prepared->operators.size(), options.bits);
  auto made = d.has_errors() ? q::Quantized{} : q::quantize(*prepared, observed, options, bits, o.network, d);
  if (!made.network || !write(o, *made.network, d)) {
    bar.clear();
    return report(d);
  }
  const auto total = q::measure(*prepared, made, inputs.evaluation, told("comparing with float"));
  bar.clear();
  const QuantizeWords words{o.scheme, o.bits, o.out, inputs.evaluation.size()};
  o.json ? print_quantized(words, made, total) : print_quantized_text(words, made, total);
  return report(d);
}

}  // namespace

void add_quantize(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<QuantizeArguments>();
  auto* command = app.add_subcommand("quantize", "Quantise a float network after training");
  command
      ->add_option("network", o->network, "float network (.onnx, .tflite, .dsenet) or a .yaml or shipped one, in float")
      ->required();
  add_shape_option(*command, o->load);
  command->add_option("--calibration", o->calibration, "folder of input<i>_<sample>.bin, or 'synthetic'")
      ->capture_default_str();
  command->add_option("--data", o->data, "data set to observe ranges on, as for dse train: its images for training");
  command->add_option("--resize", o->resize, "with --data: images to so many rows and columns")->expected(2);
  command
      ->add_option("--domain", o->domain,
                   "of circulant layers: time, or frequency (Fourier transforms of 16 bits, where blocks are powers of "
                   "two)")
      ->check(CLI::IsMember({"time", "frequency"}))
      ->capture_default_str();
  command->add_option("--scheme", o->scheme, "tflite-int8 or q-format")
      ->check(CLI::IsMember({"tflite-int8", "q-format"}))
      ->capture_default_str();
  command->add_option("--bits", o->bits, "8, 16 or auto (per layer)")
      ->check(CLI::IsMember({"8", "16", "auto"}))
      ->capture_default_str();
  command->add_option("--device", o->device, "device file or name: what --bits auto multiplies with");
  command->add_option("--sqnr", o->sqnr, "dB that --bits auto aims at")->capture_default_str();
  command->add_option("--weights", o->weights, "statistic of weights: max, percentile:P, sigma:K")
      ->capture_default_str();
  command->add_option("--activations", o->activations, "statistic of activations")->capture_default_str();
  command->add_flag("--per-layer", o->per_layer, "one scale or correction factor per layer, not per output channel");
  command->add_option("--divisor", o->divisor, "q-format: integer or power-of-two")
      ->check(CLI::IsMember({"integer", "power-of-two"}))
      ->capture_default_str();
  command->add_option("--correction", o->correction, "q-format: round-then-correct or correct-then-round")
      ->check(CLI::IsMember({"round-then-correct", "correct-then-round"}))
      ->capture_default_str();
  command
      ->add_option("--weight-format", o->weight_format, "q-format: fractional, or tight (more digits of small weights)")
      ->check(CLI::IsMember({"fractional", "tight"}))
      ->capture_default_str();
  command
      ->add_option(
          "--rescaling", o->rescaling,
          "q-format: static (by what was observed), worst-case (no input clips a sum of products) or dynamic (outputs "
          "share factors by batches)")
      ->check(CLI::IsMember({"static", "worst-case", "dynamic"}))
      ->capture_default_str();
  command
      ->add_option("--output-batches", o->batches,
                   "dynamic rescaling: batches of a layer's outputs: rows, channels or a number")
      ->capture_default_str();
  command->add_option("--samples", o->samples, "how many synthetic samples")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "of synthetic samples")->capture_default_str();
  auto* made_up = command->add_option("--made-up-weights", o->made_up,
                                      "seed of He-normal values for constants that the file gives by a rule only");
  command->add_flag("--json", o->json, "print JSON");
  command->add_option("--out,-o", o->out, "file to write: .tflite or .dsenet")->required();
  command->callback([o, made_up, &invocation] {
    o->has_made_up = made_up->count() > 0;
    invocation.exit = quantize(*o);
  });
}

}  // namespace dse::cli
