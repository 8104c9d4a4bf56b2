#include "explore/variants/trained.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "models/nn/passes/passes.h"

namespace dse::explore {

namespace fs = std::filesystem;

void store(const std::string& file, const std::vector<std::uint8_t>& bytes) {
  const std::string beside = file + ".tmp";
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
  fs::rename(beside, file);
}

std::vector<std::uint8_t> stored(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

nn::NetworkPtr trained(const nn::Network& n, const nn::data::DataSet& data, const nn::train::Options& options,
                       const TrainingOf& of, const VariantOptions& asked, Diagnostics& diags, double* reached) {
  nn::train::Trainer trainer(n, data, options, of.spec.base, diags);
  if (!trainer.ok()) return nullptr;
  const std::string& checkpoint = of.checkpoint;
  if (!checkpoint.empty() && fs::exists(checkpoint)) trainer.resume(stored(checkpoint));  // another's: begins anew
  static const std::atomic<bool> never = false;
  const auto end = trainer.run(
      asked.interrupted ? *asked.interrupted : never,
      [&](const nn::train::Progress& p) {
        if (asked.progress) asked.progress(of.what, p.epoch * p.batches + p.batch, p.epochs * p.batches);
      },
      [&](const nn::train::Epoch&) {
        if (!checkpoint.empty()) store(checkpoint, trainer.checkpoint());
      });
  if (end == nn::train::End::diverged)
    diags.error(of.spec.where, fmt::format("{}: training diverged at learning rate {}", of.what, options.learning_rate),
                "training: {learning_rate: ...} of the network file, smaller");
  if (end != nn::train::End::done) return nullptr;
  if (reached) *reached = trainer.history().back().test_accuracy;
  if (!checkpoint.empty()) fs::remove(checkpoint);
  nn::LoadOptions load;
  load.allow_float = true;
  return nn::finish_network(nn::unfinished(trainer.trained(false)), diags, of.spec.base, load);
}

}  // namespace dse::explore
