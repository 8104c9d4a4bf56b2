// The ONNX models beside the project.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "models/nn/network.h"

namespace dse::nn::models_test {
namespace {

std::filesystem::path shared() {
  const char* given = std::getenv("DSE_SHARED");
  return given ? given : DSE_SOURCE_DIR "/../shared";
}

/// Most memory that this process has had, in MiB; 0 where the system does not say.
int peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoi(line.substr(6)) / 1024;
  return 0;
}

struct Model {
  const char* name;
  std::size_t operators;
};

class OnnxModels : public ::testing::TestWithParam<Model> {};

TEST_P(OnnxModels, ImportsWhole) {
  const auto file = shared() / "models/onnx" / (std::string("light_") + GetParam().name + ".onnx");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  Diagnostics diags;
  LoadOptions options;
  options.allow_float = true;
  const int before = peak_mebibytes();
  const auto start = std::chrono::steady_clock::now();
  const auto n = load_network(file.string(), diags, options);
  const auto time = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(n) << diags.text();
  EXPECT_EQ(n->operators.size(), GetParam().operators);
  for (const auto& op : n->operators) EXPECT_EQ(op.evaluation, Evaluation::floating) << op.name << op.unsupported;
  EXPECT_LT(peak_mebibytes() - before, 100);  // vgg19's weights would be 575 MB
  EXPECT_LT(time, std::chrono::seconds(2));
}

INSTANTIATE_TEST_SUITE_P(All, OnnxModels,
                         ::testing::Values(Model{"squeezenet", 66}, Model{"vgg19", 46}, Model{"inception_v1", 143},
                                           Model{"densenet121", 668}, Model{"bvlc_alexnet", 24},
                                           Model{"resnet50", 176}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dse::nn::models_test
