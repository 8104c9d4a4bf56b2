#include "explore/variants/trained.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/characters.h"
#include "base/system/whole_file.h"
#include "models/nn/passes/passes.h"

namespace dse::explore {

namespace fs = std::filesystem;

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
        if (asked.progress) asked.progress(of.what, p.done(), p.total());
      },
      [&](const nn::train::Epoch&) {
        if (!checkpoint.empty()) write_whole(checkpoint, characters(trainer.checkpoint()));
      });
  if (end == nn::train::End::diverged)
    diags.error(of.spec.where, fmt::format("{}: training diverged at learning rate {}", of.what, options.learning_rate),
                "training: {learning_rate: ...} of the network file, smaller");
  if (end != nn::train::End::done) return nullptr;
  if (reached) *reached = trainer.history().back().test_accuracy;
  if (!checkpoint.empty()) fs::remove(checkpoint);
  return nn::finish_network(nn::unfinished(trainer.trained(false)), diags, of.spec.base, nn::LoadOptions::floating());
}

}  // namespace dse::explore
