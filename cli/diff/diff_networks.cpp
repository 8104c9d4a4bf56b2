#include "cli/diff/diff_networks.h"

#include <algorithm>
#include <filesystem>

#include "base/suggest.h"
#include "base/yaml/yaml.h"
#include "cli/common/lookup.h"

namespace dse::cli {

namespace fs = std::filesystem;

bool names_network(const std::string& given) {
  std::error_code error;
  if (!fs::exists(given, error)) {
    const auto shipped = library_networks();
    return std::count(shipped.begin(), shipped.end(), given) > 0;
  }
  if (fs::is_directory(given, error)) return false;
  const auto extension = fs::path(given).extension();
  if (extension == ".tflite" || extension == ".onnx" || extension == ".dsenet") return true;
  if (extension != ".yaml" && extension != ".yml") return false;
  Diagnostics unsaid;  // who reads it as what it is says what is wrong
  const auto text = yaml::load(given, unsaid);
  const auto root = text ? yaml::parse(*text, given, unsaid) : std::nullopt;
  return root && root->find("network") == nullptr && root->find("buffers") == nullptr &&
         root->find("layers") != nullptr && root->find("input") != nullptr;
}

std::optional<reports::NetworkDiff> compare_networks(const std::string& a, const std::string& b,
                                                     const std::vector<reports::Limit>& limits,
                                                     const std::string& limit_option, Diagnostics& d) {
  static const std::vector<std::string> metrics = {"macs", "weight_bytes", "activation_bytes", "peak_bytes",
                                                   "operators"};
  for (const auto& l : limits)
    if (std::count(metrics.begin(), metrics.end(), l.metric) == 0)
      d.error({limit_option, 0, 0}, "networks have no metric " + quote(l.metric), "there is " + join_or(metrics));
  nn::LoadOptions any;
  any.allow_float = any.keep_unsupported = any.integer_io = true;
  const auto network_a = cli::load_network(a, d, any), network_b = cli::load_network(b, d, any);
  if (!network_a || !network_b || d.has_errors()) return std::nullopt;
  return reports::diff_networks(a, *network_a, b, *network_b);
}

}  // namespace dse::cli
