#include <filesystem>
#include <fstream>
#include <iterator>

#include "deploy/runner.h"
#include "dse_runtime.h"
#include "program/encoding.h"

namespace dse::deploy {

namespace {

bool read_file(const std::filesystem::path& path, std::vector<std::uint8_t>& out) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  out.assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

/// input0.bin, input1.bin, ... as many as there are.
ByteVectors read_numbered(const std::filesystem::path& folder, const std::string& stem) {
  ByteVectors out;
  std::vector<std::uint8_t> bytes;
  while (read_file(folder / (stem + std::to_string(out.size()) + ".bin"), bytes)) out.push_back(bytes);
  return out;
}

}  // namespace

std::optional<PackageFiles> read_package(const std::string& folder, Diagnostics& diags) {
  const std::filesystem::path path(folder);
  PackageFiles files;
  bool good = true;
  const auto need = [&](bool found, const std::string& name) {
    if (found) return;
    good = false;
    diags.error({(path / name).string(), 0, 0}, "cannot read",
                "a package folder holds plan.dse, weights.bin, input0.bin, output0.bin");
  };
  need(read_file(path / "plan.dse", files.plan), "plan.dse");
  need(read_file(path / "weights.bin", files.constants), "weights.bin");
  files.inputs = read_numbered(path, "input");
  files.outputs = read_numbered(path, "output");
  need(!files.inputs.empty(), "input0.bin");
  need(!files.outputs.empty(), "output0.bin");
  if (!good) return std::nullopt;
  auto& weights = files.constants;
  std::vector<std::uint8_t> image(weights.begin(), weights.end() - (weights.size() < 4 ? 0 : 4));
  if (program::with_checksum(image) != weights) {
    diags.error({(path / "weights.bin").string(), 0, 0}, explain(DSE_ERR_WEIGHTS));
    return std::nullopt;
  }
  weights = std::move(image);
  return files;
}

}  // namespace dse::deploy
