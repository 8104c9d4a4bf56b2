#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/nn/dsenet.h"
#include "models/nn/import.h"

namespace dse::nn {
namespace {

bool read_file(const std::string& path, std::string& content, Diagnostics& diags) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) {
    diags.error({path, 0, 0}, "cannot be read: " + error.message());
    return false;
  }
  if (static_cast<std::int64_t>(size) > max_file_bytes) {
    diags.error({path, 0, 0}, "is larger than 256 MiB");
    return false;
  }
  std::ifstream in(path, std::ios::binary);
  content.assign(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) {
    diags.error({path, 0, 0}, "cannot be read");
    return false;
  }
  return true;
}

}  // namespace

NetworkPtr load_network(const std::string& path, Diagnostics& diags, const LoadOptions& options) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool yaml = extension == ".yaml" || extension == ".yml";
  const bool onnx = extension == ".onnx";
  const bool own = extension == ".dsenet";
  if (!yaml && !onnx && !own && extension != ".tflite") {
    diags.error({path, 0, 0}, "unknown kind of network file '" + extension + "'",
                "known are .tflite, .onnx, .dsenet and .yaml");
    return nullptr;
  }
  std::string content;
  if (!read_file(path, content, diags)) return nullptr;
  if (yaml) return import_yaml(content, path, diags, options);
  if (own) return import_dsenet({content.begin(), content.end()}, path, diags, options);
  if (onnx) return import_onnx({content.begin(), content.end()}, path, diags, options);
  return import_tflite({content.begin(), content.end()}, path, diags, options);
}

}  // namespace dse::nn
