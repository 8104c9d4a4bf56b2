// The structure of a protobuf file, checked before anything is allocated for it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dse::nn {

/// Walks an ONNX ModelProto: every field must be whole, every length within the bytes that are left, nesting at most
/// 16 deep, at most 2 M messages and strings and 16 M integers in all (a file of empty messages would take fifty times
/// its size in memory). @returns the empty string, or what is wrong and at which byte.
std::string check_onnx_wire(const std::vector<std::uint8_t>& bytes);

}  // namespace dse::nn
