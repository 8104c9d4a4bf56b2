// dse infer: runs a network with the reference kernels on given bytes.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/lookup.h"
#include "program/encoding.h"

namespace dse::cli {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string_view text_of(const Bytes& b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

/// Nine significant digits determine a float.
double nine_digits(float v) { return std::stod(fmt::format("{:.9g}", v)); }

/// One object per tensor, as in the reference files of the test suite: CRC-32 of its bytes after the run, in hex.
nlohmann::ordered_json tensors_json(const nn::Network& n, const std::string& file, const std::vector<Bytes>& values) {
  nlohmann::ordered_json j = {
      {"model", std::filesystem::path(file).filename().string()}, {"inputs", n.inputs}, {"outputs", n.outputs}};
  auto& list = j["tensors"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < n.tensors.size(); ++i) {
    const auto& t = n.tensors[i];
    const bool constant = t.kind == nn::TensorKind::constant;
    const auto& bytes = constant ? t.data : values[i];
    nlohmann::ordered_json one = {{"sg", 0},
                                  {"i", i},
                                  {"name", t.name},
                                  {"shape", t.shape},
                                  {"dtype", nn::name_of(t.type)},
                                  {"kind", constant                             ? "const"
                                           : t.kind == nn::TensorKind::variable ? "var"
                                                                                : "act"},
                                  {"bytes", t.bytes()},
                                  {"crc32", fmt::format("{:08x}", program::crc32(bytes.data(), bytes.size()))}};
    const auto& q = t.quantization;
    if (!q.scale.empty()) one["scale"] = nine_digits(q.scale[0]);
    if (!q.zero_point.empty()) one["zero_point"] = q.zero_point[0];
    if (q.scale.size() > 1) one["n_scales"] = q.scale.size();
    list.push_back(std::move(one));
  }
  return j;
}

struct Options {
  std::string network, out;
  std::vector<std::string> inputs;
  std::uint64_t seed = 0;
  bool seeded = false, tensors = false;
};

std::vector<Bytes> read_inputs(const nn::Network& n, const Options& o, Diagnostics& d) {
  std::vector<Bytes> out;
  if (o.seeded) {
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      out.push_back(nn::seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], static_cast<int>(i), o.seed));
    return out;
  }
  if (o.inputs.size() != n.inputs.size()) {
    d.error({}, fmt::format("network {} has {} input{}, but {} file{} given", n.name, n.inputs.size(),
                            n.inputs.size() == 1 ? "" : "s", o.inputs.size(), o.inputs.size() == 1 ? " is" : "s are"));
    return out;
  }
  for (std::size_t i = 0; i < o.inputs.size(); ++i) {
    const auto content = read_file(o.inputs[i], d);
    if (!content) continue;
    const auto& t = n.tensors[static_cast<std::size_t>(n.inputs[i])];
    if (static_cast<std::int64_t>(content->size()) != t.bytes())
      d.error({o.inputs[i], 0, 0},
              fmt::format("has {} bytes, but input {} of {} is {} of shape [{}], {} bytes", content->size(), i, n.name,
                          nn::name_of(t.type), fmt::join(t.shape, ", "), t.bytes()));
    out.emplace_back(content->begin(), content->end());
  }
  return out;
}

int infer(const Options& o) {
  Diagnostics d;
  const auto network = load_network(o.network, d);
  std::vector<Bytes> inputs;
  if (network) inputs = read_inputs(*network, o, d);
  if (const int code = report(d)) return code;
  const auto values = nn::interpret(*network, inputs);
  make_folder(o.out);
  const std::filesystem::path folder = o.out;
  for (std::size_t i = 0; i < network->outputs.size(); ++i) {
    const auto file = (folder / fmt::format("output{}.bin", i)).string();
    write_file(file, text_of(values[static_cast<std::size_t>(network->outputs[i])]));
    fmt::print("{}\n", file);
  }
  if (!o.tensors) return Exit::ok;
  const auto file = (folder / "tensors.json").string();
  write_file(
      file,
      tensors_json(*network, o.network, values).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  fmt::print("{}\n", file);
  return Exit::ok;
}

}  // namespace

void add_infer(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("infer", "Run a network with the reference kernels");
  command->add_option("network", options->network, "network file (.tflite, .yaml) or name of a shipped one")
      ->required();
  auto* input =
      command->add_option("--input,-i", options->inputs, "raw little-endian bytes of each network input, in order");
  auto* seed =
      command->add_option("--seed", options->seed, "random inputs of this seed instead of files")->excludes(input);
  command->add_option("--out,-o", options->out, "folder for output0.bin, ...")->required();
  command->add_flag("--tensors", options->tensors, "also write tensors.json: the CRC-32 of every tensor");
  command->callback([options, input, seed, &invocation] {
    options->seeded = seed->count() > 0;
    if (!options->seeded && input->count() == 0) throw CLI::RequiredError("--input or --seed");
    invocation.exit = infer(*options);
  });
}

}  // namespace dse::cli
