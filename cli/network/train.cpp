// dse train: weights for a network in words, by mini-batches.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/interrupt.h"
#include "cli/common/lookup.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "models/nn/dsenet.h"
#include "models/nn/import.h"
#include "models/nn/train/trainer.h"
#include "models/nn/yaml/training.h"

namespace dse::cli {
namespace {

namespace t = nn::train;

struct TrainArguments {
  std::string network, data, out;
  int epochs = 0, batch = 0;
  double learning_rate = 0;
  std::int64_t limit = 0, seed = -1;
  bool json = false, alone = false, dense = false, fresh = false;
};

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

/// Where a training that was interrupted can be taken up again.
std::string checkpoint_of(const std::string& out) { return out + ".checkpoint"; }

bool take_up(t::Trainer& trainer, const TrainArguments& o, Diagnostics& d) {
  const auto file = checkpoint_of(o.out);
  std::error_code error;
  if (o.fresh || !std::filesystem::exists(file, error)) return true;
  const auto content = read_file(file, d);
  if (!content) return false;
  if (const auto why = trainer.resume({content->begin(), content->end()}); !why.empty()) {
    d.error({file, 0, 0}, why, "--fresh begins anew and replaces it");
    return false;
  }
  if (!o.json && !trainer.history().empty())
    fmt::print("goes on after epoch {} of {}\n", trainer.history().size(), file);
  return true;
}

/// Trains one of the networks that stand beside it, for the table; no checkpoint, no file.
std::optional<double> beside(const std::string& text, const nn::data::DataSet& data, const t::Options& options,
                             const TrainArguments& o, const char* what, std::int64_t& parameters) {
  Diagnostics ignored;
  const auto n = nn::import_yaml(text, o.network, ignored, nn::LoadOptions::floating());
  if (!n) return std::nullopt;
  t::Trainer trainer(*n, data, options, o.network, ignored);
  if (!trainer.ok()) return std::nullopt;
  parameters = n->parameters();
  ProgressBar bar;
  const auto end =
      trainer.run(watch_interrupts(), [&](const t::Progress& p) { bar.show(what, p.done(), p.total()); }, {});
  bar.clear();
  if (end != t::End::done) return std::nullopt;
  return trainer.history().back().test_accuracy;
}

void print_epoch(const t::Epoch& e, std::size_t number, int epochs) {
  fmt::print("epoch {:>3} of {}: loss {:.4f}, trained on {}, test {}\n", number, epochs, e.loss,
             percent(e.train_accuracy), percent(e.test_accuracy));
  std::fflush(stdout);
}

nlohmann::ordered_json json_of(const t::Trainer& trainer, const TrainArguments& o, const nn::Network& n) {
  nlohmann::ordered_json j = {{"format", 1},
                              {"network", n.name},
                              {"parameters", n.parameters()},
                              {"out", o.out},
                              {"accuracy", trainer.history().back().test_accuracy}};
  j["epochs"] = nlohmann::ordered_json::array();
  for (const auto& e : trainer.history())
    j["epochs"].push_back({{"loss", e.loss}, {"train_accuracy", e.train_accuracy}, {"test_accuracy", e.test_accuracy}});
  return j;
}

int ended_early(t::End end, const t::Trainer& trainer, const TrainArguments& o, const t::Options& options,
                Diagnostics& d) {
  const auto epoch = trainer.history().size();
  const std::string kept =
      epoch > 0 ? fmt::format("; {} holds the {} epochs before it", checkpoint_of(o.out), epoch) : std::string();
  if (end == t::End::interrupted) {
    fmt::print(stderr, "interrupted in epoch {}{}\n", epoch + 1, kept);
    return Exit::interrupted;
  }
  d.error({o.network, 0, 0},
          fmt::format("training diverged in epoch {}: the loss is above 10,000 or no number at learning rate {}{}",
                      epoch + 1, options.learning_rate, kept),
          "a smaller --learning-rate");
  return report(d);
}

/// The networks that stand beside it in the table, which this prints or adds.
void compare(const std::string& text, const nn::data::DataSet& data, const t::Options& options, const TrainArguments& o,
             nlohmann::ordered_json& j) {
  const auto row = [&](const char* key, const char* what, const std::optional<std::string>& network) {
    if (!network) return;
    std::int64_t parameters = 0;
    const auto reached = beside(*network, data, options, o, what, parameters);
    if (!reached) return;
    j[key] = {{"parameters", parameters}, {"accuracy", *reached}};
    if (!o.json) fmt::print("{:<34} {:>9} parameters  {:>9}\n", what, parameters, percent(*reached));
  };
  if (!o.alone) row("equal_dense", "dense with as many parameters", nn::equal_dense(text));
  if (o.dense) row("dense", "dense layers as wide", nn::dense_of(text));
}

int train(const TrainArguments& o) {
  Diagnostics d;
  const auto file = find_network(o.network, {}, {}, d);
  if (!file) return report(d);
  if (std::filesystem::path(*file).extension() != ".yaml")
    d.error({*file, 0, 0}, "only networks in words (.yaml) are trained from their beginning",
            "dse compress --finetune goes on with the weights of a file");
  if (std::filesystem::path(o.out).extension() != ".dsenet")
    d.error({o.out, 0, 0}, "trained weights are written as .dsenet");
  const auto text = d.has_errors() ? std::nullopt : read_file(*file, d);
  if (!text) return report(d);
  const auto network = nn::import_yaml(*text, *file, d, nn::LoadOptions::floating());
  auto options = network ? nn::training_options(*text, *file, d) : std::nullopt;
  if (!options) return report(d);
  if (o.epochs > 0) options->epochs = o.epochs;
  if (o.batch > 0) options->batch = o.batch;
  if (o.learning_rate > 0) options->learning_rate = o.learning_rate;
  if (o.seed >= 0) options->seed = static_cast<std::uint64_t>(o.seed);
  auto data = nn::data::read_data_set(o.data, network->tensors[network->inputs.at(0)].shape, d);
  if (!data) return report(d);
  data->limit(o.limit);
  nn::NetworkPtr seeded = network;
  if (o.seed >= 0) {  // other first weights, too
    nn::Network n = *network;
    for (auto& tensor : n.tensors)
      if (tensor.fill) tensor.fill->seed ^= 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(o.seed);
    seeded = std::make_shared<const nn::Network>(std::move(n));
  }
  t::Trainer trainer(*seeded, *data, *options, *file, d);
  if (!trainer.ok() || !take_up(trainer, o, d)) return report(d);
  ProgressBar bar;
  const auto end = trainer.run(
      watch_interrupts(),
      [&](const t::Progress& p) {
        bar.show(fmt::format("epoch {} of {}, loss {:.4f}", p.epoch + 1, p.epochs, p.loss), p.done(), p.total());
      },
      [&](const t::Epoch& e) {
        bar.clear();
        const auto bytes = trainer.checkpoint();
        write_file(checkpoint_of(o.out), characters(bytes));
        if (!o.json) print_epoch(e, trainer.history().size(), options->epochs);
      });
  bar.clear();
  if (end != t::End::done) return ended_early(end, trainer, o, *options, d);
  const auto bytes = nn::write_dsenet(trainer.trained(true));
  write_file(o.out, characters(bytes));
  std::error_code ignored;
  std::filesystem::remove(checkpoint_of(o.out), ignored);
  auto j = json_of(trainer, o, *network);
  if (!o.json)
    fmt::print("{:<34} {:>9} parameters  {:>9}\n", network->name, network->parameters(),
               percent(trainer.history().back().test_accuracy));
  compare(*text, *data, *options, o, j);
  if (o.json)
    print_json(j);
  else
    fmt::print("{}\n", o.out);
  return report(d);
}

}  // namespace

void add_train(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<TrainArguments>();
  auto* command = app.add_subcommand("train", "Train a network in words, block-circulant layers included");
  command->add_option("network", o->network, "network file (.yaml) or name of a shipped one")->required();
  command
      ->add_option(
          "--data", o->data,
          "folder of MNIST-like IDX files or of CIFAR-10's binary files; 'made': a small set of this program's")
      ->required();
  command->add_option("--out,-o", o->out, "file to write (.dsenet); circulant weights as Fourier transforms")
      ->required();
  command->add_option("--epochs", o->epochs, "instead of the file's")->check(CLI::Range(1, 100000));
  command->add_option("--batch", o->batch, "instead of the file's")->check(CLI::Range(1, 65536));
  command->add_option("--learning-rate", o->learning_rate, "instead of the file's")->check(CLI::PositiveNumber);
  command->add_option("--seed", o->seed, "of first weights, order and dropout, instead of the file's")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--limit", o->limit, "only so many images of each part")->check(CLI::PositiveNumber);
  command->add_flag("--alone", o->alone, "without the dense network of as many parameters beside it");
  command->add_flag("--dense", o->dense, "with the network of dense layers beside it");
  command->add_flag("--fresh", o->fresh, "begin anew where a checkpoint of an interrupted training is there");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] { invocation.exit = train(*o); });
}

}  // namespace dse::cli
