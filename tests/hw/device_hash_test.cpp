// Every number and switch of a device file makes another device, found by the declared fields, and so does every field
// of a Device, found by the lists beside the structs: a new one cannot be forgotten in Device::hash().
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/hw/device_fields.h"
#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "models/nn/graph/technique.h"

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
const std::map<std::string, std::string> kReasons = {{"validated.0.cycles", "measured, not simulated"},
                                                     {"timing_error", "said beside times, changes none"},
                                                     {"memories.l1.tensors", "which plans a search looks at"},
                                                     {"memories.l2.tensors", "which plans a search looks at"}};

/// Whatever it is the area of: it is told beside results and changes none.
bool is_area(const std::string& path) { return path.substr(path.rfind('.') + 1).starts_with("area"); }

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

/// The device's hash with the field at this value; empty if the value is none for it. The kernel library is one that
/// counts, and counts what the field names, or one by rates on engines that have all techniques and keep sums in
/// memory.
std::string hash_with(const std::string& path, const std::string& value) {
  Diagnostics d;
  const Location here{"test", 0, 0};
  const auto free = [](const std::string& library, bool wide) {
    std::string counts;
    for (const auto& count : counts_of(library, wide)) counts += (counts.empty() ? "{" : ", ") + count + ": 0";
    return counts + "}";
  };
  for (const auto& library : counted_libraries()) {
    std::vector<yaml::Override> fields = {{"kernels.library", library, here}};
    if (is_partial(library))  // of an accelerator beside the core
      fields = {{"engines.array.library", library, here},
                {"engines.array.takes", "[conv]", here},
                {"engines.array.cycles_per_count", free(library, false), here},
                {"engines.core.memories", "[l1]", here}};
    else
      for (const std::string engine : {"engines.array.", "engines.core."}) {
        fields.push_back({engine + "cycles_per_count", free(library, false), here});
        if (!counts_of(library, true).empty())
          fields.push_back({engine + "cycles_per_count_int16", free(library, true), here});
      }
    for (const std::string memory : {"memories.l1.", "memories.l2."})
      if (path == memory + "page_miss") {
        fields.push_back({memory + "page", "64 B", here});
        fields.push_back({memory + "latency", "100 cycles", here});
      }
    for (const std::string memory : {"memories.l1.", "memories.l2."})
      if (path == memory + "bank_word") {
        fields.push_back({memory + "banks", "64", here});
        fields.push_back({memory + "width", "4 B/cycle", here});
      }
    if (path == "engines.core.cache_line") fields.push_back({"engines.core.cache", "32 B", here});
    fields.push_back({path, value, here});
    const auto device = read_device_text(every_kind, "d.yaml", fields, d);
    if (device) return device->hash();
  }
  std::string techniques;
  for (int t = 1; t < DSE_TECHNIQUES; ++t)
    techniques +=
        (techniques.empty() ? "{" : ", ") + nn::technique_names()[static_cast<std::size_t>(t)] + ": 5 B/cycle";
  const auto device = read_device_text(every_kind, "d.yaml",
                                       {{"engines.array.techniques", techniques + "}", here},
                                        {"engines.core.techniques", techniques + "}", here},
                                        {"engines.array.rescaled_per_cycle", "7", here},
                                        {"engines.core.rescaled_per_cycle", "7", here},
                                        {path, value, here}},
                                       d);
  return device ? device->hash() : "";
}

/// Of a library whose counts no cpu has.
bool counts_of_an_array(const std::string& path) {
  for (const auto& library : counted_libraries())
    for (const auto& count : counts_of(library))
      if (is_partial(library) && path == "engines.core.cycles_per_count." + count) return true;
  return false;
}

TEST(DeviceHash, EveryDeclaredNumberAndSwitchMakesAnotherDevice) {
  std::vector<std::string> paths;
  collect(device_fields().schema(), "", paths);
  EXPECT_GT(paths.size(), 80u);
  for (const auto& path : paths) {
    if (counts_of_an_array(path)) continue;
    std::size_t values = 0;
    std::set<std::string> hashes;
    for (const char* unit : {"", " B", " KiB", " MHz", " cycles", " B/cycle", " pJ/B", " pJ/MAC", " um2", " pJ/access",
                             " pJ/element", " pJ/cycle", " uW"}) {
      if (values > 1) break;
      values = 0, hashes.clear();
      for (const char* number : {"0.5", "1", "2", "3", "4", "8", "16", "32"})
        if (const auto hash = hash_with(path, number + std::string(unit)); !hash.empty()) ++values, hashes.insert(hash);
    }
    if (values == 0)
      for (const char* value : {"true", "false"}) ++values, hashes.insert(hash_with(path, value));
    ASSERT_GT(values, 1u) << path << ": no two values of this test fit";
    if (kReasons.count(path) || is_area(path))
      EXPECT_EQ(hashes.size(), 1u) << path << " is said to change nothing";
    else
      EXPECT_EQ(hashes.size(), values) << path << " is not part of the hash";
  }
}

void change(bool& v) { v = !v; }
void change(int& v) { ++v; }
void change(std::int64_t& v) { ++v; }
void change(double& v) { v += 0.5; }
void change(std::string& v) { v += "x"; }
void change(Ratio& v) { v.num += v.den; }
void change(EngineKind& v) { v = v == EngineKind::npu ? EngineKind::dma : EngineKind::npu; }
void change(std::map<std::string, Ratio>& v) { v["another"] = {3, 2}; }
void change(std::vector<int>& v) { v.push_back(7); }
void change(std::vector<std::string>& v) { v.push_back("another"); }
void change(std::vector<std::pair<int, int>>& v) { v.emplace_back(7, 8); }
void change(std::vector<ValidationRow>& v) { v.emplace_back(); }
void change(std::vector<ShapeCycles>& v) { v.emplace_back(); }

/// Changes the fields of a device one at a time, those of its memories, engines and control processor too.
class OneChanged {
 public:
  /// Changes field number `which`. @returns false if there are fewer.
  bool in(Device& d, int which) {
    left_ = which;
    fields(d);
    return left_ < 0;
  }
  std::string name;
  bool never = false;  // it is said to change no simulation

 private:
  template <class T>
  void fields(T& thing) {
    for_each_field(thing, [&]<class Field, class... Rule>(const char* field, Field& value, const Rule&...) {
      if constexpr (std::is_same_v<Field, Control>) {
        fields(value);
      } else if constexpr (std::is_same_v<Field, std::vector<Memory>> || std::is_same_v<Field, std::vector<Engine>>) {
        for (auto& one : value) fields(one);
        if (left_-- == 0) value.emplace_back(), name = field;
      } else if (left_-- == 0) {
        change(value), name = field, never = (std::is_same_v<Rule, Never> || ...);
      }
    });
  }
  int left_ = 0;
};

DevicePtr every_device(const yaml::Overrides& overrides = {}) {
  Diagnostics d;
  return read_device_text(every_kind, "d.yaml", overrides, d);
}

TEST(DeviceHash, EveryFieldOfADeviceMakesAnother) {
  const auto device = every_device();
  ASSERT_TRUE(device);
  std::set<std::string> hashes = {device->hash()}, without;
  int fields = 0;
  for (;; ++fields) {
    Device d = *device;
    OneChanged one;
    if (!one.in(d, fields)) break;
    EXPECT_EQ(hashes.insert(d.hash()).second, !one.never) << one.name << " (field " << fields << ")";
    if (one.never) without.insert(one.name);
  }
  EXPECT_EQ(fields, 2 * 22 + 3 * 54 + 4 + 16);
  EXPECT_EQ(without, (std::set<std::string>{"aliases", "area_um2", "area_um2_per_channel", "area_um2_per_core",
                                            "area_um2_per_kib", "area_um2_per_mac", "energy_source", "name", "source",
                                            "tensors", "timing_error", "validated"}));
}

TEST(DeviceHash, EveryFieldOfARowOfATableMakesAnother) {
  Device d = *every_device();
  d.engines.front().cycles_by_shape.emplace_back();
  auto& row = d.engines.front().cycles_by_shape.back();
  std::set<std::string> hashes = {d.hash()};
  int fields = 0;
  const ShapeCycles usual = row;
  for (bool more = true; more; ++fields) {
    more = false;
    int left = fields;
    for_each_field(row, [&](const char* name, auto& value) {
      if (left-- != 0) return;
      change(value), more = true;
      EXPECT_TRUE(hashes.insert(d.hash()).second) << name;
    });
    row = usual;
  }
  EXPECT_EQ(fields - 1, 13);
}

/// Studies and plans hold hashes: fields that come later must leave those of devices without them alone.
TEST(DeviceHash, StaysWhatItWas) {
  const auto hash_of = [](const yaml::Overrides& overrides) { return every_device(overrides)->hash(); };
  EXPECT_EQ(hash_of({}), "9595d2211732dae1");
  EXPECT_EQ(hash_of({{"engines.core.cycles_per_shift", "3/2", {"test", 0, 0}}}), "8ae48212dfcd472a");
  EXPECT_EQ(hash_of({{"input_from", "l2", {"test", 0, 0}}, {"engines.array.cycles_per_shift", "2", {"test", 0, 0}}}),
            "103ff29e466f8078");
}

}  // namespace
}  // namespace dse::hw::device_hash_test
