// Importers. Each reads one format from memory; load_network() picks one by the file's extension.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Larger files are refused before they are read.
inline constexpr std::int64_t max_file_bytes = std::int64_t{256} << 20;

/// A TensorFlow Lite flatbuffer (file identifier TFL3, schema version 3), first subgraph only, int8.
/// @param file name for diagnostics. @returns null on error, never throws on bad input.
NetworkPtr import_tflite(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                         const LoadOptions& options = {});

/// An ONNX model (protobuf), opset 7 to 23 of the default domain and quantised operators of com.microsoft. Tensors stay
/// NCHW (docs/network/onnx.md) unless the file computes in integers: those networks become NHWC, as their kernels want.
/// @param file name for diagnostics. @returns null on error, never throws on bad input.
NetworkPtr import_onnx(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                       const LoadOptions& options = {});

/// Our own format for people without a model file: layers with seeded weights (docs in yaml/import.cpp).
NetworkPtr import_yaml(const std::string& text, const std::string& file, Diagnostics& diags,
                       const LoadOptions& options = {});
/// JSON Schema of that format.
std::string network_schema();

}  // namespace dse::nn
