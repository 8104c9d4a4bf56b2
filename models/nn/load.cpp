#include <fmt/format.h>

#include <algorithm>
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

/// What `--cut` would keep of a network that cannot run as a whole, if that is anything that computes.
template <class Import>
void offer_cut(const std::string& path, LoadOptions options, Import&& import, Diagnostics& diags) {
  options.cut = true, options.integer_io = false;  // conversions can run
  Diagnostics ignored;
  const NetworkPtr part = import(ignored, options);
  if (!part || part->host.empty() || part->macs() == 0) return;
  diags.note({path, 0, 0},
             fmt::format("{} of {} operators can run on a device", part->operators.size(),
                         part->operators.size() + part->host.size()),
             "--cut plans them and leaves the others to the host; --cost OPERATOR=CYCLES plans one as a black box");
}

}  // namespace

std::string add_shape(const std::string& text, LoadOptions& options) {
  const auto wrong = [&](const std::string& why) { return "shape '" + text + "' " + why + "; write NAME=1x3x224x224"; };
  const auto equals = text.rfind('=');  // names may hold one
  if (equals == std::string::npos || equals == 0) return wrong("names no input");
  std::vector<std::int64_t> shape;
  for (std::size_t at = equals + 1;;) {
    const auto end = std::min(text.find('x', at), text.size());
    const auto digits = text.substr(at, end - at);
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      return wrong("has no extents of the form 1x3x224x224");
    shape.push_back(std::stoll(digits));
    if (shape.back() < 1) return wrong("has an extent of 0");
    if (end == text.size()) break;
    at = end + 1;
  }
  if (!options.shapes.emplace(text.substr(0, equals), std::move(shape)).second) return wrong("gives an input twice");
  return {};
}

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
  const auto import = [&](Diagnostics& to, const LoadOptions& how) {
    if (yaml) return import_yaml(content, path, to, how);
    if (own) return import_dsenet({content.begin(), content.end()}, path, to, how);
    if (onnx) return import_onnx({content.begin(), content.end()}, path, to, how);
    return import_tflite({content.begin(), content.end()}, path, to, how);
  };
  auto network = import(diags, options);
  if (!network && options.offer_cut && !options.cut) offer_cut(path, options, import, diags);
  return network;
}

}  // namespace dse::nn
