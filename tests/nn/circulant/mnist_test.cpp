// What the paper's networks learn of MNIST, and what integers make of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/nn/import.h"
#include "models/nn/quantizer/quantizer.h"
#include "models/nn/train/trainer.h"
#include "models/nn/yaml/training.h"
#include "tests/nn/golden/golden.h"

namespace dse::nn::mnist_test {
namespace {

/// Arch. 1 reaches 95.47 % and Arch. 2 93.59 % in the paper; asked for are 95.0 and 93.3, as the mean of three seeds.
void expect_learns(const char* name, double least) {
  const auto folder = (test::shared() / "data/mnist").string();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MNIST";
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Diagnostics d;
  const auto n = import_yaml(text, name, d, LoadOptions::floating());
  auto options = training_options(text, name, d);
  const auto data = data::read_data_set(folder, {1, 256}, d);
  ASSERT_TRUE(n && options && data) << d.text();
  EXPECT_EQ(options->epochs, 20);
  const std::atomic<bool> never = false;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Network seeded = *n;
    for (auto& t : seeded.tensors)
      if (t.fill) t.fill->seed ^= seed * 0x9e3779b97f4a7c15u;
    options->seed = seed;
    train::Trainer trainer(seeded, *data, *options, name, d);
    ASSERT_TRUE(trainer.ok()) << d.text();
    ASSERT_EQ(trainer.run(never, {}, {}), train::End::done);
    const double reached = trainer.history().back().test_accuracy;
    sum += reached;
    if (seed > 1) continue;
    Network written = trainer.trained(true);
    const auto real = finish_network(std::move(written), d, name, LoadOptions::floating());
    ASSERT_TRUE(real) << d.text();
    const data::InputMaker maker(data->test, real->tensors[static_cast<std::size_t>(real->inputs[0])].shape,
                                 options->resize, name, d);
    for (const auto& [bits, spectral] : {std::pair{8, false}, {8, true}, {16, true}}) {
      quantizer::QuantizeOptions q;
      q.scheme = bits == 16 ? quantizer::Scheme::q_format : quantizer::Scheme::tflite_int8;
      q.bits = bits, q.spectral = spectral;
      const auto prepared = quantizer::prepare(*real, q, name, d);
      ASSERT_TRUE(prepared) << d.text();
      const auto samples = train::calibration_samples(*real, data->train, options->resize, name, d);
      const auto made = quantizer::quantize(*prepared, quantizer::observe(*prepared, samples), q,
                                            std::vector<int>(prepared->operators.size(), bits), name, d);
      ASSERT_TRUE(made.network) << d.text();
      EXPECT_NEAR(train::accuracy(*made.network, data->test, maker), reached, 0.003) << bits << " " << spectral;
    }
  }
  EXPECT_GE(sum / 3, least);
}

TEST(CirculantMnistSlow, Arch1) { expect_learns("circulant-arch1", 0.950); }
TEST(CirculantMnistSlow, Arch2) { expect_learns("circulant-arch2", 0.933); }

}  // namespace
}  // namespace dse::nn::mnist_test
