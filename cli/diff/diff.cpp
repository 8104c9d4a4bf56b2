// dse diff: what changed between two runs, points, plans or packages.
#include <fmt/format.h>

#include <algorithm>

#include "cli/common/output.h"
#include "cli/diff/diff_networks.h"
#include "cli/diff/diff_sides.h"
#include "reports/diff/diff_front.h"
#include "reports/diff/diff_limits.h"
#include "reports/diff/diff_words.h"

namespace dse::cli {
namespace {

using nlohmann::json;

constexpr const char* kLimitOption = "--fail-over";

struct DiffArguments : DiffOptions {
  std::vector<std::string> limits;
  bool json = false, markdown = false;
};

/// All that is found, in the order in which it is told.
struct Found {
  std::vector<reports::WordPair> provenance;
  std::vector<reports::FrontDiff> fronts;
  std::vector<std::string> only_a, only_b;  // fronts
  std::vector<reports::PointDiff> points;
  std::vector<reports::NetworkDiff> networks;  // one at most
  std::vector<std::string> exceeded;
  bool equal() const {
    return only_a.empty() && only_b.empty() &&
           std::all_of(fronts.begin(), fronts.end(), [](const auto& f) { return f.equal(); }) &&
           std::all_of(points.begin(), points.end(), [](const auto& p) { return p.equal(); }) &&
           std::all_of(networks.begin(), networks.end(), [](const auto& n) { return n.equal(); });
  }
};

std::string name_of(const reports::RecordedFront& f) { return f.front.network + " on " + f.front.device; }

/// Two points, and the limits on them. @returns false after diagnostics.
bool compare_points(const std::optional<reports::RecordedPoint>& a, const std::optional<reports::RecordedPoint>& b,
                    const std::vector<reports::Limit>& limits, bool several, Found& found, Diagnostics& d) {
  if (!a || !b) return false;
  found.points.push_back(reports::diff_points(*a, *b));
  const auto& diff = found.points.back();
  if (!reports::limits_apply(limits, diff, kLimitOption, d)) return false;
  for (const auto& line : reports::exceeded(limits, diff))
    found.exceeded.push_back(several ? fmt::format("{} on {}: {}", diff.a.network, diff.a.device, line) : line);
  return true;
}

bool compare_runs(const Opened& a, const Opened& b, const std::vector<reports::Limit>& limits, Found& found,
                  Diagnostics& d) {
  const auto &fronts_a = a.run.fronts, &fronts_b = b.run.fronts;
  const auto pairs = reports::pair_fronts(fronts_a, fronts_b);
  for (const auto i : pairs.only_a) found.only_a.push_back(name_of(fronts_a[i]));
  for (const auto i : pairs.only_b) found.only_b.push_back(name_of(fronts_b[i]));
  if (pairs.pairs.empty()) {
    d.error({b.given, 0, 0}, fmt::format("has no network or device in common with {}", a.given),
            "compare points by name: FOLDER#POINT");
    return false;
  }
  for (const auto& [i, j] : pairs.pairs) {
    found.fronts.push_back(reports::diff_fronts(fronts_a[i].front, fronts_b[j].front));
    const bool any_a = !fronts_a[i].front.points.empty(), any_b = !fronts_b[j].front.points.empty();
    if (any_a && any_b &&
        !compare_points(knee_of(a, fronts_a[i], d), knee_of(b, fronts_b[j], d), limits, pairs.pairs.size() > 1, found,
                        d))
      return false;
    if (any_a && !any_b)
      for (const auto& l : limits)
        found.exceeded.push_back(
            fmt::format("{}: {} has no feasible plan for {}", l.text, b.given, name_of(fronts_b[j])));
  }
  return true;
}

/// Nothing but the networks themselves, without a device.
std::optional<Found> compare_both_networks(const DiffArguments& o, const std::vector<reports::Limit>& limits,
                                           Diagnostics& d) {
  auto networks = compare_networks(o.a, o.b, limits, kLimitOption, d);
  if (!networks) return std::nullopt;
  Found found;
  found.exceeded = reports::exceeded(limits, reports::as_metrics(*networks));
  found.networks.push_back(std::move(*networks));
  return found;
}

std::optional<Found> compare(const DiffArguments& o, const std::vector<reports::Limit>& limits, Diagnostics& d) {
  const bool network_a = names_network(o.a), network_b = names_network(o.b);
  if (network_a && network_b) return compare_both_networks(o, limits, d);
  if (network_a || network_b) {
    d.error({network_a ? o.a : o.b, 0, 0}, fmt::format("is a network, and {} is none", network_a ? o.b : o.a),
            "compare two networks, or two runs, plans or packages");
    return std::nullopt;
  }
  const auto a = open_side(o.a, o, d), b = open_side(o.b, o, d);
  if (!a || !b) return std::nullopt;
  if (!o.point.empty() && a->kind != Opened::Kind::run && b->kind != Opened::Kind::run)
    d.warning({"--point", 0, 0}, "has no meaning here: neither side is a run");
  Found found;
  if (a->kind == Opened::Kind::run && b->kind == Opened::Kind::run)
    found.provenance = reports::diff_provenance(a->run.provenance, b->run.provenance);
  const bool fine = a->whole() && b->whole()
                        ? compare_runs(*a, *b, limits, found, d)
                        : compare_points(measured(*a, *b, o, d), measured(*b, *a, o, d), limits, false, found, d);
  return fine ? std::optional(std::move(found)) : std::nullopt;
}

std::string document_of(const DiffArguments& o, const Found& found) {
  reports::Document out;
  if (found.equal()) {
    if (!found.networks.empty()) {
      describe(found.networks.front(), out);
      return o.markdown ? out.markdown() : out.text();
    }
    const auto what = found.fronts.empty() ? found.points.front().a.id + " and " + found.points.front().b.id
                                           : fmt::format("all fronts of {} and {}", o.a, o.b);
    out.line("equal: " + what + " do not differ in any choice, cycle or byte");
    return o.markdown ? out.markdown() : out.text();
  }
  if (!found.provenance.empty()) {
    out.heading("runs");
    reports::Table t{{{"differs", false}, {"A", false}, {"B", false}}, {}, false};
    for (const auto& w : found.provenance)
      t.rows.push_back({w.name, w.a.empty() ? "none" : w.a, w.b.empty() ? "none" : w.b});
    out.table(std::move(t));
  }
  for (const auto& name : found.only_a) out.line("only in A: the front of " + name);
  for (const auto& name : found.only_b) out.line("only in B: the front of " + name);
  for (const auto& f : found.fronts) describe(f, out);
  // Many accounts would hide the fronts; --json has them all.
  if (!found.networks.empty())
    describe(found.networks.front(), out);
  else if (found.points.size() == 1)
    describe(found.points.front(), out);
  else
    out.line("for the account of one front, name it with --network and --device");
  if (!found.exceeded.empty()) {
    out.heading("limits exceeded");
    for (const auto& line : found.exceeded) out.line(line);
  }
  return o.markdown ? out.markdown() : out.text();
}

json json_of(const DiffArguments& o, const std::vector<reports::Limit>& limits, const Found& found) {
  json j = {{"format", 1},
            {"a", o.a},
            {"b", o.b},
            {"equal", found.equal()},
            {"fronts", json::array()},
            {"points", json::array()},
            {"only_in_a", found.only_a},
            {"only_in_b", found.only_b},
            {"provenance", json::object()},
            {"limits", json::array()},
            {"exceeded", found.exceeded}};
  for (const auto& w : found.provenance) j["provenance"][w.name] = {{"a", w.a}, {"b", w.b}};
  for (const auto& f : found.fronts) j["fronts"].push_back(to_json(f));
  for (const auto& p : found.points) j["points"].push_back(to_json(p));
  if (!found.networks.empty()) j["networks"] = to_json(found.networks.front());
  for (const auto& l : limits) j["limits"].push_back(l.text);
  return j;
}

int diff(const DiffArguments& o) {
  Diagnostics d;
  const auto limits = reports::parse_limits(o.limits, kLimitOption, d);
  if (const int code = report(d)) return code;
  Diagnostics found_wrong;
  std::optional<Found> found;
  try {
    found = compare(o, limits, found_wrong);
  } catch (const reports::RecordError& e) {
    found_wrong.error({}, e.what());
  } catch (const json::exception& e) {
    found_wrong.error({}, fmt::format("{} or {} is damaged: {}", o.a, o.b, e.what()));
  }
  if (const int code = report(found_wrong); code != Exit::ok || !found)
    return code != Exit::ok ? code : Exit::bad_input;
  if (o.json)
    print_json(json_of(o, limits, *found));
  else
    fmt::print("{}", document_of(o, *found));
  for (const auto& line : found->exceeded) fmt::print(stderr, "dse: error: limit exceeded: {}\n", line);
  return found->exceeded.empty() ? Exit::ok : Exit::limit_exceeded;
}

}  // namespace

void add_diff(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<DiffArguments>();
  auto* command =
      app.add_subcommand("diff", "What changed from A to B: cycles and bytes by layer and cause; or two networks");
  const std::string what = "folder of a run, FOLDER#POINT, plan file, package, or network";
  command->add_option("a", o->a, what)->required();
  command->add_option("b", o->b, what)->required();
  command->add_option("--point,-p", o->point, "point of every run that names none; without it, whole fronts");
  command->add_option("--network,-n", o->network, "fronts of this network only; network of plans");
  command->add_option("--device,-d", o->device, "fronts on this device point only; device of plans");
  auto* as_json = command->add_flag("--json", o->json, "print JSON, complete");
  command->add_flag("--markdown", o->markdown, "print Markdown, for a pull request")->excludes(as_json);
  command
      ->add_option(kLimitOption, o->limits,
                   "exit with 6 if B is worse by more, as latency=2%,memory=0,memories.l1.peak=4KiB")
      ->allow_extra_args(false);
  command->callback([o, &invocation] { invocation.exit = diff(*o); });
}

}  // namespace dse::cli
