// Every number and switch of a device file makes another device: found by the declared fields, so that a new one cannot
// be forgotten in Device::hash().
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/hw/device_fields.h"
#include "models/hw/device_reader.h"

namespace dse::hw::device_hash_test {
namespace {

/// One engine of each kind, three memories, one measurement.
const char* const every_kind = R"(name: every-kind
clock: 100 MHz
kernels: {library: none}
memories:
  l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true}
  l2: {size: 1 MiB, width: 4 B/cycle}
engines:
  array: {kind: mac-array, memory: l1, macs_per_cycle: {int8: 4}, cycles_per_element: {default: 1}}
  mover: {kind: dma, between: [l2, l1]}
  core: {kind: cpu, memories: [l1, l2], cycles_per_mac: {default: 1}, cycles_per_element: {default: 1}}
constants: l2
io: l1
validated: [{network: n, cycles: 7, source: s, role: fit}]
)";

/// Fields that change no simulation, and why.
const std::map<std::string, std::string> kReasons = {{"validated.0.cycles", "measured, not simulated"}};

const std::map<std::string, std::vector<std::string>> kNames = {{"memories", {"l1", "l2"}},
                                                                {"engines", {"array", "mover", "core"}}};
const std::map<std::string, std::string> kKinds = {
    {"engines.array", "mac-array"}, {"engines.mover", "dma"}, {"engines.core", "cpu"}};

/// Paths of all numbers and switches below `s`.
void collect(const yaml::Schema& s, const std::string& path, std::vector<std::string>& out) {
  using Kind = yaml::Schema::Kind;
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  switch (s.kind) {
    case Kind::quantity:
    case Kind::boolean:
      out.push_back(path);
      break;
    case Kind::object:
      for (const auto& p : s.properties) collect(p.schema, below(p.key), out);
      break;
    case Kind::map: {
      const auto names = kNames.find(path);
      for (const auto& key : s.key_choices.empty() && names != kNames.end() ? names->second : s.key_choices)
        collect(s.items[0], below(key), out);
      break;
    }
    case Kind::tagged:
      for (std::size_t i = 0; i < s.choices.size(); ++i)
        if (kKinds.at(path) == s.choices[i]) collect(s.items[i], path, out);
      break;
    case Kind::list:
      collect(s.items[0], path + ".0", out);
      break;
    case Kind::either:
      ADD_FAILURE() << path << ": say here which alternative is a number";
      break;
    case Kind::text:
    case Kind::choice:
      break;
  }
}

/// The device's hash with the field at this value; empty if the value is none for it.
std::string hash_with(const std::string& path, const std::string& value) {
  Diagnostics d;
  const auto device = read_device_text(every_kind, "d.yaml", {{path, value, {"test", 0, 0}}}, d);
  return device ? device->hash() : "";
}

TEST(DeviceHash, EveryDeclaredNumberAndSwitchMakesAnotherDevice) {
  std::vector<std::string> paths;
  collect(device_fields().schema(), "", paths);
  EXPECT_GT(paths.size(), 80u);
  for (const auto& path : paths) {
    std::size_t values = 0;
    std::set<std::string> hashes;
    for (const char* unit : {"", " B", " KiB", " MHz", " cycles", " B/cycle", " pJ/B", " pJ/MAC"}) {
      if (values > 1) break;
      values = 0, hashes.clear();
      for (const char* number : {"0.5", "1", "2", "3", "4", "8", "16", "32"})
        if (const auto hash = hash_with(path, number + std::string(unit)); !hash.empty()) ++values, hashes.insert(hash);
    }
    if (values == 0)
      for (const char* value : {"true", "false"}) ++values, hashes.insert(hash_with(path, value));
    ASSERT_GT(values, 1u) << path << ": no two values of this test fit";
    if (kReasons.count(path))
      EXPECT_EQ(hashes.size(), 1u) << path << " is said to change nothing";
    else
      EXPECT_EQ(hashes.size(), values) << path << " is not part of the hash";
  }
}

}  // namespace
}  // namespace dse::hw::device_hash_test
