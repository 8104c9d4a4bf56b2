#include "cli/package/package_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/system/scratch_folder.h"
#include "cli/command.h"
#include "cli/common/account.h"
#include "cli/common/files.h"
#include "cli/common/output.h"
#include "cli/package/device_document.h"
#include "deploy/format/errors.h"
#include "deploy/format/sealed.h"
#include "dse_repair.h"
#include "explore/explore.h"
#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "models/nn/dsenet.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "program/encoding.h"
#include "reports/run/json.h"

namespace dse::cli {

namespace fs = std::filesystem;

namespace {

/// What a point is now otherwise than the package says; empty: nothing.
std::string difference(const explore::Case& c, const plan::Plan& plan, const deploy::Contents& contents,
                       const deploy::PackedPoint& packed, const explore::Point& point) {
  if (program::encode(plan::lower(*c.network, *c.device, plan)) != packed.program)
    return "its plan makes another program than is shipped";
  if (plan::constants_image(*c.network, *c.device, plan) != contents.images.at(packed.image))
    return "its weights are not those of its network";
  if (point.run.failure) return "fails: " + point.run.failure->what;
  if (!point.verified) return "computes other bytes than the interpreter";
  if (point.latency_ticks != packed.ticks)
    return fmt::format("takes {} cycles, not {} as it promises", point.latency_ticks, packed.ticks);
  return "";
}

/// The points of a package, simulated again as `c`'s. Nothing after diagnostics.
std::optional<std::vector<explore::Point>> resimulate(const deploy::Contents& contents, const std::string& file,
                                                      explore::Case& c, Diagnostics& d) {
  if (contents.network.empty() || contents.device.empty()) {
    d.error({file, 0, 0}, "holds no network and no device: it is for a target only");
    return std::nullopt;
  }
  const ScratchFolder scratch;
  const auto network = nn::import_dsenet(contents.network, file, d);
  const auto device = network ? device_of_document(contents.device, scratch.path().string(), file, d) : nullptr;
  if (!device) return std::nullopt;
  c = {network, device, device->name};
  std::vector<explore::Point> out;
  for (const auto& packed : contents.points) {
    auto plan = plan::read_plan_text(packed.plan, file, *network, *device, d);
    if (!plan) return std::nullopt;
    auto point = explore::simulate_point(c, *plan, true, false);
    if (const auto other = difference(c, *plan, contents, packed, point); !other.empty()) {
      d.error({file, 0, 0}, fmt::format("point {} {}", plan->id(), other),
              "the package was made by another version of dse, or was changed");
      return std::nullopt;
    }
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace

std::string package_path(const std::string& what) {
  return fs::is_directory(what) ? (fs::path(what) / "plan.dse").string() : what;
}

bool is_package_file(const std::string& file) {
  char start[sizeof DSE_PACKAGE_MAGIC - 1] = {};
  std::ifstream in(file, std::ios::binary);
  return in.read(start, sizeof start) && std::equal(std::begin(start), std::end(start), DSE_PACKAGE_MAGIC);
}

std::optional<deploy::Bytes> unlock_package(deploy::Bytes bytes, const std::string& file, const std::string& key,
                                            Diagnostics& d) {
  std::uint32_t corrected = 0;
  if (const int status = dse_repair(bytes.data(), static_cast<std::uint32_t>(bytes.size()), &corrected);
      status != DSE_OK) {
    d.error({file, 0, 0}, deploy::explain(status));
    return std::nullopt;
  }
  if (corrected > 0)
    d.note({file, 0, 0}, fmt::format("{} wrong bit{} corrected", corrected, corrected == 1 ? "" : "s"));
  if (!deploy::is_sealed(bytes)) return bytes;
  if (key.empty()) {
    d.error({file, 0, 0}, "is encrypted", "--key FILE, or --key env:NAME");
    return std::nullopt;
  }
  const auto secret = deploy::read_key(key, d);
  return secret ? deploy::unseal(bytes, *secret, file, d) : std::nullopt;
}

std::optional<deploy::Bytes> open_package_file(const std::string& file, const std::string& key, Diagnostics& d) {
  const auto text = read_file(file, d);
  return text ? unlock_package({text->begin(), text->end()}, file, key, d) : std::nullopt;
}

int run_from_package(const std::string& what, const std::string& key, bool json) {
  const auto file = package_path(what);
  Diagnostics d;
  const auto bytes = open_package_file(file, key, d);
  const auto contents = bytes ? deploy::read_contents(*bytes, file, d) : std::nullopt;
  if (const int code = report(d)) return code;
  Diagnostics found;
  explore::Case c;
  auto points = resimulate(*contents, file, c, found);
  if (report(found) != Exit::ok || !points) return Exit::mismatch;
  explore::Sweep sweep;
  sweep.fronts.emplace_back();
  explore::describe_front(c, sweep.fronts[0]);
  sweep.fronts[0].points = std::move(*points);
  if (json) {
    print_json(reports::results_json(sweep).at("fronts").at(0).at("points"));
    return Exit::ok;
  }
  for (const auto& point : sweep.fronts[0].points) fmt::print("{}", account_text(sweep.fronts[0], point));
  fmt::print("{}: program, weights, bytes and cycles are those that were shipped\n", file);
  return Exit::ok;
}

}  // namespace dse::cli
