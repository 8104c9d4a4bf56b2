// dse infer: runs a network with the reference kernels on given bytes.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/crc32.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"

namespace dse::cli {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

/// Nine significant digits determine a float.
double nine_digits(float v) { return std::stod(fmt::format("{:.9g}", v)); }

/// One object per tensor, as in the reference files of the test suite: CRC-32 of its bytes after the run, in hex.
nlohmann::ordered_json tensors_json(const nn::Network& n, const std::string& file, const std::vector<Bytes>& values) {
  nlohmann::ordered_json j = {
      {"model", fs::path(file).filename().string()}, {"inputs", n.inputs}, {"outputs", n.outputs}};
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
                                           : t.kind == nn::TensorKind::variable ? "variable"
                                                                                : "act"},
                                  {"bytes", t.bytes()},
                                  {"crc32", fmt::format("{:08x}", crc32(bytes.data(), bytes.size()))}};
    const auto& q = t.quantization;
    if (!q.scale.empty()) one["scale"] = nine_digits(q.scale[0]);
    if (!q.zero_point.empty()) one["zero_point"] = q.zero_point[0];
    if (q.scale.size() > 1) one["n_scales"] = q.scale.size();
    list.push_back(std::move(one));
  }
  return j;
}

struct InferOptions {
  std::string network, out, input_dir;
  std::vector<std::string> inputs;
  std::uint64_t seed = 0;
  int steps = 1;
  bool seeded = false, tensors = false;
  nn::LoadOptions load;
};

/// What a file's name ends in: nothing for the first run, `_step1`, `_step2`, ... for those after it.
std::string suffix(int step) { return step == 0 ? ".bin" : fmt::format("_step{}.bin", step); }

/// Bytes of network input `i`, which must be as many as it has.
Bytes read_input(const nn::Network& n, std::size_t i, const std::string& file, Diagnostics& d) {
  const auto content = read_file(file, d);
  if (!content) return {};
  const auto& t = n.tensors[static_cast<std::size_t>(n.inputs[i])];
  if (static_cast<std::int64_t>(content->size()) != t.bytes())
    d.error({file, 0, 0}, fmt::format("has {} bytes, but input {} of {} is {} of shape [{}], {} bytes", content->size(),
                                      i, n.name, nn::name_of(t.type), fmt::join(t.shape, ", "), t.bytes()));
  return {content->begin(), content->end()};
}

std::vector<Bytes> read_inputs(const nn::Network& n, const InferOptions& o, int step, Diagnostics& d) {
  std::vector<Bytes> out;
  if (o.inputs.empty()) {
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      const auto& t = n.tensors[static_cast<std::size_t>(n.inputs[i])];
      const auto ordinal = static_cast<int>(i);
      out.push_back(
          o.seeded ? nn::seeded_input(t, ordinal, o.seed, static_cast<std::uint64_t>(step))
                   : read_input(n, i, (fs::path(o.input_dir) / fmt::format("input{}", i)).string() + suffix(step), d));
    }
    return out;
  }
  if (o.inputs.size() != n.inputs.size()) {
    d.error({}, fmt::format("network {} has {} input{}, but {} file{} given", n.name, n.inputs.size(),
                            n.inputs.size() == 1 ? "" : "s", o.inputs.size(), o.inputs.size() == 1 ? " is" : "s are"));
    return out;
  }
  for (std::size_t i = 0; i < o.inputs.size(); ++i) out.push_back(read_input(n, i, o.inputs[i], d));
  return out;
}

void write_outputs(const nn::Network& n, const nn::TensorBytes& values, const fs::path& folder, int step) {
  for (std::size_t i = 0; i < n.outputs.size(); ++i) {
    const auto file = (folder / fmt::format("output{}", i)).string() + suffix(step);
    const auto t = static_cast<std::size_t>(n.outputs[i]);
    // A network may give back a constant.
    const bool constant = n.tensors[t].kind == nn::TensorKind::constant;
    write_file(file, characters(constant ? n.tensors[t].data : values[t]));
    fmt::print("{}\n", file);
  }
}

int infer(const InferOptions& o) {
  Diagnostics d;
  nn::LoadOptions accepted = o.load;
  accepted.allow_float = true;
  accepted.as_in_file = true;  // every tensor of the file is made; outputs are the same
  const auto network = cli::load_network(o.network, d, accepted);
  // All inputs are read before anything is written, so that a missing file leaves nothing half done.
  std::vector<std::vector<Bytes>> inputs;
  for (int step = 0; network && step < o.steps && !d.has_errors(); ++step)
    if (step == 0 || !o.seeded) inputs.push_back(read_inputs(*network, o, step, d));
  if (const int code = report(d)) return code;
  make_folder(o.out);
  const fs::path folder = o.out;
  nn::TensorBytes state = nn::initial_state(*network), first;
  for (int step = 0; step < o.steps; ++step) {
    if (o.seeded && step > 0) inputs.assign(1, read_inputs(*network, o, step, d));
    auto values = nn::interpret(*network, inputs[o.seeded ? 0 : static_cast<std::size_t>(step)], state);
    write_outputs(*network, values, folder, step);
    if (step == 0) first = std::move(values);
  }
  if (!o.tensors) return Exit::ok;
  const auto file = (folder / "tensors.json").string();
  write_file(
      file,
      tensors_json(*network, o.network, first).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  fmt::print("{}\n", file);
  return Exit::ok;
}

}  // namespace

void add_infer(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<InferOptions>();
  auto* command = app.add_subcommand("infer", "Run a network with the reference kernels");
  command->add_option("network", options->network, "network file (.tflite, .onnx, .yaml) or name of a shipped one")
      ->required();
  add_network_options(*command, options->load, false);
  auto* input =
      command->add_option("--input,-i", options->inputs, "raw little-endian bytes of each network input, in order");
  auto* folder = command
                     ->add_option("--input-dir", options->input_dir,
                                  "folder of input0.bin, input1.bin, ...; input0_step1.bin, ... for further steps")
                     ->excludes(input);
  auto* seed = command->add_option("--seed", options->seed, "random inputs of this seed instead of files")
                   ->excludes(input)
                   ->excludes(folder);
  command->add_option("--steps", options->steps, "runs one after another; variables keep their values between them")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(input);
  command->add_option("--out,-o", options->out, "folder for output0.bin, ... (output0_step1.bin, ... of further steps)")
      ->required();
  command->add_flag("--tensors", options->tensors,
                    "also write tensors.json: the CRC-32 of every tensor after the first run");
  command->callback([options, input, folder, seed, &invocation] {
    options->seeded = seed->count() > 0;
    if (!options->seeded && input->count() == 0 && folder->count() == 0)
      throw CLI::RequiredError("--input, --input-dir or --seed");
    invocation.exit = infer(*options);
  });
}

}  // namespace dse::cli
