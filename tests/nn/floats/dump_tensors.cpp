// Runs a float network with made-up weights and writes every tensor, for a comparison with another implementation.
//   nn_dump_tensors NETWORK FOLDER SEED
// Constants that the file gives by a rule become those of with_he_normal_weights(SEED); inputs are seeded_input(SEED).
// FOLDER gets <index>.bin per activation (float32) and names.txt: "<index> <name>" per line.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/nn/made/fill.h"

int main(int count, char** arguments) {
  using namespace dse;
  if (count != 4) return 2;
  const std::string folder = arguments[2];
  const std::uint64_t seed = std::strtoull(arguments[3], nullptr, 10);
  Diagnostics diags;
  nn::LoadOptions options;
  options.allow_float = true;
  const auto loaded = nn::load_network(arguments[1], diags, options);
  if (!loaded) {
    std::fputs(diags.text().c_str(), stderr);
    return 3;
  }
  const nn::Network n = nn::with_he_normal_weights(*loaded, seed);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const int t : n.inputs)
    inputs.push_back(nn::seeded_input(n.tensors[static_cast<std::size_t>(t)], static_cast<int>(inputs.size()), seed));
  const auto values = nn::interpret(n, inputs);
  std::filesystem::create_directories(folder);
  std::ofstream names(folder + "/names.txt");
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (values[t].empty()) continue;
    names << t << ' ' << n.tensors[t].name << '\n';
    std::ofstream out(folder + "/" + std::to_string(t) + ".bin", std::ios::binary);
    out.write(reinterpret_cast<const char*>(values[t].data()), static_cast<std::streamsize>(values[t].size()));
    if (!out) return 1;
  }
  return names ? 0 : 1;
}
