// No decision is left out of a plan's id: every field of its choices is changed in turn.
#include "plan/choices/fields.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/plan.h"

namespace dse::plan::fields_test {
namespace {

template <class T>
void change(T& value) {
  if constexpr (std::is_same_v<T, bool>)
    value = !value;
  else
    value = static_cast<T>(static_cast<int>(value) + 1);
}
void change(std::vector<int>& list) { list.push_back(0); }
void change(std::map<std::string, int>& named) { named["another"] = 1; }

Plan plan() {
  Plan p;
  p.network_hash = "n", p.device_hash = "d";
  p.choices.resize(2);
  return p;
}

TEST(PlanId, ChangesWithEveryFieldOfALayersChoice) {
  std::set<std::string> ids = {plan().id()};
  std::size_t fields = 0;
  LayerChoice names;
  for_each_field(names, [&](const char*, auto&) { ++fields; });
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t field = 0; field < fields; ++field) {
      Plan p = plan();
      std::size_t at = 0;
      std::string changed;
      for_each_field(p.choices[layer], [&](const char* name, auto& value) {
        if (at++ == field) change(value), changed = name;
      });
      EXPECT_TRUE(ids.insert(p.id()).second) << changed << " of layer " << layer;
    }
  EXPECT_EQ(fields, 22u);
}

TEST(PlanId, ChangesWithEveryFieldOfTheNetworksChoice) {
  std::set<std::string> ids = {plan().id()};
  std::size_t fields = 0;
  NetworkChoice names;
  for_each_field(names, [&](const char*, auto&) { ++fields; });
  for (std::size_t field = 0; field < fields; ++field) {
    NetworkChoice c;
    std::size_t at = 0;
    std::string changed;
    for_each_field(c, [&](const char* name, auto& value) {
      if (at++ == field) change(value), changed = name;
    });
    Plan p = plan();
    p.alias_reshapes = c.alias_reshapes, p.greedy_offsets = c.greedy_offsets, p.input = c.input, p.order = c.order;
    EXPECT_EQ(p.network_choice(), c) << changed;
    // Who found the offsets is no part of it: they are, themselves.
    EXPECT_EQ(ids.insert(p.id()).second, changed != "greedy_offsets") << changed;
  }
  EXPECT_EQ(fields, 4u);
}

TEST(PlanId, ChangesWithWhatItIsForAndWithWhereThingsLie) {
  std::set<std::string> ids = {plan().id()};
  const auto another = [&](const char* what, auto&& change) {
    Plan p = plan();
    p.buffers.resize(1);
    p.buffers[0].name = "t0";
    change(p);
    EXPECT_TRUE(ids.insert(p.id()).second) << what;
  };
  another("a buffer", [](Plan&) {});
  another("network", [](Plan& p) { p.network_hash = "m"; });
  another("device", [](Plan& p) { p.device_hash = "e"; });
  another("buffer's name", [](Plan& p) { p.buffers[0].name = "t1"; });
  another("buffer's memory", [](Plan& p) { p.buffers[0].memory = 1; });
  another("buffer's offset", [](Plan& p) { p.buffers[0].offset = 4; });
  another("buffer's size", [](Plan& p) { p.buffers[0].size = 4; });
  another("ring's shift", [](Plan& p) { p.buffers[0].shift = 1; });
  // Said in words or derived from what counts: no part of it.
  Plan p = plan();
  p.network = "name", p.device = "name", p.origin = "by hand", p.constants_size = 3, p.heights = {1}, p.loads = {1};
  EXPECT_EQ(p.id(), plan().id());
}

}  // namespace
}  // namespace dse::plan::fields_test
