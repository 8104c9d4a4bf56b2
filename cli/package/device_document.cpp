#include "cli/package/device_document.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/common/files.h"
#include "cli/run/run_folder.h"
#include "models/hw/device_reader.h"
#include "models/hw/library.h"

namespace dse::cli {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<std::string> device_document(const std::string& folder, const explore::Front& front, Diagnostics& d) {
  const auto spec = sweep_of(folder, d);
  if (!spec) return std::nullopt;
  for (const auto& device : spec->devices) {
    // An axis of one value is none of the front's.
    yaml::Overrides overrides;
    for (const auto& axis : device.axes) {
      const auto at =
          std::find_if(front.axes.begin(), front.axes.end(), [&](const auto& a) { return a.first == axis.path; });
      overrides.push_back({axis.path, at != front.axes.end() ? at->second : axis.values.at(0), {}});
    }
    Diagnostics other;
    const auto found = hw::read_device(device.base, overrides, other);
    if (!found || found->hash() != front.device_hash) continue;
    json j = {{"name", fs::path(device.base).filename().string()}, {"overrides", json::array()}};
    for (const auto& o : overrides) j["overrides"].push_back({o.path, o.value});
    auto files = hw::files_of_device(device.base, overrides);
    files.push_back(device.base);
    for (const auto& file : files) {
      const auto text = read_file(file, d);
      if (!text) return std::nullopt;
      j["files"][fs::path(file).filename().string()] = *text;
    }
    return j.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  d.error({folder, 0, 0}, front.device + " is no device of the sweep any more");
  return std::nullopt;
}

hw::DevicePtr device_of_document(const std::string& document, const std::string& folder, const std::string& file,
                                 Diagnostics& d) {
  const auto j = json::parse(document, nullptr, false);
  try {
    for (const auto& [name, text] : j.at("files").items()) {
      if (name.empty() || fs::path(name).filename() != name || name == "." || name == "..") {
        d.error({file, 0, 0}, "section DEVE names a file outside: " + name);
        return nullptr;
      }
      write_file((fs::path(folder) / name).string(), text.get<std::string>());
    }
    yaml::Overrides overrides;
    for (const auto& o : j.at("overrides"))  // in their order: one may be part of another
      overrides.push_back({o.at(0).get<std::string>(), o.at(1).get<std::string>(), {}});
    return hw::read_device((fs::path(folder) / j.at("name").get<std::string>()).string(), overrides, d);
  } catch (const json::exception& e) {
    d.error({file, 0, 0}, std::string("section DEVE is malformed: ") + e.what());
    return nullptr;
  }
}

}  // namespace dse::cli
