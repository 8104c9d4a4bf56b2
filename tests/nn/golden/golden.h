// Where the reference implementation's tensors are, when they are there at all.
#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn::test {

/// Every tensor of the file, by its index there: no rewrites.
inline LoadOptions every_tensor() {
  LoadOptions options;
  options.as_in_file = true;
  return options;
}

/// `$DSE_SHARED`, by default `../shared` beside the project. May not exist.
std::filesystem::path shared();

/// zlib's CRC-32 in eight hex digits.
std::string crc32(const std::vector<std::uint8_t>& bytes);
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path);
nlohmann::json read_json(const std::filesystem::path& path);
/// The folders `seed<k>` of a golden folder, sorted.
std::vector<std::filesystem::path> seeds(const std::filesystem::path& folder);

/// Runs `network` on the inputs in `seed`, step after step with its state, and expects the golden outputs' bytes of
/// every step and the CRC-32 of every tensor after the first.
/// @returns how many tensors were compared.
int expect_golden(const Network& network, const std::filesystem::path& seed);

/// Reads the file as it is planned and expects the outputs of the network as it is in the file.
void expect_rewritten_equal(const std::string& file);

}  // namespace dse::nn::test
