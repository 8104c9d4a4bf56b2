// Training: gradients against finite differences, determinism, checkpoints, data that are wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/system/scratch_folder.h"
#include "models/nn/circulant/layer.h"
#include "models/nn/import.h"
#include "models/nn/made/splitmix.h"
#include "models/nn/train/trainer.h"
#include "models/nn/yaml/training.h"

namespace dse::nn::train_test {
namespace {

using train::Way;

NetworkPtr network_of(const std::string& text, Diagnostics& d) {
  return import_yaml(text, "made.yaml", d, LoadOptions::floating());
}

std::string head(const std::string& shape) { return "format: 1\nname: made\ninput: {shape: " + shape + "}\nlayers:\n"; }

const char* const kChains[] = {
    // Blocks that divide, that do not, odd ones, and dense layers; convolutions with strides, padding and pools.
    "  - fully_connected: {units: 8, block: 4, activation: relu}\n  - fully_connected: {units: 3}\n  - softmax\n",
    "  - fully_connected: {units: 7, block: 5}\n  - fully_connected: {units: 6, block: 6, activation: relu6}\n"
    "  - fully_connected: {units: 4, block: 2}\n",
    "  - reshape: {shape: [1, 4, 4, 1]}\n  - conv: {filters: 4, kernel: 3, activation: relu}\n"
    "  - conv: {filters: 6, kernel: 3, block: 2, padding: valid}\n  - average_pool: {kernel: 2}\n"
    "  - fully_connected: {units: 3, bias: false}\n  - softmax\n",
    "  - reshape: {shape: [1, 4, 2, 2]}\n  - conv: {filters: 5, kernel: [3, 1], block: 3, stride: 2, dilation: [1, "
    "1]}\n"
    "  - max_pool: {kernel: 1}\n  - dropout: {rate: 0.25}\n  - fully_connected: {units: 4, block: 3}\n"};

TEST(Training, GradientsAreThoseOfFiniteDifferences) {
  for (const char* chain : kChains) {
    Diagnostics d;
    const auto n = network_of(head("[1, 16]") + chain, d);
    ASSERT_TRUE(n) << d.text();
    for (const Way way : {Way::fourier, Way::matrix}) {
      train::Model<double> model(*n, "", d, way);
      ASSERT_TRUE(model.ok()) << d.text();
      SplitMix64 random(5);
      const auto real = [&] { return 2 * static_cast<double>(random.draw() >> 11) * 0x1p-53 - 1; };
      std::vector<double> x(3 * 16);
      for (auto& v : x) v = real();
      for (auto* p : model.parameters())
        for (auto& v : p->value) v += 0.1 * real();
      const std::vector<std::uint8_t> labels{0, 2, 1};
      const train::Pass pass{true, 3};
      model.loss(x, labels, pass);
      model.gradients(x, labels);
      std::vector<std::vector<double>> gradients;
      for (const auto* p : model.parameters()) gradients.push_back(p->gradient);
      std::size_t k = 0;
      for (auto* p : model.parameters()) {
        for (std::size_t i = 0; i < p->value.size(); ++i) {
          const double was = p->value[i], h = 1e-5;
          p->value[i] = was + h;
          const double above = model.loss(x, labels, pass);
          p->value[i] = was - h;
          const double below = model.loss(x, labels, pass);
          p->value[i] = was;
          const double numeric = (above - below) / (2 * h);
          ASSERT_NEAR(gradients[k][i], numeric, 1e-6 * std::max(1.0, std::abs(numeric)))
              << chain << " " << k << " " << i;
        }
        ++k;
      }
    }
  }
}

/// Algorithm 2 as it is printed leaves out the conjugate of FFT(x): that gradient must not pass the same check.
TEST(Training, ThePrintedGradientIsRefused) {
  const circulant::Blocks s{4, 4, 4, 1};
  const std::vector<double> w{0.5, -1, 0.25, 2}, x{1, 2, -0.5, 3}, g{1, -1, 0.5, 0.25};
  circulant::RealFft<double> fft(4);
  std::vector<std::complex<double>> fx(3), fg(3), product(3);
  fft.forward(x.data(), fx.data()), fft.forward(g.data(), fg.data());
  std::vector<double> printed(4), ours(4);
  for (std::size_t k = 0; k < 3; ++k) product[k] = fg[k] * fx[k];
  fft.backward(product.data(), printed.data());
  circulant::Product<double> p(s);
  p.set_weights(w);
  std::vector<double> y(4);
  p.forward(x.data(), 1, y.data());
  p.backward(g.data(), 1, ours.data(), nullptr);
  double wrong = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    auto moved = w;
    moved[i] += 1;  // the product is linear in w
    p.set_weights(moved);
    std::vector<double> z(4);
    p.forward(x.data(), 1, z.data());
    double exact = 0;
    for (std::size_t r = 0; r < 4; ++r) exact += g[r] * (z[r] - y[r]);
    EXPECT_NEAR(ours[i], exact, 1e-12);
    wrong = std::max(wrong, std::abs(printed[i] - exact));
  }
  EXPECT_GT(wrong, 0.1);
}

struct Setting {
  NetworkPtr network;
  data::DataSet data;
  train::Options options;
};

Setting small_setting() {
  Diagnostics d;
  Setting s;
  s.network = network_of(head("[1, 256]") +
                             "  - fully_connected: {units: 64, block: 64, activation: relu}\n"
                             "  - dropout: {rate: 0.1}\n  - fully_connected: {units: 10}\n  - softmax\n",
                         d);
  s.data = data::made_set(16, 16, 1, 800, 200, 3);
  s.options.epochs = 5, s.options.batch = 32, s.options.learning_rate = 0.01, s.options.shift = 1;
  return s;
}

std::vector<float> values(train::Trainer& t) {
  std::vector<float> out;
  const auto n = t.trained(false);
  for (const auto& tensor : n.tensors)
    if (tensor.kind == TensorKind::constant) {
      const auto at = out.size();
      out.resize(at + tensor.data.size() / 4);
      std::memcpy(&out[at], tensor.data.data(), tensor.data.size());
    }
  return out;
}

const std::atomic<bool> never = false;

TEST(Training, LearnsAndIsTheSameAgain) {
  const Setting s = small_setting();
  Diagnostics d;
  train::Trainer a(*s.network, s.data, s.options, "", d), b(*s.network, s.data, s.options, "", d);
  ASSERT_TRUE(a.ok() && b.ok()) << d.text();
  EXPECT_EQ(a.run(never, {}, {}), train::End::done);
  EXPECT_EQ(b.run(never, {}, {}), train::End::done);
  EXPECT_LT(a.history().back().loss, 0.7 * a.history().front().loss);
  EXPECT_GT(a.history().back().test_accuracy, 0.5);
  EXPECT_EQ(values(a), values(b));
  train::Options other = s.options;
  other.seed = 2;
  train::Trainer c(*s.network, s.data, other, "", d);
  c.run(never, {}, {});
  EXPECT_NE(values(a), values(c));
  // What is written computes what was trained, in either domain.
  LoadOptions load;
  load.allow_float = true;
  const data::InputMaker maker(s.data.test, {1, 256}, {}, "", d);
  for (const bool spectra : {false, true}) {
    Network written = a.trained(spectra);
    const auto n = finish_network(std::move(written), d, "", load);
    ASSERT_TRUE(n) << d.text();
    EXPECT_NEAR(train::accuracy(*n, s.data.test, maker), a.history().back().test_accuracy, 0.011) << spectra;
  }
}

TEST(Training, AnInterruptedOneGoesOnToTheSameWeights) {
  const Setting s = small_setting();
  Diagnostics d;
  train::Trainer whole(*s.network, s.data, s.options, "", d);
  whole.run(never, {}, {});
  std::atomic<bool> stop = false;
  train::Trainer first(*s.network, s.data, s.options, "", d);
  const auto end = first.run(stop, [&](const train::Progress& p) { stop = p.epoch == 2 && p.batch == 3; }, {});
  EXPECT_EQ(end, train::End::interrupted);
  ASSERT_EQ(first.history().size(), 2u);
  const auto kept = first.checkpoint();
  train::Trainer second(*s.network, s.data, s.options, "", d);
  ASSERT_EQ(second.resume(kept), "");
  EXPECT_EQ(second.run(never, {}, {}), train::End::done);
  EXPECT_EQ(values(second), values(whole));
  // Checkpoints that are damaged or another's are refused, and change nothing.
  train::Trainer third(*s.network, s.data, s.options, "", d);
  const auto before = values(third);
  for (std::size_t cut : {std::size_t{0}, std::size_t{7}, std::size_t{30}, kept.size() - 1})
    EXPECT_NE(third.resume({kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(cut)}), "") << cut;
  for (std::size_t at = 0; at < kept.size(); at += 97) {
    auto damaged = kept;
    damaged[at] ^= 0x10;
    EXPECT_NE(third.resume(damaged), "") << at;
  }
  train::Options other = s.options;
  other.learning_rate = 0.02;
  train::Trainer fourth(*s.network, s.data, other, "", d);
  EXPECT_EQ(fourth.resume(kept), "is of another network, other data or other options");
  EXPECT_EQ(values(third), before);
}

TEST(Training, ALearningRateThatDivergesLosesNothing) {
  Setting s = small_setting();
  s.options.optimiser = train::Optimiser::sgd, s.options.learning_rate = 1e6,
  s.options.schedule = train::Schedule::constant;
  Diagnostics d;
  train::Trainer t(*s.network, s.data, s.options, "", d);
  const auto before = values(t);
  EXPECT_EQ(t.run(never, {}, {}), train::End::diverged);
  for (const float v : values(t)) ASSERT_TRUE(std::isfinite(v));
  EXPECT_EQ(values(t), before);
}

TEST(TrainingArch3, GradientsAreThoseOfFiniteDifferences) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/configs/networks/circulant-arch3.yaml");
  Diagnostics d;
  const auto n = network_of({std::istreambuf_iterator<char>(in), {}}, d);
  ASSERT_TRUE(n) << d.text();
  train::Model<double> model(*n, "", d);
  ASSERT_TRUE(model.ok()) << d.text();
  // Away from the corners of rectifiers: an image without black, biases that are not 0.
  SplitMix64 random(1);
  const auto real = [&] { return 2 * static_cast<double>(random.draw() >> 11) * 0x1p-53 - 1; };
  std::vector<double> x(32 * 32 * 3);
  for (auto& v : x) v = real();
  for (auto* p : model.parameters())
    if (!p->decays)
      for (auto& v : p->value) v = 0.1 * real();
  const std::vector<std::uint8_t> label{3};
  model.loss(x, label, {});
  model.gradients(x, label);
  for (auto* p : model.parameters()) {
    // The largest of a few, since most are next to nothing.
    std::size_t i = 0;
    for (int tries = 0; tries < 40; ++tries)
      if (const auto k = random.draw() % p->value.size(); std::abs(p->gradient[k]) > std::abs(p->gradient[i])) i = k;
    const double was = p->value[i], h = 1e-7, made = p->gradient[i];
    p->value[i] = was + h;
    const double above = model.loss(x, label, {});
    p->value[i] = was - h;
    const double below = model.loss(x, label, {});
    p->value[i] = was;
    EXPECT_NEAR(made, (above - below) / (2 * h), 1e-6) << p->tensor;
  }
}

TEST(TrainingArch3, Learns) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/configs/networks/circulant-arch3.yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Diagnostics d;
  const auto n = network_of(text, d);
  auto options = training_options(text, "", d);
  ASSERT_TRUE(n && options) << d.text();
  EXPECT_EQ(options->batch, 128);
  EXPECT_DOUBLE_EQ(options->learning_rate, 0.001);
  EXPECT_DOUBLE_EQ(options->momentum, 0.9);
  const auto set = data::made_set(32, 32, 3, 48, 16, 1);
  options->epochs = 3, options->batch = 8, options->learning_rate = 0.01;
  train::Trainer t(*n, set, *options, "", d);
  ASSERT_TRUE(t.ok()) << d.text();
  EXPECT_EQ(t.run(never, {}, {}), train::End::done);
  EXPECT_LT(t.history().back().loss, t.history().front().loss);
}

std::string refused(const std::string& layers) {
  Diagnostics d;
  const auto n = network_of(head("[1, 16]") + layers, d);
  if (n) train::Model<float>(*n, "made.yaml", d);
  return d.text();
}

TEST(Training, SaysWhatCannotBeTrained) {
  EXPECT_NE(refused("  - softmax\n").find("there are no weights to train"), std::string::npos);
  EXPECT_NE(refused("  - fully_connected: {name: a, units: 4}\n  - softmax\n  - fully_connected: {units: 4}\n")
                .find("a softmax within a network cannot be trained"),
            std::string::npos);
  EXPECT_NE(refused("  - fully_connected: {name: a, units: 16}\n  - add: {with: input}\n").find("cannot be trained"),
            std::string::npos);
  EXPECT_NE(refused("  - fully_connected: {units: 8, block: 0}\n").find("'block' must be an integer from 1"),
            std::string::npos);
  EXPECT_NE(refused("  - fully_connected: {units: 8, block: 17}\n").find("a block of 17 is larger than the layer"),
            std::string::npos);
  // Weights that are not numbers.
  Diagnostics d;
  Network bad = *network_of(head("[1, 16]") + "  - fully_connected: {units: 8, block: 4}\n", d);
  Tensor& w = bad.tensors[static_cast<std::size_t>(bad.operators[0].inputs[1])];
  w.fill.reset();
  std::vector<float> v(static_cast<std::size_t>(w.elements()), NAN);
  w.data.resize(4 * v.size());
  std::memcpy(w.data.data(), v.data(), w.data.size());
  train::Model<float> model(bad, "made.yaml", d);
  EXPECT_FALSE(model.ok());
  EXPECT_NE(d.text().find("values that are not finite"), std::string::npos) << d.text();
}

void write(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::uint8_t> idx(std::vector<std::uint32_t> extents, std::size_t bytes) {
  std::vector<std::uint8_t> out{0, 0, 8, static_cast<std::uint8_t>(extents.size())};
  for (const auto e : extents)
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(e >> shift));
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(i % 7));
  return out;
}

TEST(TrainingData, ReadsIdxAndCifarAndRefusesWhatIsCutShort) {
  const ScratchFolder scratch;
  const auto folder = scratch.path();
  for (const char* part : {"train", "t10k"}) {
    write(folder / (std::string(part) + "-images-idx3-ubyte"), idx({3, 4, 4}, 48));
    write(folder / (std::string(part) + "-labels-idx1-ubyte"), idx({3}, 3));
  }
  Diagnostics d;
  const auto set = data::read_data_set(folder.string(), {1, 16}, d);
  ASSERT_TRUE(set) << d.text();
  EXPECT_EQ(set->train.count(), 3);
  EXPECT_EQ(set->classes, 3);
  const auto said = [&](const char* name, const std::vector<std::uint8_t>& bytes) {
    const auto file = folder / name;
    write(file, bytes);
    Diagnostics told;
    EXPECT_FALSE(data::read_data_set(folder.string(), {1, 16}, told));
    return told.text();
  };
  EXPECT_NE(said("train-images-idx3-ubyte", idx({3, 4, 4}, 47)).find("is cut short: 48 elements are announced, 47 are"),
            std::string::npos);
  EXPECT_NE(said("train-images-idx3-ubyte", {0, 0, 8}).find("is no IDX file"), std::string::npos);
  EXPECT_NE(said("train-images-idx3-ubyte", {0, 0, 8, 3, 0}).find("cut short within its head"), std::string::npos);
  EXPECT_NE(said("train-images-idx3-ubyte", idx({3, 0, 4}, 0)).find("has an extent of 0"), std::string::npos);
  EXPECT_NE(said("train-images-idx3-ubyte", idx({3, 4, 4}, 50)).find("has 2 bytes behind"), std::string::npos);
  write(folder / "train-images-idx3-ubyte", idx({3, 4, 4}, 48));
  EXPECT_NE(said("train-labels-idx1-ubyte", idx({2}, 2)).find("has 2 labels for 3 images"), std::string::npos);

  std::vector<std::uint8_t> record(3073, 9);
  record[1] = 11, record[1 + 1024] = 22, record[1 + 2048] = 33;
  data::Images images;
  write(folder / "test_batch.bin", record);
  ASSERT_TRUE(data::append_cifar10((folder / "test_batch.bin").string(), images, d)) << d.text();
  EXPECT_EQ(images.labels.at(0), 9);
  EXPECT_EQ((std::vector<int>{images.pixels[0], images.pixels[1], images.pixels[2]}), (std::vector<int>{11, 22, 33}));
  record.pop_back();
  write(folder / "test_batch.bin", record);
  Diagnostics cut;
  EXPECT_FALSE(data::append_cifar10((folder / "test_batch.bin").string(), images, cut));
  EXPECT_NE(cut.text().find("cut short or no CIFAR-10 file"), std::string::npos);
}

TEST(TrainingWords, EqualDenseHasAsManyParameters) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/configs/networks/circulant-arch1.yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Diagnostics d;
  const auto n = network_of(text, d);
  const auto equal = equal_dense(text);
  ASSERT_TRUE(n && equal) << d.text();
  const auto dense = network_of(*equal, d);
  ASSERT_TRUE(dense) << d.text();
  EXPECT_EQ(n->parameters(), 1930);
  EXPECT_EQ(dense->parameters(), 1935);
  EXPECT_EQ(network_of(dense_of(text), d)->parameters(), 50698);
  const auto varied = with_fields(text, {{"fc0.block", "32"}, {"fc1.block", "1"}}, "", d);
  ASSERT_TRUE(varied) << d.text();
  EXPECT_EQ(network_of(*varied, d)->operators[0].options.block, 32);
  EXPECT_EQ(network_of(*varied, d)->operators[1].kind, OperatorKind::fully_connected);
  EXPECT_FALSE(with_fields(text, {{"fc9.block", "32"}}, "a.yaml", d));
  EXPECT_NE(d.text().find("the network has no layer 'fc9'"), std::string::npos) << d.text();
}

}  // namespace
}  // namespace dse::nn::train_test
