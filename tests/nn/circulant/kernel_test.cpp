// The integer kernels of circulant layers: bit for bit those of the expanded matrix in the time domain, near the exact
// sums in the frequency domain; the transform itself against binary64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "models/nn/circulant/blocks.h"
#include "models/nn/circulant/layer.h"
#include "models/nn/graph/finish.h"
#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/network.h"
#include "tests/nn/golden/golden.h"

extern "C" {
int32_t dse_rfft(int16_t* x, int32_t n);
int32_t dse_irfft(int16_t* x, int32_t n);
int32_t dse_normalize16(int16_t* x, int32_t n);
}

namespace dse::nn::circulant_kernel_test {
namespace {

using circulant::Blocks;

double decibels(double signal, double noise) { return noise > 0 ? 10 * std::log10(signal / noise) : 200; }

TEST(RealFft16, IsNearTheTrueTransformAndComesBack) {
  std::mt19937_64 random(1);
  for (int n = 2; n <= DSE_LARGEST_TRANSFORM; n *= 2) {
    double signal = 0, noise = 0, back_signal = 0, back_noise = 0;
    circulant::RealFft<double> fft(n);
    for (int round = 0; round < 20; ++round) {
      // Whole range, small values, one spike, constants: all sizes of values must keep their digits.
      const int reach = round % 4 == 0 ? 32767 : round % 4 == 1 ? 90 : 4000;
      std::vector<std::int16_t> x(static_cast<std::size_t>(n));
      for (auto& v : x) v = static_cast<std::int16_t>(static_cast<int>(random() % (2 * reach + 1)) - reach);
      if (round == 2) std::fill(x.begin(), x.end(), std::int16_t{32767});
      if (round == 3) std::fill(x.begin(), x.end(), std::int16_t{-32768});
      const std::vector<double> exact(x.begin(), x.end());
      std::vector<std::complex<double>> half(static_cast<std::size_t>(fft.half()));
      std::vector<double> packed(exact.size());
      fft.forward(exact.data(), half.data());
      circulant::pack(half.data(), n, packed.data());
      int exponent = dse_normalize16(x.data(), n);
      exponent += dse_rfft(x.data(), n);
      for (std::size_t k = 0; k < packed.size(); ++k) {
        const double d = std::ldexp(x[k], exponent) - packed[k];
        signal += packed[k] * packed[k], noise += d * d;
      }
      exponent += dse_irfft(x.data(), n);
      for (std::size_t k = 0; k < exact.size(); ++k) {
        const double d = std::ldexp(x[k], exponent) - exact[k];
        back_signal += exact[k] * exact[k], back_noise += d * d;
      }
    }
    EXPECT_GT(decibels(signal, noise), 63) << n;
    EXPECT_GT(decibels(back_signal, back_noise), 60) << n;
  }
}

struct Shape {
  int in, out, block, kernel, stride, dilation, side;
  bool same;
};

Shape drawn(std::mt19937_64& random, bool spectral) {
  const auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  Shape s{};
  s.block = spectral ? 2 << pick(0, 5) : pick(1, 40);
  s.in = pick(std::max(1, s.block / 2), 3 * s.block), s.out = pick(std::max(1, s.block / 2), 3 * s.block);
  s.kernel = pick(1, 3), s.stride = pick(1, 3), s.dilation = pick(1, 2), s.same = random() % 2 == 0;
  s.side = (s.kernel - 1) * s.dilation + 1 + pick(0, 4);
  return s;
}

/// One convolution of int8 or int16 activations; weights are the elements, or the spectrum's values, as integers.
NetworkPtr network_of(const Shape& s, DataType type, bool spectral, bool circulant, const std::vector<std::int16_t>& w,
                      double weight_scale, Diagnostics& d) {
  Network n;
  n.name = "one";
  const Blocks b{s.out, s.in, s.block, s.kernel * s.kernel};
  const auto tensor = [&](const char* name, std::vector<std::int64_t> shape, DataType t, TensorKind kind,
                          double scale) {
    Tensor out;
    out.name = name, out.shape = std::move(shape), out.type = t, out.kind = kind;
    out.quantization = {{static_cast<float>(scale)}, {0}, 0, {}};
    n.tensors.push_back(std::move(out));
    return static_cast<int>(n.tensors.size()) - 1;
  };
  Operator op;
  op.kind = circulant ? OperatorKind::circulant_conv_2d : OperatorKind::conv_2d;
  op.name = "conv";
  op.options.stride_h = op.options.stride_w = s.stride;
  op.options.dilation_h = op.options.dilation_w = s.dilation;
  op.options.same_padding = s.same;
  if (circulant) op.options.block = s.block, op.options.spectral = spectral;
  const std::int64_t reach = (s.kernel - 1) * s.dilation + 1;
  const std::int64_t out = s.same ? (s.side + s.stride - 1) / s.stride : (s.side - reach) / s.stride + 1;
  const int x = tensor("x", {1, s.side, s.side, s.in}, type, TensorKind::input, 0.02);
  const auto shape = circulant ? circulant::weights_shape(b, s.kernel, s.kernel, true)
                               : std::vector<std::int64_t>{s.out, s.kernel, s.kernel, s.in};
  const bool wide = spectral;
  const int weights = tensor("w", shape, wide ? DataType::int16 : DataType::int8, TensorKind::constant, weight_scale);
  Tensor& t = n.tensors[static_cast<std::size_t>(weights)];
  for (const std::int16_t v : w) {
    t.data.push_back(static_cast<std::uint8_t>(v));
    if (wide) t.data.push_back(static_cast<std::uint8_t>(v >> 8));
  }
  const double out_scale = 0.02 * (type == DataType::int16 ? 1 : 2);
  const int y = tensor("y", {1, out, out, s.out}, type, TensorKind::activation, out_scale);
  if (type == DataType::int8)
    n.tensors[0].quantization.zero_point = {-7}, n.tensors[static_cast<std::size_t>(y)].quantization.zero_point = {5};
  op.inputs = {x, weights, -1}, op.outputs = {y};
  n.inputs = {x}, n.outputs = {y};
  n.operators = {op};
  return finish_network(std::move(n), d, "made");
}

TEST(CirculantKernel, InTimeIsTheExpandedMatrixBitForBit) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Shape s = drawn(random, false);
    const Blocks b{s.out, s.in, s.block, s.kernel * s.kernel};
    std::vector<std::int16_t> w(static_cast<std::size_t>(b.parameters()));
    for (auto& v : w) v = static_cast<std::int16_t>(static_cast<int>(random() % 255) - 127);
    std::vector<double> exact(w.begin(), w.end());
    const auto matrix = circulant::expanded<double>(b, exact);
    const std::vector<std::int16_t> dense(matrix.begin(), matrix.end());
    Diagnostics d;
    const auto ours = network_of(s, DataType::int8, false, true, w, 0.001, d);
    const auto theirs = network_of(s, DataType::int8, false, false, dense, 0.001, d);
    ASSERT_TRUE(ours && theirs) << d.text();
    EXPECT_EQ(ours->macs(), theirs->macs());
    const auto input = seeded_inputs(*ours, static_cast<std::uint64_t>(round));
    const auto a = interpret(*ours, input), e = interpret(*theirs, input);
    ASSERT_EQ(a[static_cast<std::size_t>(ours->outputs[0])], e[static_cast<std::size_t>(theirs->outputs[0])])
        << round << ": " << s.in << " -> " << s.out << " blocks of " << s.block;
  }
}

/// What the kernel makes of a layer of random weights and inputs, against binary64 sums of the integers it is given.
struct Error {
  double signal = 0, noise = 0, worst = 0;
};

Error error_in_frequency(const Shape& s, DataType type, std::mt19937_64& random, std::uint64_t seed) {
  const Blocks b{s.out, s.in, s.block, s.kernel * s.kernel};
  std::vector<double> real(static_cast<std::size_t>(b.parameters()));
  for (auto& v : real) v = static_cast<double>(static_cast<int>(random() % 2001) - 1000) / 1000;
  const auto spectra = circulant::to_frequency<double>(b, real);
  double most = 1e-9;
  for (const double v : spectra) most = std::max(most, std::abs(v));
  std::vector<std::int16_t> w;
  for (const double v : spectra) w.push_back(static_cast<std::int16_t>(std::lround(v / most * 32767)));
  // Outputs as large as their type has room for: weights are scaled so.
  const double reach = std::sqrt(static_cast<double>(b.taps * s.in)) * 0.6 * (type == DataType::int8 ? 75 : 19000);
  const double weight_scale = most / 32767 * (type == DataType::int8 ? 50 : 12000) / reach;
  Error e;
  Diagnostics d;
  const auto n = network_of(s, type, true, true, w, weight_scale, d);
  EXPECT_TRUE(n) << d.text();
  if (!n) return e;
  const auto input = seeded_inputs(*n, seed);
  const auto made = interpret(*n, input);
  const auto &x = n->tensors[0], &y = n->tensors[static_cast<std::size_t>(n->outputs[0])];
  const auto value = [](const std::vector<std::uint8_t>& bytes, std::size_t i, DataType t) {
    if (t == DataType::int8) return static_cast<double>(static_cast<std::int8_t>(bytes[i]));
    std::int16_t v = 0;
    std::memcpy(&v, &bytes[2 * i], 2);
    return static_cast<double>(v);
  };
  const std::vector<double> integers(w.begin(), w.end());
  const auto matrix = circulant::expanded<double>(b, circulant::to_time<double>(b, integers));
  const auto& k = n->operators[0].kernel;
  for (std::int64_t oy = 0; oy < k.out_h; ++oy)
    for (std::int64_t ox = 0; ox < k.out_w; ++ox)
      for (std::int64_t o = 0; o < s.out; ++o) {
        double sum = 0;
        for (std::int64_t tap = 0; tap < b.taps; ++tap) {
          const std::int64_t iy = oy * s.stride - k.pad_top + tap / s.kernel * s.dilation;
          const std::int64_t ix = ox * s.stride - k.pad_left + tap % s.kernel * s.dilation;
          if (iy < 0 || ix < 0 || iy >= s.side || ix >= s.side) continue;
          for (std::int64_t c = 0; c < s.in; ++c)
            sum += matrix[static_cast<std::size_t>((o * b.taps + tap) * s.in + c)] *
                   (value(input[0], static_cast<std::size_t>((iy * s.side + ix) * s.in + c), type) - k.in_zero);
        }
        const double exact = sum * static_cast<double>(x.quantization.scale[0]) * weight_scale /
                             static_cast<double>(y.quantization.scale[0]);
        const double got = value(made[static_cast<std::size_t>(n->outputs[0])],
                                 static_cast<std::size_t>((oy * k.out_w + ox) * s.out + o), type) -
                           k.out_zero;
        if (std::abs(exact) > (type == DataType::int8 ? 117 : 32757)) continue;  // clipped
        e.signal += exact * exact, e.noise += (got - exact) * (got - exact);
        e.worst = std::max(e.worst, std::abs(got - exact));
      }
  return e;
}

TEST(CirculantKernel, InFrequencyIsNearTheExactSums) {
  std::mt19937_64 random(9);
  for (const DataType type : {DataType::int8, DataType::int16})
    for (int round = 0; round < 60; ++round) {
      const Shape s = drawn(random, true);
      const Error e = error_in_frequency(s, type, random, static_cast<std::uint64_t>(round));
      if (type == DataType::int8)
        EXPECT_LT(e.worst, 0.75) << round << " block " << s.block;  // half a step, and the transform's error
      else
        EXPECT_GT(decibels(e.signal, e.noise), 61) << round << " block " << s.block;
    }
}

/// One block against the golden errors of 16-bit block floating point, whose outputs are not rounded to 16 bits again.
TEST(CirculantKernelGolden, ABlockIsAsExactAsTheGoldenTransformOfItsSize) {
  const auto file = test::shared() / "golden/circulant/fixed_fft_error.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no golden values";
  const auto golden = test::read_json(file);
  std::mt19937_64 random(12);
  int sizes = 0;
  for (const auto& row : golden) {
    if (row.at("mode") != "bfp") continue;
    const int n = row.at("n");
    Error all;
    for (std::uint64_t round = 0; round < 8; ++round) {
      const Error e = error_in_frequency({n, n, n, 1, 1, 1, 1, true}, DataType::int16, random, round);
      all.signal += e.signal, all.noise += e.noise;
    }
    EXPECT_GT(decibels(all.signal, all.noise), row.at("matvec_snr_db").get<double>() - 3) << n;
    RecordProperty("dB_" + std::to_string(n), std::to_string(decibels(all.signal, all.noise)));
    ++sizes;
  }
  EXPECT_EQ(sizes, 8);
}

TEST(CirculantKernel, EveryPartOfTheOutputIsTheSame) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const bool spectral = round % 2 == 0;
    const Shape s = drawn(random, spectral);
    const Blocks b{s.out, s.in, s.block, s.kernel * s.kernel};
    std::vector<std::int16_t> w(static_cast<std::size_t>(b.parameters()));
    for (auto& v : w) v = static_cast<std::int16_t>(static_cast<int>(random() % 255) - 127);
    Diagnostics d;
    const auto n = network_of(s, DataType::int8, spectral, true, w, spectral ? 0.01 : 0.001, d);
    ASSERT_TRUE(n) << d.text();
    const auto input = seeded_inputs(*n, 3);
    const auto whole = interpret(*n, input)[static_cast<std::size_t>(n->outputs[0])];
    const auto& c = n->operators[0].calls[0];
    std::vector<std::uint8_t> parts(whole.size(), 0x55);
    const auto cut = [&](int n_) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(n_ + 1)); };
    const std::int32_t y = cut(c.op.out_h), x = cut(c.op.out_w), k = cut(c.op.out_c);
    for (int part = 0; part < 8; ++part) {
      dse_call call{};
      call.op = &c.op;
      call.tile = c.tile;
      (part & 1 ? call.tile.y.lo : call.tile.y.hi) = y;
      (part & 2 ? call.tile.x.lo : call.tile.x.hi) = x;
      (part & 4 ? call.tile.c.lo : call.tile.c.hi) = k;
      std::vector<std::uint8_t> scratch(static_cast<std::size_t>(dse_scratch_bytes(&c.op, &call.tile)) + 16);
      for (int role = 0; role < DSE_ROLES; ++role) call.view[role] = c.operands[static_cast<std::size_t>(role)].view;
      call.view[DSE_IN0].base = const_cast<std::uint8_t*>(input[0].data());
      call.view[DSE_OUT].base = parts.data();
      call.view[DSE_WEIGHTS].base = const_cast<std::uint8_t*>(n->operators[0].weights.data());
      call.view[DSE_QPARAMS].base =
          reinterpret_cast<std::uint8_t*>(const_cast<std::int32_t*>(n->operators[0].channel_params.data()));
      call.view[DSE_SCRATCH].base = scratch.data();
      ASSERT_EQ(dse_run_call(&call), 0);
      for (int i = 0; i < 16; ++i) ASSERT_EQ(scratch[scratch.size() - 1 - static_cast<std::size_t>(i)], 0) << "beyond";
    }
    ASSERT_EQ(parts, whole) << round;
  }
}

TEST(CirculantLayer, SaysWhatIsWrongWithBlocks) {
  Shape s{8, 8, 6, 1, 1, 1, 3, true};
  Diagnostics d;
  std::vector<std::int16_t> w(static_cast<std::size_t>(Blocks{8, 8, 6, 1}.parameters()), 1);
  EXPECT_FALSE(network_of(s, DataType::int8, true, true, w, 0.01, d));
  EXPECT_NE(d.text().find("integers have Fourier transforms of powers of two from 2 to 1024, not of 6"),
            std::string::npos)
      << d.text();
  Diagnostics zero;
  s.block = 0;
  EXPECT_NE(circulant::why_no_block(0, false).find("not within 1 to"), std::string::npos);
  EXPECT_NE(circulant::why_no_block(40000, false).find("40000"), std::string::npos);
  EXPECT_EQ(circulant::why_no_block(7, false), "");
}

}  // namespace
}  // namespace dse::nn::circulant_kernel_test
