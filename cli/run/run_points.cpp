// Points of a run: found by what they are called, with their network, device and plan.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/suggest.h"
#include "cli/common/lookup.h"
#include "cli/run/run_folder.h"
#include "explore/question/files/sweep_file.h"
#include "plan/document/document.h"
#include "reports/words/format.h"

namespace dse::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

bool is_called(const explore::Point& p, const std::string& name) {
  return p.id == name || p.origin == name || std::count(p.marks.begin(), p.marks.end(), name) > 0;
}

const json& document_of(const reports::RecordedFront& of, const explore::Point& p) {
  for (const char* list : {"points", "marked"})
    for (const auto& j : of.document.at(list))
      if (j.at("id") == p.id && j.at("origin") == p.origin) return j;
  throw InvariantError("a point that is not in its front");
}

}  // namespace

std::optional<Chosen> choose_point(const reports::RecordedRun& run, const std::string& name, const std::string& network,
                                   const std::string& device, Diagnostics& diagnostics) {
  std::vector<std::pair<const reports::RecordedFront*, const explore::Point*>> found, by_row, only;
  std::vector<std::string> known;
  std::size_t row = 0;
  const bool number = !name.empty() && name.size() < 8 && name.find_first_not_of("0123456789") == std::string::npos;
  for (const auto& of : run.fronts) {
    const bool meant =
        (network.empty() || of.front.network == network) && (device.empty() || of.front.device == device);
    for (const auto* p : reports::ordered_points(of.front)) {
      ++row;
      if (number && std::to_string(row) == name) by_row.emplace_back(&of, p);
      if (!meant) continue;
      known.insert(known.end(), {p->id, p->origin});
      known.insert(known.end(), p->marks.begin(), p->marks.end());
      if (is_called(*p, name)) found.emplace_back(&of, p);
    }
    if (meant && of.front.points.size() == 1) only.emplace_back(&of, &of.front.points[0]);
  }
  if (found.empty()) found = by_row;
  // A front with one objective has one point and no knee: it is what is meant.
  if (found.empty() && name == "knee") found = only;
  if (found.size() == 1) {
    const auto& [of, point] = found.front();
    const auto& document = document_of(*of, *point);
    try {
      return Chosen{reports::read_point(name, of->document, document), of->document, document};
    } catch (const reports::RecordError& e) {
      diagnostics.error({}, e.what());
      return std::nullopt;
    }
  }
  if (found.empty()) {
    const auto guess = nearest(name, known);
    diagnostics.error(
        {}, "no point " + quote(name) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
        fmt::format(
            "give an id, a row of front.csv (1 to {}), knee, smallest, fastest, or an origin such as rule-based", row));
    return std::nullopt;
  }
  std::string list;
  for (std::size_t i = 0; i < found.size() && i < 8; ++i)
    list += fmt::format("{}{} ({} on {})", i ? ", " : "", found[i].second->id, found[i].first->front.network,
                        found[i].first->front.device);
  diagnostics.error(
      {},
      fmt::format("{} points are called {}: {}{}", found.size(), quote(name), list, found.size() > 8 ? ", ..." : ""),
      "give the id, or narrow the choice with --network and --device");
  return std::nullopt;
}

std::optional<plan::Plan> plan_of(const std::string& folder, const Chosen& chosen, const explore::Case& c,
                                  Diagnostics& diagnostics) {
  const auto file = (fs::path(folder) / chosen.recorded.point.plan_file).string();
  auto plan = plan::read_plan(file, *c.network, *c.device, diagnostics);
  if (!plan || plan->id() == chosen.recorded.point.id) return plan;
  diagnostics.error({file, 0, 0}, "has changed since the run: it is plan " + plan->id() + " now",
                    "to use it, run it as a plan of your own (plans: in the sweep)");
  return std::nullopt;
}

std::string differs_from_run(const Chosen& chosen, const explore::Point& now) {
  if (now.run.failure) return "fails: " + now.run.failure->what;
  const auto then = chosen.recorded.point.latency_ticks;
  if (now.latency_ticks == then) return {};
  return fmt::format("takes {} cycles, not {} as in the run; was the run made by another version of dse?",
                     now.latency_ticks, then);
}

std::optional<explore::SweepSpec> sweep_of(const std::string& folder, Diagnostics& diagnostics) {
  auto spec = explore::read_sweep((fs::path(folder) / "sweep.yaml").string(), diagnostics);
  if (!spec || !find_files(*spec, diagnostics)) return std::nullopt;
  spec->file.clear();  // paths are resolved
  return spec;
}

std::optional<explore::Case> rebuild_case(const std::string& folder, const explore::Front& front,
                                          Diagnostics& diagnostics) {
  const auto spec = sweep_of(folder, diagnostics);
  const auto cases = spec ? explore::resolve(*spec, diagnostics) : std::vector<explore::Case>();
  for (const auto& c : cases)
    if ((c.network_name() == front.network || c.network->name == front.network) &&
        c.network->structure_hash() == front.network_hash && c.device->hash() == front.device_hash)
      return c;
  if (!diagnostics.has_errors())
    diagnostics.error({(fs::path(folder) / "sweep.yaml").string(), 0, 0},
                      fmt::format("{} on {} is not what it was when the run was made", front.network, front.device),
                      "the run was made by another version of dse: run it again");
  return std::nullopt;
}

std::optional<PointOfCase> open_point(const PointOptions& options, Diagnostics& diagnostics) {
  const auto run = open_run(options.folder, diagnostics);
  auto chosen = run ? choose_point(*run, options.point, options.network, options.device, diagnostics) : std::nullopt;
  auto c = chosen ? rebuild_case(options.folder, chosen->recorded.front, diagnostics) : std::nullopt;
  if (!c) return std::nullopt;
  return PointOfCase{std::move(*chosen), std::move(*c)};
}

}  // namespace dse::cli
