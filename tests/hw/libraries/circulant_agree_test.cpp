// One answer to what a circulant layer takes: what is said of a float layer, of its integers, and what plans are timed
// by are the same, over drawn layers, types and the libraries of all shipped devices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "models/hw/device_reader.h"
#include "models/hw/libraries/circulant_cycles.h"
#include "models/hw/libraries/libraries.h"
#include "models/hw/libraries/rate_table.h"
#include "models/hw/libraries/shape_table.h"
#include "models/hw/library.h"
#include "models/nn/circulant/layer.h"
#include "models/nn/import.h"
#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/quantizer/quantizer.h"
#include "program/work.h"

namespace dse::hw::circulant_agree_test {
namespace {

namespace q = nn::quantizer;
using Random = std::mt19937_64;

int pick(Random& random, int lo, int hi) {
  return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
}

std::string layers_of(Random& random) {
  const int units = pick(random, 8, 80);
  return fmt::format(
      "format: 1\nname: drawn\nseed: {}\ninput: {{shape: [1, {}, {}, {}]}}\nlayers:\n"
      "  - conv: {{name: c, filters: {}, kernel: [{}, {}], stride: {}, dilation: {}, padding: {}, block: {}}}\n"
      "  - fully_connected: {{name: f, units: {}, block: {}, bias: {}}}\n",
      pick(random, 1, 1000), pick(random, 5, 9), pick(random, 5, 9), pick(random, 1, 40), pick(random, 16, 40),
      pick(random, 1, 3), pick(random, 1, 3), pick(random, 1, 2), pick(random, 1, 2),
      pick(random, 0, 1) ? "same" : "valid", 1 << pick(random, 1, 4), units, 1 << pick(random, 1, 3),
      pick(random, 0, 1) ? "true" : "false");
}

/// `bits` 0: int8 as TensorFlow Lite has it; else a Q format.
nn::NetworkPtr integers(const nn::Network& real, bool spectral, int bits, bool fractional) {
  Diagnostics d;
  q::QuantizeOptions options;
  options.scheme = bits == 0 ? q::Scheme::tflite_int8 : q::Scheme::q_format;
  options.bits = bits == 0 ? 8 : bits, options.spectral = spectral, options.fully_fractional = fractional;
  const auto prepared = q::prepare(real, options, "drawn.yaml", d);
  if (!prepared) return nullptr;
  const auto observed = q::observe(*prepared, q::synthetic_samples(*prepared, 1, 1));
  return q::quantize(*prepared, observed, options, std::vector<int>(prepared->operators.size(), options.bits),
                     "drawn.yaml", d)
      .network;
}

struct Priced {
  DevicePtr device;
  const Engine* engine;
};

/// An engine of each library that computes any layer.
std::vector<Priced> engines() {
  std::vector<Priced> out;
  std::set<std::string> seen;
  for (const auto& name : library_devices()) {
    Diagnostics d;
    const auto file = find_device(name, d);
    const auto device = file ? read_device(*file, {}, d) : nullptr;
    EXPECT_TRUE(device) << d.text();
    if (!device) continue;
    for (const auto& e : device->engines) {
      if (!e.computes() || e.partial() || !e.accelerator.empty()) continue;
      if (seen.insert(fmt::format("{} {}", device->kernel_library, e.is_array())).second) out.push_back({device, &e});
    }
  }
  return out;
}

std::int64_t timed(const Priced& p, const dse_op& op) {
  const auto work = program::whole_call(op);
  if (!why_not_timed(*p.engine, work).empty()) return -1;
  const auto& library = p.engine->library.empty() ? p.device->kernel_library : p.engine->library;
  return library_timing(library, *p.engine)->cycles(work);
}

TEST(CirculantAgrees, AFloatLayerItsIntegersAndWhatPlansAreTimedBy) {
  const auto priced = engines();
  ASSERT_GE(priced.size(), 5u);
  int compared = 0, q_formats = 0, corrected = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const auto text = layers_of(random);
    SCOPED_TRACE(text);
    Diagnostics d;
    const auto real = nn::import_yaml(text, "drawn.yaml", d, nn::LoadOptions::floating());
    ASSERT_TRUE(real) << d.text();
    for (const bool spectral : {false, true})
      for (const int bits : {0, 8, 16}) {
        const auto made = integers(*real, spectral, bits, seed % 2 == 0);
        ASSERT_TRUE(made);
        for (const auto& op : made->operators) {
          if (op.kernel.kind != DSE_CIRCULANT) continue;
          const auto at = std::find_if(real->operators.begin(), real->operators.end(),
                                       [&](const auto& o) { return o.name == op.name; });
          ASSERT_NE(at, real->operators.end());
          const dse_op form = nn::circulant::int8_form(*real, *at);
          const int block = op.kernel.arg[DSE_ARG_BLOCK];
          for (const auto& p : priced) {
            SCOPED_TRACE(fmt::format("{} on {}/{} {} {}", op.name, p.device->name, p.engine->name, spectral, bits));
            const auto told = circulant_cycles(*p.device, *p.engine, op.kernel, block);
            const auto of_float = circulant_cycles(*p.device, *p.engine, form, block);
            const auto taken = timed(p, op.kernel);
            EXPECT_EQ(spectral ? told.frequency : told.time, taken);
            if (bits == 0) {
              EXPECT_EQ(spectral ? of_float.frequency : of_float.time, taken);
            }
            // A Q format stores the same outputs of the same transforms, and does more to them.
            if (bits > 0 && spectral && taken >= 0) {
              EXPECT_GE(taken, of_float.frequency);
            }
            ++compared, q_formats += bits > 0;
          }
          corrected += program::arithmetic_of(program::whole_call(op.kernel)).corrections > 0;
        }
      }
  }
  EXPECT_GT(compared, 400);
  EXPECT_GT(q_formats, 200);
  EXPECT_GT(corrected, 5);
}

/// Whatever a call does besides, it takes no less time.
TEST(RateTableSums, MoreOfAnythingNeverTakesLess) {
  using program::Arithmetic;
  std::int64_t Arithmetic::*const counts[] = {&Arithmetic::macs,       &Arithmetic::elements,
                                              &Arithmetic::shifts,     &Arithmetic::corrections,
                                              &Arithmetic::transforms, &Arithmetic::spectrum_macs};
  int raised = 0;
  for (const auto& p : engines()) {
    const RateTable rates(*p.engine);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Random random(seed);
      Arithmetic a;
      a.wide = pick(random, 0, 1) != 0, a.transform = 1 << pick(random, 1, 10);
      for (const auto count : counts)
        if (pick(random, 0, 1)) a.*count = pick(random, 1, 100000);
      const auto cycles = [&](const Arithmetic& of) -> std::int64_t {
        try {
          return rates.cycles(DSE_CIRCULANT, of);
        } catch (const InvariantError&) {
          return -1;  // no rate for it
        }
      };
      const auto before = cycles(a);
      for (const auto count : counts) {
        Arithmetic more = a;
        more.*count += pick(random, 1, 100000);
        const auto after = cycles(more);
        if (before < 0 || after < 0) continue;
        EXPECT_GE(after, before) << p.device->name << " seed " << seed;
        raised += after > before;
      }
    }
  }
  EXPECT_GT(raised, 1000);
}

}  // namespace
}  // namespace dse::hw::circulant_agree_test
