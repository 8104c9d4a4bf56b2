#include "tests/explore/limits/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explore/front/front.h"
#include "plan/network/layers.h"
#include "tests/support/random_cases.h"

namespace dse::explore::test_support {
namespace {

const char* const kDevices[] = {"cortex-m7-class", "gap8-class", "cortex-m7-camera", "dsp-l1-l2-l3"};

Case on(nn::NetworkPtr network, std::uint64_t seed) {
  Diagnostics d;
  Case c;
  c.network = std::move(network);
  c.device = hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + kDevices[seed % 4] + ".yaml", {}, d);
  ensure(c.device != nullptr, d.text());
  c.device_label = c.device->name;
  return c;
}

struct Ends {
  double least = 1e300, most = 0;  // on a front without limits
};

Ends ends_of(const Front& front, const std::string& metric) {
  Ends e;
  for (const auto& p : front.points) {
    const double v = value_of(p, metric);
    e.least = std::min(e.least, v), e.most = std::max(e.most, v);
  }
  return e;
}

/// Near the least of every metric: each can be kept by itself, all together seldom. In a third of the questions one
/// cannot be kept even alone.
Question with_limits(Case c, std::uint64_t seed) {
  test::Random random(seed * 7 + 1);
  Question q;
  const auto front = ask(c, {});
  std::vector<std::string> metrics = {"memory", "latency"};
  for (const auto& m : c.device->memories)
    if (m.on_chip && m.name != c.device->memories[static_cast<std::size_t>(c.device->io)].name)
      metrics.push_back("memories." + m.name + ".peak");
  q.c = std::move(c);
  if (front.points.empty()) return q;
  const bool hopeless = test::pick(random, 0, 2) == 0, single = hopeless && test::pick(random, 0, 1) == 0;
  const auto chosen = seed / 4 % metrics.size();
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    if (k != chosen && (single || (k > 1 && test::pick(random, 0, 1) == 0))) continue;
    const auto e = ends_of(front, metrics[k]);
    const double t = test::pick(random, 0, 100) / 100.0;
    const double limit = hopeless && k == chosen ? e.least * (0.5 + 0.5 * t) : e.least + (e.most - e.least) * 0.3 * t;
    q.limits.push_back({metrics[k], metrics[k] == "latency" ? limit : std::floor(limit), {}});
  }
  return q;
}

/// As little less as makes a difference.
double less_than(double value, const std::string& metric, const hw::Device& device) {
  return metric == "latency" ? value - 0.5e6 / static_cast<double>(device.tick_hz()) : value - 1;
}

std::vector<Constraint> with(std::vector<Constraint> limits, std::size_t k, double value) {
  limits[k].limit = value;
  return limits;
}

std::string in_words(const std::vector<Constraint>& limits) {
  std::string text;
  for (const auto& k : limits) text += k.metric + " <= " + std::to_string(k.limit) + " ";
  return text;
}

void expect_least(const Case& c, const std::vector<Constraint>& limits, std::size_t k, const Least::Found& found,
                  Tally& tally) {
  if (found.value < 0) return;
  ++tally.found, tally.outside += !found.outside.empty();
  const auto enough = with(limits, k, found.value);
  const auto again = ask(c, enough);
  EXPECT_FALSE(again.points.empty()) << "no plan with " << in_words(enough) << ": " << again.infeasible_reason;
  if (!found.complete) return;
  const auto less = with(limits, k, less_than(found.value, limits[k].metric, *c.device));
  const auto front = ask(c, less);
  EXPECT_TRUE(front.points.empty()) << "a plan with less: " << in_words(less);
}

}  // namespace

Question random_question(std::uint64_t seed) {
  for (std::uint64_t draw = seed;; draw += 1000) {
    test::Random random(draw);
    auto network = test::random_network(random);
    const auto layers = plan::layers_of(*network, true).size();
    if (layers >= 2 && layers <= 6) return with_limits(on(std::move(network), seed), seed);
  }
}

Question shipped_question(std::uint64_t seed) {
  static const char* const kNetworks[] = {"resnet8", "ds-cnn"};
  Diagnostics d;
  SweepSpec spec;
  spec.networks = {std::string(DSE_SOURCE_DIR) + "/configs/networks/" + kNetworks[seed / 10 % 2] + ".yaml"};
  spec.devices = {{std::string(DSE_SOURCE_DIR) + "/configs/devices/" + kDevices[seed / 20 % 4] + ".yaml", {}, {}}};
  const auto cases = resolve(spec, d);
  ensure(cases.size() == 1, d.text());
  return with_limits(cases[0], seed);
}

Front ask(const Case& c, const std::vector<Constraint>& limits, int front_points) {
  SweepSpec spec;
  spec.constraints = limits;
  spec.front_points = front_points;
  ExploreOptions options;
  options.jobs = 2;
  Diagnostics d;
  auto sweep = explore(spec, {c}, options, d);
  EXPECT_FALSE(d.has_errors()) << d.text();
  return sweep.fronts.at(0);
}

void check_question(const Question& q, Tally& tally) {
  if (q.limits.empty()) return;
  SCOPED_TRACE(q.c.network->name + " on " + q.c.device_label + ": " + in_words(q.limits));
  const auto front = ask(q.c, q.limits);
  for (const auto& p : front.points)
    for (const auto& k : q.limits) EXPECT_LE(value_of(p, k.metric), k.limit);
  if (!front.points.empty()) {
    EXPECT_TRUE(front.least.empty());
    return;
  }
  ++tally.infeasible;
  ASSERT_EQ(front.least.size(), q.limits.size()) << front.infeasible_reason;
  bool alone = false;
  for (std::size_t k = 0; k < q.limits.size(); ++k) {
    const auto& l = front.least[k];
    EXPECT_EQ(l.metric, q.limits[k].metric);
    ASSERT_GE(l.alone.value, 0) << front.infeasible_reason;
    alone |= l.alone.value > l.limit;
    expect_least(q.c, {q.limits[k]}, 0, l.alone, tally);
  }
  ++(alone ? tally.alone : tally.together);
  if (alone) return;
  ASSERT_GT(q.limits.size(), 1u) << front.infeasible_reason;
  for (std::size_t k = 0; k < q.limits.size(); ++k) {
    EXPECT_TRUE(front.least[k].beside.value < 0 || front.least[k].beside.value > q.limits[k].limit);
    expect_least(q.c, q.limits, k, front.least[k].beside, tally);
  }
}

}  // namespace dse::explore::test_support
