#include "models/nn/quantizer/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "models/nn/made/fill.h"

namespace dse::nn::quantizer {
namespace {

namespace fs = std::filesystem;

const Tensor& input(const Network& n, std::size_t i) { return n.tensors[static_cast<std::size_t>(n.inputs[i])]; }

/// Splits "input<i>_<sample>.bin".
bool split_name(const std::string& file, std::size_t& ordinal, std::string& sample) {
  if (file.rfind("input", 0) != 0 || file.size() < 11 || file.substr(file.size() - 4) != ".bin") return false;
  std::size_t at = 5;
  ordinal = 0;
  while (at < file.size() && file[at] >= '0' && file[at] <= '9' && at < 9)
    ordinal = 10 * ordinal + static_cast<std::size_t>(file[at++] - '0');
  if (at == 5 || file[at] != '_') return false;
  sample = file.substr(at + 1, file.size() - 5 - at);
  return true;
}

bool read_input(const Tensor& t, const fs::path& path, std::vector<std::uint8_t>& out, Diagnostics& diags) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> raw((std::istreambuf_iterator<char>(in)), {});
  if (in.bad()) {
    diags.error({path.string(), 0, 0}, "cannot be read");
    return false;
  }
  const auto size = static_cast<std::int64_t>(raw.size());
  const bool bytes = !t.quantization.scale.empty() && !t.quantization.zero_point.empty();
  if (size == 4 * t.elements()) {
    out = std::move(raw);
    return true;
  }
  if (!bytes || size != t.elements()) {
    diags.error({path.string(), 0, 0},
                fmt::format("has {} bytes, but input '{}' takes {} of float32{}", size, t.name, 4 * t.elements(),
                            bytes ? fmt::format(" or {} of int8", t.elements()) : ""));
    return false;
  }
  out.resize(4 * raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto q = static_cast<float>(static_cast<std::int8_t>(raw[i]) - t.quantization.zero_point[0]);
    const float real = t.quantization.scale[0] * q;
    std::memcpy(&out[4 * i], &real, 4);
  }
  return true;
}

}  // namespace

std::vector<Sample> synthetic_samples(const Network& n, int count, std::uint64_t seed) {
  std::vector<Sample> samples(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      const Fill fill{Fill::Kind::he_normal, 0, seed_of(fmt::format("sample{}/input{}", s, i), seed), 2};
      std::vector<float> values(static_cast<std::size_t>(input(n, i).elements()));
      fill_values(fill, 0, values);
      std::vector<std::uint8_t> bytes(4 * values.size());
      std::memcpy(bytes.data(), values.data(), bytes.size());
      samples[s].push_back(std::move(bytes));
    }
  return samples;
}

std::vector<Sample> read_samples(const Network& n, const std::string& folder, Diagnostics& diags) {
  std::error_code error;
  std::map<std::string, std::map<std::size_t, fs::path>> found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::size_t ordinal = 0;
    std::string sample;
    if (split_name(it->path().filename().string(), ordinal, sample)) found[sample][ordinal] = it->path();
  }
  if (error) {
    diags.error({folder, 0, 0}, "cannot be read: " + error.message());
    return {};
  }
  if (found.empty()) diags.error({folder, 0, 0}, "has no files input<i>_<sample>.bin");
  std::vector<Sample> samples;
  bool ok = !found.empty();
  for (const auto& [name, files] : found) {
    Sample sample(n.inputs.size());
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      const auto file = files.find(i);
      if (file == files.end()) diags.error({folder, 0, 0}, fmt::format("lacks the file input{}_{}.bin", i, name));
      ok = file != files.end() && read_input(input(n, i), file->second, sample[i], diags) && ok;
    }
    samples.push_back(std::move(sample));
  }
  return ok ? samples : std::vector<Sample>{};
}

std::vector<Observer> observe(const Network& n, const std::vector<Sample>& samples, const Progress& progress) {
  std::int64_t done = 0;
  std::vector<Observer> out(n.tensors.size());
  for (std::size_t t = 0; t < out.size(); ++t)
    if (n.tensors[t].kind == TensorKind::constant && n.tensors[t].type == DataType::float32)
      out[t].add(values_of(n.tensors[t]));
  for (const auto& sample : samples) {
    const TensorBytes bytes = interpret(n, sample);
    for (std::size_t t = 0; t < out.size(); ++t) {
      if (n.tensors[t].type != DataType::float32 || bytes[t].empty()) continue;
      out[t].add({reinterpret_cast<const float*>(bytes[t].data()), bytes[t].size() / 4});
    }
    if (progress) progress(++done, std::ssize(samples));
  }
  return out;
}

}  // namespace dse::nn::quantizer
