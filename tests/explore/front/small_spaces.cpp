#include "tests/explore/front/small_spaces.h"

#include <functional>

#include "explore/engine/exhaustive.h"
#include "models/hw/device.h"
#include "tests/explore/study/held_network.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/inputs.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_wide.h"

namespace dse::explore::test_support {
namespace {

using Choices = std::map<std::string, std::vector<std::string>>;
using Device = std::function<void(hw::Device&)>;

/// A device drawn with `seed`, then changed.
hw::DevicePtr device(std::uint64_t seed, bool tight, const Device& change = {}) {
  test::Random random(seed);
  auto d = std::make_shared<hw::Device>(*test::random_device(random, tight));
  if (change) change(*d);
  return d;
}
nn::NetworkPtr chain(std::uint64_t seed) {
  test::Random random(seed);
  return test::random_network(random);
}
nn::NetworkPtr wide(std::uint64_t seed) {
  test::Random random(seed);
  return test::random_wide_network(random, test::Arithmetic::int8);
}
nn::NetworkPtr held(std::uint64_t seed, int layers, int reach) {
  test::Random random(seed);
  return held_network(random, layers, reach);
}
/// The cases of a sweep over shipped networks and devices, by name.
std::vector<Case> shipped(const std::string& network, const std::string& base, const std::vector<Axis>& axes) {
  SweepSpec spec;
  spec.networks = {DSE_SOURCE_DIR "/configs/networks/" + network + ".yaml"};
  spec.devices = {{DSE_SOURCE_DIR "/configs/devices/" + base + ".yaml", axes, {}}};
  Diagnostics diags;
  auto cases = resolve(spec, diags);
  ensure(!diags.has_errors() && !cases.empty(), diags.text());
  return cases;
}

const Choices kFew = {{"tile", {"all", "1", "2", "3", "6"}}, {"filters", {"all", "8"}}, {"channels", {"4", "16"}}};
/// One after the other, as long as there are too many candidates to try.
const Choices kNarrower[] = {{{"network.order", {"file"}}},
                             {{"in_place", {"no"}}},
                             {{"channels", {"4"}}},
                             {{"tile", {"all", "2"}}},
                             {{"filters", {"all"}}}};

class List {
 public:
  /// What a space does not say itself gets few values; `narrow`: spaces of more than 10^4 candidates fewer still.
  explicit List(bool narrow = true) : narrow_(narrow) {}
  void add(std::string name, nn::NetworkPtr network, hw::DevicePtr device, Choices choices,
           std::vector<Constraint> constraints = {}) {
    add(std::move(name), {std::move(network), std::move(device), ""}, std::move(choices), std::move(constraints));
  }
  void add(std::string name, Case c, Choices choices, std::vector<Constraint> constraints = {}) {
    SmallSpace s;
    s.name = std::move(name), s.c = std::move(c);
    s.c.device_label = s.name;
    s.spec.front_points = 0;
    const auto given = choices;
    for (const auto& [choice, few] : kFew) choices.try_emplace(choice, few);  // all sizes would be too many to try
    s.spec.choices = std::move(choices), s.spec.constraints = std::move(constraints);
    s.c.whole = whole_of(s.spec);
    for (const auto& narrower : kNarrower)
      if (narrow_ && Candidates(s.c, s.spec).count() > 10'000)
        for (const auto& [choice, few] : narrower)
          if (given.count(choice) == 0) s.spec.choices[choice] = few;
    spaces.push_back(std::move(s));
  }
  std::vector<SmallSpace> spaces;

 private:
  bool narrow_;
};

/// As many buffers of everything: spaces of several layers stay small with it.
const std::pair<const std::string, std::vector<std::string>> kAlike = {"buffering", {"double", "single"}};
const Choices kFast = {{"buffering", {"double"}}, {"weights", {"streamed"}}, {"scheme", {"interleaved"}}};

}  // namespace

std::vector<SmallSpace> small_spaces() {
  List l;
  const auto l1_of = [](std::int64_t bytes) { return [bytes](hw::Device& d) { d.memories[0].size = bytes; }; };
  const auto io_outside = [](hw::Device& d) { d.io = 2; };
  const auto coarse = [](hw::Device& d) {
    for (auto& m : d.memories) m.alignment = 32;
  };

  // Chains of convolutions, pools and additions on a MAC array or a CPU, with what the seeds draw.
  l.add("two layers", chain(20), device(20, false), {{"buffering", {"double"}}});
  l.spaces.back().spec.choices.erase("tile");
  l.add("two layers, every size of set", chain(20), device(21, false), {{"buffering", {"single"}}, {"tile", {"all"}}});
  l.spaces.back().spec.choices.erase("filters");
  l.add("two layers, buffers of each operand", chain(20), device(1, false),
        {{"tile", {"all", "2"}}, {"filters", {"all", "2"}}, {"scheme", {"interleaved"}}, {"weights", {"streamed"}}});
  l.add("two layers, orders of steps", chain(20), device(1, false),
        {{"tile", {"2"}}, {"filters", {"2"}}, {"scheme", {"planar"}}, {"weights", {"streamed"}}, kAlike});
  l.add("three layers, schemes and homes", chain(26), device(26, false),
        {{"tile", {"all", "2"}}, {"filters", {"all", "4"}}, {"buffering", {"single"}}, {"weights", {"streamed"}}});
  l.add("four layers, residents", chain(2), device(2, false),
        {{"tile", {"all", "2"}}, {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"layout", {"hwc"}}});
  l.add("four layers, tight", chain(12), device(13, true, l1_of(600)), kFast);
  l.add("five layers, homes", chain(6), device(7, false),
        {{"tile", {"all", "2"}}, {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"weights", {"streamed"}}});
  l.add("five layers, planes", chain(8), device(8, false),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"output", {"l2"}}, {"weights", {"streamed"}}});
  l.add("six layers, resident or not", chain(5), device(5, true),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"output", {"l2"}}});
  l.add("residual, tight", chain(4), device(9, true, l1_of(1200)),
        {{"tile", {"all", "2"}}, {"filters", {"all"}}, {"layout", {"hwc"}}, {"weights", {"streamed"}}, kAlike});
  // Whole layers, joins and splits.
  l.add("wide, streamed", wide(3), device(3, false),
        {{"tile", {"all"}}, {"filters", {"all", "4"}}, {"weights", {"streamed"}}, {"buffering", {"double"}}});
  l.add("wide, tiles of two", wide(11), device(11, false), {{"tile", {"all", "2"}}, {"weights", {"streamed"}}});
  l.add("wide, tight", wide(14), device(15, true, l1_of(400)), {{"tile", {"all", "2"}}});
  l.add("held tensors", held(1, 6, 3), device(1, false),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"weights", {"streamed"}}, {"scheme", {"interleaved"}}});
  l.add("held tensors, tight", held(2, 5, 4), device(21, true, l1_of(700)),
        {{"tile", {"all", "8"}}, {"filters", {"all"}}, {"weights", {"streamed"}}, kAlike});
  l.add("held tensors, residents", held(3, 5, 3), device(22, false),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"layout", {"hwc"}}, {"output", {"l2"}}, kAlike});
  // Devices of other kinds.
  l.add("io memory off the chip", chain(22), device(22, true, io_outside),
        {{"tile", {"all"}}, {"weights", {"streamed"}}, {"scheme", {"interleaved"}}});
  l.add("alignment of 32", chain(28), device(28, false, coarse),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"weights", {"streamed"}}});
  // Limits that bite.
  l.add("peak of l2", chain(8), device(8, false),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"weights", {"streamed"}}},
        {{"memories.l2.peak", 300, {}}});
  l.add("peak of l1", chain(26), device(26, false),
        {{"tile", {"all", "2"}}, {"filters", {"all"}}, {"weights", {"streamed"}}}, {{"memories.l1.peak", 400, {}}});
  l.add("sum of memories", chain(17), device(17, false),
        {{"weights", {"streamed"}}, {"buffering", {"double"}}, {"tile", {"all", "2"}}}, {{"memory", 2000, {}}});
  l.add("deadline", chain(20), device(20, false), {{"weights", {"streamed"}}}, {{"latency", 30, {}}});
  l.add("deadline and peak", chain(6), device(6, false),
        {{"tile", {"all"}}, {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"weights", {"streamed"}}},
        {{"latency", 60, {}}, {"memories.l2.peak", 700, {}}});
  // Inputs that the caller keeps, and that come in from outside.
  for (const char* input : {"kept", "streamed"}) {
    l.add(std::string("five layers, input ") + input, chain(6), test::with_camera(*device(7, false)),
          {{"tile", {"all", "2"}},
           {"filters", {"all"}},
           {"scheme", {"interleaved"}},
           {"weights", {"streamed"}},
           {"network.input", {input}}});
    l.add(std::string("inputs read late, ") + input, test::late_input(), test::with_camera(*device(4, false)),
          {{"filters", {"all"}}, {"scheme", {"interleaved"}}, {"network.input", {input}}});
    l.add(std::string("held tensors, input ") + input, held(1, 6, 3), test::with_camera(*device(1, false)),
          {{"tile", {"all"}},
           {"filters", {"all"}},
           {"weights", {"streamed"}},
           {"scheme", {"interleaved"}},
           {"network.input", {input}}});
  }
  // Branches: orders of the layers beside everything else.
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    test::Random random(seed);
    const auto network = test::random_branches(random);
    const Choices choices[] = {{{"tile", {"all"}},
                                {"filters", {"all"}},
                                {"scheme", {"interleaved"}},
                                {"weights", {"streamed"}},
                                {"layout", {"hwc"}}},
                               {{"tile", {"all", "1"}},
                                {"filters", {"all"}},
                                {"scheme", {"interleaved"}},
                                {"weights", {"streamed"}},
                                {"output", {"l2"}},
                                {"buffering", {"double"}},
                                {"layout", {"hwc"}}},
                               {{"tile", {"all"}},
                                {"filters", {"all"}},
                                {"scheme", {"interleaved"}},
                                {"output", {"l2"}},
                                {"layout", {"hwc"}},
                                {"in_place", {"no"}}},
                               {{"tile", {"all"}},
                                {"filters", {"all"}},
                                {"scheme", {"interleaved"}},
                                {"weights", {"streamed"}},
                                {"output", {"l2"}},
                                {"buffering", {"double"}}}};
    l.add("branches " + std::to_string(seed), network, device(seed, false), choices[seed % 4]);
  }
  // Filters that the layer before fetches.
  const Choices ahead = {{"prefetch", {"no", "yes"}}, {"scheme", {"interleaved"}}, {"layout", {"hwc"}}};
  const auto with = [](Choices more, const Choices& choices) {
    more.insert(choices.begin(), choices.end());
    return more;
  };
  for (const std::uint64_t seed : {2, 5, 6, 8, 12, 17, 20, 26})
    l.add("chain fetched ahead " + std::to_string(seed), chain(seed), device(seed, seed % 3 == 2),
          with({{"weights", {"streamed"}}, {"buffering", {"double"}}}, ahead));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    test::Random random(seed);
    l.add("branches fetched ahead " + std::to_string(seed), test::random_branches(random), device(seed, seed == 3),
          with({{"tile", {"all"}}, {"filters", {"all"}}, {"output", {"l2"}}, {"buffering", {"double"}}}, ahead));
  }
  // Shipped networks and devices, an axis of the device among them.
  const Choices some = {{"tile", {"all"}},
                        {"filters", {"all", "16"}},
                        {"fully_connected9.filters", {"20"}},
                        {"fully_connected9.staging", {"whole"}},
                        {"channels", {"16"}},
                        {"layout", {"hwc"}},
                        {"output", {"l2"}},
                        {"weights", {"streamed"}},
                        {"buffering", {"double"}},
                        {"scheme", {"interleaved"}}};
  for (const auto& c : shipped("autoencoder", "gap8-class", {{"memories.l1.size", {"32 KiB", "64 KiB"}, {}}}))
    l.add("autoencoder on " + c.device_label, c, some);
  l.add("three layers, l1 small", chain(55), device(55, true, l1_of(1000)),
        {{"tile", {"all", "2"}}, {"buffering", {"double"}}, {"weights", {"streamed"}}});
  l.add("autoencoder on a CPU", shipped("autoencoder", "cortex-m7-class", {})[0],
        {{"weights", {"streamed"}}, {"operands", {"automatic"}}});
  l.add("ds-cnn on a CPU", shipped("ds-cnn", "cortex-m7-class", {})[0],
        {{"weights", {"streamed"}}, {"operands", {"automatic"}}, {"output", {"sram"}}});
  return std::move(l.spaces);
}

std::vector<SmallSpace> loose_spaces() {
  List l;
  const auto constants_count = [](hw::Device& d) { d.memories[2].on_chip = true; };
  l.add("constants on the chip", chain(2), device(2, false, constants_count),
        {{"tile", {"all"}}, {"filters", {"all", "2"}}, {"weights", {"streamed"}}, {"layout", {"hwc"}}, kAlike});
  l.add("constants beside the tensors", chain(46), device(46, false, [](hw::Device& d) { d.constants = 1; }),
        {{"tile", {"all", "2"}}, {"filters", {"all"}}});
  // Channels and reads drawn until no layout of the tensors is as low as the highest sum of live bytes.
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> staggered = {
      {{16, 6, 11, 15, 6, 9, 13, 12}, {0, 1, 2, 1, 3, 5, 6}},
      {{11, 12, 9, 9, 4, 14, 3, 11}, {0, 1, 1, 2, 3, 4, 6}},
      {{10, 10, 6, 7, 8, 9, 5, 8}, {0, 1, 1, 2, 4, 3, 5}},
      {{12, 15, 12, 7, 17, 7, 13, 6, 14}, {0, 0, 1, 2, 3, 4, 5, 6}},
  };
  constexpr std::uint64_t cpu = 1;  // what this seed draws
  int number = 0;
  for (const auto& [channels, reads] : staggered) {
    const auto name = "staggered " + std::to_string(number++);
    const auto n = staggered_network(channels, reads);
    // A CPU reads everything where it lies.
    l.add(name + " on a CPU", n, device(cpu, false), {{"operands", {"automatic"}}, {"weights", {"streamed"}}});
    l.add(name + " on a CPU, filters kept or not", n, device(cpu, false),
          {{"operands", {"automatic"}}, {"output", {"l2"}}});
    l.add(name + " beside constants", n, device(cpu, false, [](hw::Device& d) { d.constants = 1; }),
          {{"operands", {"automatic"}}, {"weights", {"streamed"}}});
  }
  // Where a point of the front is one that a sum of bytes does not tell: another schedule, or other homes, with the
  // same or a higher load but buffers that fit between the tensors.
  const auto hidden = [&](std::vector<int> channels, std::vector<int> reads, std::int64_t side, std::uint64_t drawn,
                          Choices choices) {
    l.add("hidden " + std::to_string(number++), staggered_network(channels, reads, side), device(drawn, false),
          std::move(choices));
  };
  const std::vector<int> reads = {0, 1, 1, 2, 4, 3, 5};
  hidden({6, 7, 9, 2, 6, 5, 2, 8, 5}, {0, 0, 2, 1, 1, 5, 3, 7}, 16, 0,
         {{"filters", {"all"}},
          {"layout", {"hwc"}},
          {"operands", {"automatic"}},
          {"output", {"l2"}},
          {"scheme", {"interleaved"}},
          {"tile", {"all"}}});
  hidden({14, 19, 3, 9, 12, 12, 6, 16}, reads, 12, 0,
         {{"order", {"filters-outer"}},
          {"scheme", {"interleaved"}},
          {"staging", {"whole"}},
          {"tile", {"all"}},
          {"weights", {"streamed"}}});
  hidden({15, 16, 3, 9, 11, 11, 6, 14}, reads, 16, 2,
         {{"filters", {"all"}},
          {"operands", {"automatic"}},
          {"order", {"filters-outer"}},
          {"scheme", {"interleaved"}},
          {"tile", {"all"}},
          {"weights", {"streamed"}}});
  hidden({14, 15, 3, 9, 11, 10, 5, 15}, reads, 16, 3,
         {{"buffering", {"double"}},
          {"filters", {"all", "8"}},
          {"layout", {"hwc"}},
          {"operands", {"automatic"}},
          {"output", {"l2"}},
          {"scheme", {"interleaved"}},
          {"tile", {"all"}}});
  hidden({12, 17, 3, 10, 10, 9, 6, 13}, reads, 16, 0,
         {{"buffering", {"single"}},
          {"filters", {"all", "8"}},
          {"layout", {"hwc"}},
          {"order", {"filters-outer"}},
          {"output", {"l1"}},
          {"scheme", {"interleaved"}},
          {"tile", {"all", "1", "2"}},
          {"weights", {"streamed"}}});
  hidden({14, 17, 5, 9, 9, 10, 6, 15}, reads, 16, 3,
         {{"buffering", {"double"}},
          {"filters", {"all"}},
          {"order", {"filters-outer"}},
          {"scheme", {"interleaved"}},
          {"staging", {"whole"}},
          {"tile", {"all"}},
          {"weights", {"streamed"}}});
  return std::move(l.spaces);
}

std::vector<SmallSpace> large_spaces() {
  List l(false);
  l.add("three layers, channels last", chain(17), device(17, true),
        {{"layout", {"hwc"}},
         {"buffering", {"double"}},
         {"tile", {"all", "1", "2", "3", "4", "6"}},
         {"filters", {"all", "4", "8"}}});
  const Choices streamed = {{"tile", {"all", "1"}},
                            {"filters", {"all"}},
                            {"scheme", {"interleaved"}},
                            {"weights", {"streamed"}},
                            {"layout", {"hwc"}}};
  auto near_only = streamed;
  near_only["buffering"] = {"double"}, near_only["output"] = {"l2"};
  test::Random many(1), few(9);
  l.add("many orders", test::random_branches(many), device(1, false), near_only);
  l.add("orders, homes and buffers", test::random_branches(few), device(9, false), streamed);
  return std::move(l.spaces);
}

}  // namespace dse::explore::test_support
