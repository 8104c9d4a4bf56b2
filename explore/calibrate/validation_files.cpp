#include "explore/calibrate/validation_files.h"

#include <filesystem>

#include "base/suggest.h"
#include "explore/calibrate/families.h"
#include "models/hw/library.h"
#include "models/nn/import.h"

namespace dse::explore {

namespace fs = std::filesystem;

ValidationInput validation_files(const std::string& folder) {
  ValidationInput in;
  in.table = [folder](const std::string& name, Diagnostics& d) {
    return yaml::load((fs::path(folder) / name).string(), d);
  };
  in.device = [](const std::string& name, Diagnostics& d) -> std::optional<std::string> {
    const auto file = hw::find_device(name, d);
    return file ? yaml::load(*file, d) : std::nullopt;
  };
  in.network = [folder](const std::string& name, const std::string& table, Diagnostics& d) -> nn::NetworkPtr {
    if (auto family = network_of_family(name)) return family;
    std::error_code error;
    const auto file = (fs::path(folder) / table).parent_path() / name;
    if (fs::is_regular_file(file, error)) return nn::load_network(file.lexically_normal().string(), d);
    if (const auto shipped = hw::config_file("networks/" + name + ".yaml")) return nn::load_network(*shipped, d);
    d.error({table, 0, 0}, "no network is " + quote(name));
    return nullptr;
  };
  return in;
}

}  // namespace dse::explore
