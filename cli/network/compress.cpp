// dse compress: fewer weights for a network that has been trained.
#include "models/nn/circulant/compress.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/interrupt.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "models/hw/ethos_u/accelerator.h"
#include "models/hw/libraries/circulant_cycles.h"
#include "models/nn/circulant/layer.h"
#include "models/nn/dsenet.h"
#include "models/nn/graph/finish.h"
#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"
#include "models/nn/train/trainer.h"
#include "plan/npu/weights/encode.h"

namespace dse::cli {
namespace {

namespace c = nn::circulant;

struct CompressArguments {
  nn::LoadOptions load;
  std::string network, blocks, data, device, out;
  double most_error = 0.5, prune = 0, learning_rate = 0.001;
  int cluster = 0, epochs = 5, batch = 100, most_block = 1024;
  std::int64_t limit = 0;
  std::vector<std::int64_t> resize;
  bool finetune = false, json = false;
};

/// "auto", or "fc0=64,conv1=16".
c::CompressOptions options_of(const CompressArguments& o, Diagnostics& d) {
  c::CompressOptions out;
  out.prune = o.prune, out.cluster = o.cluster, out.most_block = o.most_block;
  if (o.blocks == "auto") {
    out.most_error = o.most_error;
    return out;
  }
  for (std::size_t at = 0; at < o.blocks.size();) {
    const auto end = std::min(o.blocks.find(',', at), o.blocks.size());
    const std::string one = o.blocks.substr(at, end - at);
    const auto equals = one.rfind('=');
    int block = 0;
    const char* last = one.data() + one.size();
    const auto [stop, error] = equals == std::string::npos
                                   ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                   : std::from_chars(one.data() + equals + 1, last, block);
    if (error != std::errc() || stop != last || block < 1)
      d.error({}, fmt::format("--blocks: '{}' is no LAYER=SIZE with a size from 1", one), "auto, or fc0=64,fc1=32");
    else
      out.blocks[one.substr(0, equals)] = block;
    at = end + 1;
  }
  return out;
}

/// Batch normalisations and activations folded, channels last.
nn::NetworkPtr plain_form(const nn::Network& n, const std::string& file, Diagnostics& d) {
  for (const auto& op : n.operators)
    if (op.evaluation != nn::Evaluation::floating) {
      d.error({file, 0, 0}, fmt::format("operator {} is not in FLOAT32", op.name),
              "only float networks are compressed");
      return nullptr;
    }
  return nn::finish_network(nn::plain_form(n), d, file, nn::LoadOptions::floating());
}

/// Bytes of the layer's weights in int8, symmetric, through the lossless weight code of an Ethos-U.
std::int64_t coded_bytes(const nn::Network& n, const std::string& layer) {
  for (const auto& op : n.operators) {
    if (op.name != layer) continue;
    const auto values = nn::values_of(n.tensors[static_cast<std::size_t>(op.inputs[1])]);
    float most = 0;
    for (const float v : values) most = std::max(most, std::abs(v));
    std::vector<std::int16_t> integers;
    for (const float v : values)
      integers.push_back(static_cast<std::int16_t>(most > 0 ? std::lround(v / most * 127) : 0));
    return static_cast<std::int64_t>(plan::npu::encode(integers).size());
  }
  return 0;
}

/// What an engine of the device takes for a layer in int8, as plans of it are timed.
std::string cycles_text(const hw::Device& device, const nn::Network& n, const c::CompressedLayer& l) {
  const auto op = std::find_if(n.operators.begin(), n.operators.end(), [&](const auto& o) { return o.name == l.name; });
  const dse_op layer = c::int8_form(n, *op);
  for (const auto& engine : device.engines) {  // what is multiplied densely there is faster than any transform here
    const auto* npu = engine.accelerator.empty() ? nullptr : hw::ethos_u::find_accelerator(engine.accelerator);
    if (!npu) continue;
    return fmt::format("{} {} dense at its peak, no transforms: only weight bytes are won", engine.name,
                       ceil_div(op->macs, std::int64_t{npu->macs_per_cycle()}));
  }
  for (const auto& engine : device.engines) {
    if (!engine.computes() || engine.partial()) continue;
    const auto cycles = hw::circulant_cycles(device, engine, layer, l.block);
    if (cycles.frequency < 0) return fmt::format("{} no transforms: only weight bytes are won", engine.name);
    return fmt::format("{} {} dense, {} transformed{}", engine.name, cycles.dense, cycles.frequency,
                       cycles.pays() ? "" : ": does not pay");
  }
  return "no engine that runs single operators: only weight bytes are won";
}

struct Finetuned {
  double before = 0, after = 0;
};

/// Goes on training from the compressed weights. Pruned and clustered weights are not held; only blocks are.
std::optional<Finetuned> finetune(nn::NetworkPtr& n, const CompressArguments& o, Diagnostics& d) {
  const auto& shape = n->tensors[static_cast<std::size_t>(n->inputs.at(0))].shape;
  auto data = nn::data::read_data_set(o.data, shape, d);
  if (!data) return std::nullopt;
  data->limit(o.limit);
  nn::train::Options options;
  options.epochs = o.epochs, options.batch = o.batch, options.learning_rate = o.learning_rate;
  options.resize = o.resize;
  nn::train::Trainer trainer(*n, *data, options, o.network, d);
  if (!trainer.ok()) return std::nullopt;
  Finetuned reached;
  reached.before = trainer.accuracy(data->test);
  if (o.finetune) {
    ProgressBar bar;
    const auto end = trainer.run(watch_interrupts(),
                                 [&](const nn::train::Progress& p) {
                                   bar.show(fmt::format("epoch {} of {}, loss {:.4f}", p.epoch + 1, p.epochs, p.loss),
                                            p.done(), p.total());
                                 },
                                 {});
    bar.clear();
    if (end == nn::train::End::diverged)
      d.error({o.network, 0, 0}, fmt::format("training diverged at learning rate {}", o.learning_rate),
              "a smaller --learning-rate");
    if (end == nn::train::End::interrupted) d.error({}, "interrupted: nothing was written");
    if (end != nn::train::End::done) return std::nullopt;
    n = nn::finish_network(nn::unfinished(trainer.trained(false)), d, o.network, nn::LoadOptions::floating());
    if (!n) return std::nullopt;
  }
  reached.after = trainer.accuracy(data->test);
  return reached;
}

void print(const CompressArguments& o, const nn::Network& n, const std::vector<c::CompressedLayer>& layers,
           const std::optional<Finetuned>& accuracy, const hw::Device* device) {
  std::int64_t before = 0, after = 0, coded = 0;
  nlohmann::ordered_json j = {{"format", 1}, {"network", n.name}, {"out", o.out}};
  j["layers"] = nlohmann::ordered_json::array();
  if (!o.json)
    fmt::print("{:<16} {:>14} {:>6} {:>10} {:>10} {:>9} {:>8} {:>11}\n", "layer", "matrix", "block", "weights", "kept",
               "error", "zeros", "coded int8");
  for (const auto& l : layers) {
    const std::int64_t bytes = coded_bytes(n, l.name);
    before += l.parameters, after += l.kept, coded += bytes;
    j["layers"].push_back({{"name", l.name},
                           {"block", l.block},
                           {"weights", l.parameters},
                           {"kept", l.kept},
                           {"relative_error", l.error},
                           {"zeros", l.zeros},
                           {"values", l.values},
                           {"coded_int8_bytes", bytes}});
    if (device) j["layers"].back()["cycles"] = cycles_text(*device, n, l);
    if (o.json) continue;
    fmt::print("{:<16} {:>14} {:>6} {:>10} {:>10} {:>9.4f} {:>6.1f} % {:>11}{}\n", l.name,
               fmt::format("{}x{}{}", l.out, l.in, l.taps > 1 ? fmt::format("x{}", l.taps) : ""), l.block, l.parameters,
               l.kept, l.error,
               100 * static_cast<double>(l.zeros) / static_cast<double>(std::max<std::int64_t>(l.kept, 1)), bytes,
               device && l.block > 1 ? "  " + cycles_text(*device, n, l) : "");
  }
  const double error = c::total_error(layers);
  j["weights"] = before, j["kept"] = after, j["relative_error"] = error, j["coded_int8_bytes"] = coded;
  if (accuracy) j["accuracy_before"] = accuracy->before, j["accuracy"] = accuracy->after;
  if (o.json) return print_json(j);
  fmt::print("{} weights, {} kept ({:.1f} times fewer); relative error {:.4f}; {} bytes as int8, coded {}\n", before,
             after, static_cast<double>(before) / static_cast<double>(std::max<std::int64_t>(after, 1)), error, after,
             coded);
  if (accuracy && o.finetune)
    fmt::print("test accuracy {:.2f} % before, {:.2f} % after fine-tuning\n", 100 * accuracy->before,
               100 * accuracy->after);
  else if (accuracy)
    fmt::print("test accuracy {:.2f} %\n", 100 * accuracy->before);
  fmt::print("{}\n", o.out);
}

int compress(const CompressArguments& o) {
  Diagnostics d;
  const auto options = options_of(o, d);
  if (std::filesystem::path(o.out).extension() != ".dsenet")
    d.error({o.out, 0, 0}, "compressed networks are written as .dsenet");
  if (o.finetune && o.data.empty()) d.error({}, "--finetune needs --data");
  nn::LoadOptions load = o.load;
  load.allow_float = load.prefer_float = true;
  const auto floating = d.has_errors() ? nullptr : cli::load_network(o.network, d, load);
  const auto device = o.device.empty() || d.has_errors() ? nullptr : load_device(o.device, d);
  const auto prepared = floating && !d.has_errors() ? plain_form(*floating, o.network, d) : nullptr;
  if (!prepared) return report(d);
  std::vector<c::CompressedLayer> layers;
  nn::Network made = c::compressed(*prepared, options, layers, o.network, d);
  if (d.has_errors()) return report(d);
  auto n = nn::finish_network(std::move(made), d, o.network, nn::LoadOptions::floating());
  if (!n) return report(d);
  std::optional<Finetuned> accuracy;
  if (!o.data.empty()) {
    accuracy = finetune(n, o, d);
    if (!accuracy) return report(d);
  }
  const auto bytes = nn::write_dsenet(*n);
  write_file(o.out, characters(bytes));
  print(o, *n, layers, accuracy, device.get());
  return report(d);
}

}  // namespace

void add_compress(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<CompressArguments>();
  auto* command =
      app.add_subcommand("compress", "Replace weights of a float network by block-circulant, pruned or clustered ones");
  command->add_option("network", o->network, "float network (.onnx, .tflite, .dsenet, .yaml)")->required();
  add_shape_option(*command, o->load);
  command->add_option("--blocks", o->blocks, "auto, or block sizes by layer: fc0=64,conv1=16");
  command->add_option("--most-error", o->most_error, "with --blocks auto: relative error that a layer may have")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--most-block", o->most_block, "with --blocks auto: largest block")
      ->check(CLI::Range(2, 32768))
      ->capture_default_str();
  command->add_option("--prune", o->prune, "share of the smallest weights of each layer that become 0")
      ->check(CLI::Range(0.0, 0.999));
  command->add_option("--cluster", o->cluster, "different values that the weights of a layer keep")
      ->check(CLI::Range(2, 65536));
  command->add_flag("--finetune", o->finetune, "go on training with --data");
  command->add_option("--data", o->data, "data set, as for dse train: accuracy is told");
  command->add_option("--resize", o->resize, "images to so many rows and columns")->expected(2);
  command->add_option("--epochs", o->epochs, "of fine-tuning")->check(CLI::Range(1, 100000))->capture_default_str();
  command->add_option("--batch", o->batch, "of fine-tuning")->check(CLI::Range(1, 65536))->capture_default_str();
  command->add_option("--learning-rate", o->learning_rate, "of fine-tuning")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--limit", o->limit, "only so many images of each part")->check(CLI::PositiveNumber);
  command->add_option("--device", o->device, "say where blocks pay on this device");
  command->add_flag("--json", o->json, "print JSON");
  command->add_option("--out,-o", o->out, "file to write (.dsenet)")->required();
  command->callback([o, &invocation] { invocation.exit = compress(*o); });
}

}  // namespace dse::cli
