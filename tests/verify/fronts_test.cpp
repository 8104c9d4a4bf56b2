// The shipped sweep from end to end: every point of every front and every plan by rule is what it says it is, and the
// search is worth it. Prints a table and writes it to verify-fronts.txt in the build folder. An environment variable
// DSE_VERIFY_SWEEP names another sweep file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "explore/question/files/sweep_file.h"
#include "explore/workers/archive.h"
#include "explore/workers/pool.h"
#include "tests/verify/point_checks.h"

namespace dse::verify::fronts_test {
namespace {

namespace fs = std::filesystem;
using explore::Front;
using explore::Point;

constexpr std::int64_t kMostProgramBytes = 8 * 1024;
constexpr double kMargin = 0.05;

/// What the front offers at a rule's own memory, and at its own cycles: shares saved; nothing when no point is as good.
struct Margin {
  bool cycles_met = false, memory_met = false;
  double cycles = 0, memory = 0;
};

Margin margin_over(const Front& front, const Point& rule) {
  Margin m;
  std::int64_t ticks = 0, bytes = 0;
  for (const auto& p : front.points) {
    if (p.memory_bytes <= rule.memory_bytes && (!m.cycles_met || p.latency_ticks < ticks))
      m.cycles_met = true, ticks = p.latency_ticks;
    if (p.latency_ticks <= rule.latency_ticks && (!m.memory_met || p.memory_bytes < bytes))
      m.memory_met = true, bytes = p.memory_bytes;
  }
  if (m.cycles_met) m.cycles = 1 - static_cast<double>(ticks) / static_cast<double>(rule.latency_ticks);
  if (m.memory_met) m.memory = 1 - static_cast<double>(bytes) / static_cast<double>(rule.memory_bytes);
  return m;
}

struct Verified {
  explore::SweepSpec spec;
  std::vector<explore::Case> cases;
  explore::Sweep sweep;
  std::string out;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

Verified explored() {
  Verified v;
  const char* file = std::getenv("DSE_VERIFY_SWEEP");
  Diagnostics diags;
  const auto spec = explore::read_sweep(file ? file : DSE_SOURCE_DIR "/configs/sweeps/mlperf-tiny.yaml", diags);
  if (!spec) throw std::runtime_error(diags.text());
  v.spec = *spec;
  for (auto& network : v.spec.networks)  // names of the shipped ones
    if (const std::string path = DSE_SOURCE_DIR "/configs/networks/" + network.file + ".yaml"; fs::exists(path))
      network.file = path;
  v.cases = explore::resolve(v.spec, diags);
  v.out = DSE_BINARY_DIR "/verify-fronts";
  fs::remove_all(v.out);
  explore::ExploreOptions options;
  options.jobs = v.jobs;
  options.out = v.out;
  v.sweep = explore::explore(v.spec, v.cases, options, diags);
  if (diags.has_errors() || v.sweep.fronts.size() != v.cases.size())
    throw std::runtime_error("the sweep failed: " + diags.text());
  return v;
}

/// Every point of every front, the marked ones among them; those that lie on the front and are marked only once.
std::vector<PointJob> jobs_of(const Verified& v) {
  std::vector<PointJob> jobs;
  std::set<std::pair<std::string, std::string>> compiled;  // network, mark: one device each
  for (std::size_t f = 0; f < v.sweep.fronts.size(); ++f) {
    std::set<std::string> seen;
    const auto& front = v.sweep.fronts[f];
    for (const auto* list : {&front.points, &front.marked})
      for (const auto& p : *list) {
        if (!seen.insert(p.id).second) continue;
        PointJob job{&v.cases[f], &p, v.out, fmt::format("{}/package-{}-{}", v.out, f, p.id)};
        for (const auto& mark : p.marks) job.compile |= compiled.emplace(front.network, mark).second;
        jobs.push_back(job);
      }
  }
  return jobs;
}

std::string line_of(const Front& f, bool& beaten) {
  std::int64_t largest = 0;
  for (const auto* list : {&f.points, &f.marked})
    for (const auto& p : *list) largest = std::max(largest, p.program_bytes);
  std::string line = fmt::format("{:<40} {:>3} points {}, {:>7} simulated + {:>8} proven, program <= {:>5} B",
                                 f.network + " on " + f.device, f.points.size(),
                                 f.complete ? "complete" : "not complete", f.simulated, f.proven_dominated, largest);
  int rules = 0, over = 0;
  for (const auto& p : f.marked) {
    if (p.latency_ticks <= 0 || p.run.failure) continue;
    const auto m = margin_over(f, p);
    const auto share = [](bool met, double s) {
      return met ? fmt::format("{:5.1f} %", 100 * s) : std::string("never");
    };
    line += fmt::format("\n    over {:<30} cycles -{}, memory -{}", p.origin, share(m.cycles_met, m.cycles),
                        share(m.memory_met, m.memory));
    if (!p.origin.starts_with("rule-based")) continue;
    ++rules;
    over += m.cycles >= kMargin || m.memory >= kMargin;
  }
  beaten = rules > 0 && over == rules;
  return line + "\n";
}

TEST(FrontsSlow, EveryPointOfTheShippedSweepIsWhatItSays) {
  const auto v = explored();
  const auto jobs = jobs_of(v);
  explore::PoolOptions pool;
  pool.jobs = v.jobs;
  const auto results =
      explore::fork_map(static_cast<std::int64_t>(jobs.size()), pool, [&](std::int64_t i, explore::Post&) {
        explore::ByteWriter w;
        w << check_point(jobs[static_cast<std::size_t>(i)]);
        return std::move(w.bytes);
      });
  int compiled = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    compiled += jobs[i].compile;
    std::vector<std::string> wrong = {"not checked"};
    if (results[i]) explore::ByteReader(*results[i]) >> wrong;
    for (const auto& what : wrong)
      ADD_FAILURE() << jobs[i].c->network->name << " on " << jobs[i].c->device_label << ", plan " << jobs[i].point->id
                    << ": " << what;
    EXPECT_LE(jobs[i].point->program_bytes, kMostProgramBytes)
        << jobs[i].c->network->name << ", plan " << jobs[i].point->id;
  }

  std::string table;
  int beaten = 0, with_points = 0;
  for (const auto& front : v.sweep.fronts) {
    bool over = false;
    table += line_of(front, over);
    beaten += over;
    with_points += !front.points.empty();
    for (const auto& note : front.notes) table += "    note: " + note + "\n";
    if (front.points.empty()) table += "    no point: " + front.infeasible_reason + "\n";
    for (const auto& p : front.marked) {  // never worse than a plan that is made by rule
      if (p.run.failure) continue;
      EXPECT_TRUE(std::any_of(
          front.points.begin(), front.points.end(),
          [&](const Point& q) { return q.memory_bytes <= p.memory_bytes && q.latency_ticks <= p.latency_ticks; }))
          << front.network << " on " << front.device << ": nothing on the front is as good as " << p.origin;
    }
  }
  table += fmt::format(
      "{} plans verified, {} of them compiled as C99; {} of {} fronts beat every rule-based plan by 5 % or more in "
      "cycles or memory\n",
      jobs.size(), compiled, beaten, v.sweep.fronts.size());
  std::fputs(table.c_str(), stdout);
  std::ofstream(DSE_BINARY_DIR "/verify-fronts.txt") << table;
  EXPECT_GT(with_points, 0);
  // 8 of 12, or the same share of as many as the sweep has.
  EXPECT_GE(beaten * 12, 8 * static_cast<int>(v.sweep.fronts.size()));
}

}  // namespace
}  // namespace dse::verify::fronts_test
