// dse predict: labels for images.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/system/scratch_folder.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "explore/explore.h"
#include "models/nn/train/trainer.h"

namespace dse::cli {
namespace {

struct PredictArguments {
  std::string network, inputs, labels, device, out;
  std::vector<std::int64_t> resize;
  std::int64_t limit = 0;
  bool json = false;
};

/// Images of an IDX file, or the test images of a folder.
std::optional<nn::data::Images> read_images(const PredictArguments& o, const std::vector<std::int64_t>& shape,
                                            Diagnostics& d) {
  std::error_code error;
  std::optional<nn::data::Images> images;
  if (std::filesystem::is_regular_file(o.inputs, error)) {
    nn::data::Images read;
    if (std::filesystem::path(o.inputs).extension() == ".bin" &&
        std::filesystem::file_size(o.inputs, error) % 3073 == 0) {
      if (nn::data::append_cifar10(o.inputs, read, d)) images = std::move(read);
    } else {
      images = nn::data::read_idx_images(o.inputs, d);
    }
  } else if (auto set = nn::data::read_data_set(o.inputs, shape, d)) {
    images = std::move(set->test);
  }
  if (images && !o.labels.empty() && !nn::data::read_idx_labels(o.labels, *images, d)) return std::nullopt;
  if (images && o.limit > 0) images = images->first(o.limit);
  return images;
}

/// Simulated microseconds of the fastest plan on a device.
std::optional<double> simulated_us(const nn::NetworkPtr& n, const PredictArguments& o, Diagnostics& d) {
  const auto device = load_device(o.device, d);
  if (!device) return std::nullopt;
  explore::SweepSpec spec;
  spec.networks = {o.network}, spec.objectives = {"latency"};
  explore::Case one;
  one.network = n, one.device = device, one.device_label = one.base = device->name;
  const ScratchFolder folder;
  explore::ExploreOptions options;
  options.out = folder.path().string(), options.store_plans = options.verify = false;
  const auto sweep = explore::explore(spec, {one}, options, d);
  for (const auto& front : sweep.fronts) {
    if (front.points.empty() && !d.has_errors())
      d.error({o.network, 0, 0}, fmt::format("has no plan on {}: {}", device->name, front.infeasible_reason));
    for (const auto& p : front.points)
      if (p.latency_us > 0) return p.latency_us;
  }
  return std::nullopt;
}

int predict(const PredictArguments& o) {
  Diagnostics d;
  nn::LoadOptions load;
  load.allow_float = true;
  const auto n = cli::load_network(o.network, d, load);
  if (!n) return report(d);
  if (n->inputs.size() != 1 || n->outputs.size() != 1)
    d.error({o.network, 0, 0}, "a network with one input and one output is wanted");
  const auto& shape = n->tensors[n->inputs.at(0)].shape;
  const auto images = d.has_errors() ? std::nullopt : read_images(o, shape, d);
  if (!images) return report(d);
  const nn::data::InputMaker maker(*images, shape, o.resize, o.network, d);
  if (!maker.ok()) return report(d);
  ProgressBar bar;
  std::vector<int> labels;
  const auto begin = std::chrono::steady_clock::now();
  const double reached = nn::train::accuracy(
      *n, *images, maker, [&](std::int64_t done, std::int64_t all) { bar.show("predicting", done, all); }, &labels);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  bar.clear();
  const double us = took.count() / static_cast<double>(std::max<std::int64_t>(images->count(), 1));
  std::optional<double> simulated;
  if (!o.device.empty()) simulated = simulated_us(n, o, d);
  if (const int code = report(d)) return code;
  std::string text;
  for (const int label : labels) text += fmt::format("{}\n", label);
  if (!o.out.empty()) write_file(o.out, text);
  if (o.json) {
    nlohmann::ordered_json j = {{"format", 1}, {"network", n->name}, {"images", images->count()}, {"host_us", us}};
    j["accuracy"] = images->labels.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(reached);
    if (simulated) j["device_us"] = *simulated;
    j["labels"] = labels;
    print_json(j);
    return Exit::ok;
  }
  if (o.out.empty()) fmt::print("{}", text);
  fmt::print(stderr, "{} on {} images: {}{:.1f} us per image on this host{}\n", n->name, images->count(),
             images->labels.empty() ? "" : fmt::format("accuracy {:.2f} %, ", 100 * reached), us,
             simulated ? fmt::format(", {:.1f} us simulated on {}", *simulated, o.device) : "");
  return Exit::ok;
}

}  // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<PredictArguments>();
  auto* command = app.add_subcommand("predict", "Label images with a network, and say how many labels are right");
  command->add_option("network", o->network, "network file, in float or in integers")->required();
  command
      ->add_option("inputs", o->inputs,
                   "IDX file of images, CIFAR-10 binary file, folder of a data set (its test images) or 'made'")
      ->required();
  command->add_option("--labels", o->labels, "IDX file of labels");
  command->add_option("--resize", o->resize, "images to so many rows and columns; default: by the network's input")
      ->expected(2);
  command->add_option("--limit", o->limit, "only the first so many images")->check(CLI::PositiveNumber);
  command->add_option("--device", o->device, "also simulate the fastest plan on this device");
  command->add_option("--out,-o", o->out, "file for the labels, one per line; default: standard output");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] { invocation.exit = predict(*o); });
}

}  // namespace dse::cli
