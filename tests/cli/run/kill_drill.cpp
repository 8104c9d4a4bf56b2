#include "tests/cli/run/kill_drill.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dse::test {
namespace {

/// How many candidates were simulated and how many were proven dominated depends on which came first; what remains does
/// not.
void drop_counts(nlohmann::json& results) {
  results.erase("provenance");
  for (auto& front : results.at("fronts"))
    for (const char* count : {"simulated", "proven_dominated", "infeasible"}) front.erase(count);
}

void expect_success(const Said& said, const std::string& what) {
  if (said.exit != 0)
    throw std::runtime_error(what + " ended with exit code " + std::to_string(said.exit) + ": " + said.err);
}

}  // namespace

Outcome outcome(const std::string& folder) {
  Outcome o;
  o.front = read(folder + "/front.csv");
  for (const auto& plan : std::filesystem::directory_iterator(folder + "/plans"))
    o.plans[plan.path().filename().string()] = read(plan.path().string());
  auto results = nlohmann::json::parse(read(folder + "/results.json"));
  drop_counts(results);
  o.results = results.dump(1);
  return o;
}

std::string difference(const Outcome& got, const Outcome& expected) {
  if (got.front != expected.front) return "front.csv:\n" + got.front + "instead of\n" + expected.front;
  for (const auto& [name, text] : expected.plans)
    if (const auto found = got.plans.find(name); found == got.plans.end() || found->second != text)
      return "plans/" + name + (found == got.plans.end() ? " is missing" : " differs");
  for (const auto& [name, text] : got.plans)
    if (!expected.plans.contains(name)) return "plans/" + name + " is left over";
  if (got.results == expected.results) return {};
  const auto at = static_cast<std::size_t>(
      std::mismatch(got.results.begin(), got.results.end(), expected.results.begin(), expected.results.end()).first -
      got.results.begin());
  return "results.json from \"" + got.results.substr(at > 80 ? at - 80 : 0, 160) + "\"";
}

Drill::Drill(const std::string& networks, const std::string& l1_sizes, unsigned seed)
    : random(seed),
      sweep_(here.write("sweep.yaml", "networks: [" + networks +
                                          "]\ndevices:\n  - base: gap8-class\n    axes: {memories.l1.size: [" +
                                          l1_sizes + "]}\n")) {
  const auto start = std::chrono::steady_clock::now();
  expect_success(dse(command(here / "undisturbed", 2)), "the undisturbed run");
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  expected = outcome(here / "undisturbed");
}

std::vector<std::string> Drill::command(const std::string& out, int jobs) const {
  return {"run", sweep_, "-o", out, "--jobs", std::to_string(jobs)};
}

std::vector<std::string> Drill::resuming(const std::string& out, int jobs, int time) const {
  auto words = command(out, jobs);
  if (time % 2 == 1) words.emplace_back("--resume");
  return words;
}

double Drill::moment() { return seconds * static_cast<double>(random() % 1000) / 1000; }

bool Drill::kill_once(const std::string& out, int jobs) {
  Running run(command(out, jobs));
  if (run.ends_within(moment())) {
    expect_success(run.wait(), "a run that was left alone");
    return false;
  }
  const auto workers = run.workers();
  run.send(SIGKILL);
  const auto said = run.wait();
  if (run.signal() != SIGKILL) {  // it was quicker
    expect_success(said, "a run that was about to end");
    return false;
  }
  for (const int worker : workers)
    for (int tries = 0; !is_dead(worker); ++tries) {
      if (tries > 10'000) throw std::runtime_error("a worker outlives its run");
      ::usleep(1000);
    }
  return true;
}

int Drill::kill_workers(const std::string& out, int jobs) {
  Running run(command(out, jobs));
  int kills = 0;
  while (kills < 2 && !run.ends_within(moment())) {
    const auto workers = run.workers();
    if (!workers.empty()) kills += ::kill(workers[random() % workers.size()], SIGKILL) == 0;
  }
  expect_success(run.wait(), "a run whose workers were killed");
  return kills;
}

}  // namespace dse::test
