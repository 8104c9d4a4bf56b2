// Block-circulant arithmetic against the golden values: dense arithmetic, exact (golden/circulant).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "models/nn/circulant/blocks.h"
#include "models/nn/data/images.h"
#include "tests/nn/golden/golden.h"

namespace dse::nn::circulant_golden_test {
namespace {

using circulant::Blocks;
using nlohmann::json;
using Values = std::vector<double>;

class CirculantGolden : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(test::shared() / "golden/circulant")) GTEST_SKIP() << "no golden values";
  }
  static json read(const char* name) { return test::read_json(test::shared() / "golden/circulant" / name); }
};

/// Nested lists, row by row.
void flatten(const json& j, Values& to) {
  if (!j.is_array()) return to.push_back(j.get<double>());
  for (const auto& e : j) flatten(e, to);
}
Values flat(const json& j) {
  Values out;
  flatten(j, out);
  return out;
}

/// 1e-12 of the largest expected value.
void expect_close(const Values& made, const Values& wanted, const std::string& what) {
  ASSERT_EQ(made.size(), wanted.size()) << what;
  double most = 1e-300;
  for (const double v : wanted) most = std::max(most, std::abs(v));
  for (std::size_t i = 0; i < made.size(); ++i) ASSERT_NEAR(made[i], wanted[i], 1e-12 * most) << what << " " << i;
}

TEST_F(CirculantGolden, OneBlock) {
  int wrong = 0;
  const json golden = read("circulant.json");
  for (const auto& c : golden.at("cases")) {
    const auto n = c.at("n").get<std::int64_t>();
    const Values w = flat(c.at("w")), x = flat(c.at("x")), g = flat(c.at("g"));
    const Blocks s{n, n, n, 1};
    if (!c.at("C_rows").is_null()) expect_close(circulant::expanded<double>(s, w), flat(c.at("C_rows")), "matrix");
    circulant::Product<double> product(s);
    product.set_weights(w);
    Values y(x.size()), dw(x.size()), dx(x.size());
    product.forward(x.data(), 1, y.data());
    expect_close(y, flat(c.at("y_Cx")), "y");
    product.backward(g.data(), 1, dw.data(), dx.data());
    expect_close(dw, flat(c.at("dL_dw")), "dw");
    expect_close(dx, flat(c.at("dL_dx")), "dx");
    // What the paper prints, FFT(g) FFT(x) without the conjugate, is another gradient for blocks of 3 and more.
    const auto& printed = c.at("wrong_printed_alg2_dL_dw_no_conj");
    double off = 0;
    for (std::size_t i = 0; i < dw.size() && !printed.is_null(); ++i)
      off = std::max(off, std::abs(dw[i] - printed[i].get<double>()));
    if (n > 2 && !printed.is_null()) EXPECT_GT(off, 1e-3) << n;
    wrong += off > 1e-3;
    // The spectrum keeps everything, and takes as many values.
    const auto spectra = circulant::to_frequency<double>(s, w);
    ASSERT_EQ(spectra.size(), w.size());
    expect_close(circulant::to_time<double>(s, spectra), w, "there and back");
  }
  EXPECT_GE(wrong, 4);
}

TEST_F(CirculantGolden, FullyConnected) {
  const json golden = read("fc.json");
  for (const auto& c : golden.at("cases")) {
    const std::string name = c.at("name");
    const Blocks s{c.at("n_out"), c.at("n_in"), c.at("block"), 1};
    EXPECT_EQ(s.parameters(), c.at("params").get<std::int64_t>()) << name;
    const Values w = flat(c.at("w_pqb")), x = flat(c.at("x")), g = flat(c.at("dL_dy")), bias = flat(c.at("bias"));
    const auto rows = static_cast<std::int64_t>(c.at("x").size());
    if (!c.at("M_dense").is_null())
      expect_close(circulant::expanded<double>(s, w), flat(c.at("M_dense")), name + " matrix");
    for (const bool spectra : {false, true}) {
      circulant::Product<double> product(s);
      if (spectra)
        product.set_spectra(circulant::to_frequency<double>(s, w));
      else
        product.set_weights(w);
      Values y(static_cast<std::size_t>(rows * s.out)), dw(w.size()), dx(x.size());
      product.forward(x.data(), rows, y.data());
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
      expect_close(y, flat(c.at("y")), name + " y");
      product.backward(g.data(), rows, dw.data(), dx.data());
      expect_close(dw, flat(c.at("dL_dw")), name + " dw");
      expect_close(dx, flat(c.at("dL_dx")), name + " dx");
    }
    Values db(bias.size());
    for (std::size_t i = 0; i < g.size(); ++i) db[i % db.size()] += g[i];
    expect_close(db, flat(c.at("dL_dbias")), name + " dbias");
  }
}

/// Patches of X[x][y][c] under the windows of Y[x][y][p], valid, stride 1; taps [i][j].
Values patches_of(const Values& image, std::int64_t w, std::int64_t h, std::int64_t c, std::int64_t r) {
  Values out;
  for (std::int64_t x = 0; x + r <= w; ++x)
    for (std::int64_t y = 0; y + r <= h; ++y)
      for (std::int64_t i = 0; i < r; ++i)
        for (std::int64_t j = 0; j < r; ++j)
          for (std::int64_t k = 0; k < c; ++k)
            out.push_back(image[static_cast<std::size_t>(((x + i) * h + y + j) * c + k)]);
  return out;
}

TEST_F(CirculantGolden, Convolution) {
  const json golden = read("conv.json");
  for (const auto& c : golden.at("cases")) {
    const std::string name = c.at("name");
    const std::int64_t r = c.at("r"), w = c.at("W"), h = c.at("H");
    const Blocks s{c.at("P"), c.at("C"), c.at("block"), r * r};
    // [i][j][p][q][k] -> [p][i j][q][k]
    const auto ours = [&](const Values& theirs) {
      Values out;
      for (std::int64_t p = 0; p < s.p(); ++p)
        for (std::int64_t tap = 0; tap < s.taps; ++tap)
          for (std::int64_t k = 0; k < s.q() * s.size; ++k)
            out.push_back(theirs[static_cast<std::size_t>((tap * s.p() + p) * s.q() * s.size + k)]);
      return out;
    };
    circulant::Product<double> product(s);
    product.set_weights(ours(flat(c.at("w"))));
    const Values x = patches_of(flat(c.at("X")), w, h, s.in, r), g = flat(c.at("dL_dY"));
    const std::int64_t rows = (w - r + 1) * (h - r + 1);
    Values y(static_cast<std::size_t>(rows * s.out)), dw(static_cast<std::size_t>(s.parameters())), dx(x.size());
    product.forward(x.data(), rows, y.data());
    expect_close(y, flat(c.at("Y")), name + " Y");
    product.backward(g.data(), rows, dw.data(), dx.data());
    expect_close(dw, ours(flat(c.at("dL_dw"))), name + " dw");
    Values image(static_cast<std::size_t>(w * h * s.in));
    std::size_t at = 0;
    for (std::int64_t px = 0; px + r <= w; ++px)
      for (std::int64_t py = 0; py + r <= h; ++py)
        for (std::int64_t i = 0; i < r; ++i)
          for (std::int64_t j = 0; j < r; ++j)
            for (std::int64_t k = 0; k < s.in; ++k)
              image[static_cast<std::size_t>(((px + i) * h + py + j) * s.in + k)] += dx[at++];
    expect_close(image, flat(c.at("dL_dX")), name + " dX");
  }
}

TEST_F(CirculantGolden, Projection) {
  const json golden = read("projection.json");
  for (const auto& c : golden.at("cases")) {
    const Blocks s{c.at("n_out"), c.at("n_in"), c.at("block"), 1};
    const auto p = circulant::project(s, flat(c.at("M")));
    expect_close(p.weights, flat(c.at("w_pqb")), "projection");
    EXPECT_NEAR(p.relative(), c.at("rel_fro_error").get<double>(), 1e-12);
  }
}

TEST_F(CirculantGolden, Resize) {
  const auto golden = read("mnist_resize.json");
  for (const std::int64_t side : {16, 11}) {
    const auto taps = data::resize_taps(28, side);
    const auto& rows = golden.at("resize_matrix_row_example").at(std::to_string(side));
    for (const int row : {0, 5}) {
      Values made(28);
      made[static_cast<std::size_t>(taps[row].low)] += 1 - taps[row].share;
      made[static_cast<std::size_t>(taps[row].high)] += taps[row].share;
      expect_close(made, flat(rows.at("row" + std::to_string(row))), "row");
    }
  }
  const auto folder = (test::shared() / "data/mnist").string();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MNIST";
  Diagnostics d;
  const auto set = data::read_data_set(folder, {1, 256}, d);
  ASSERT_TRUE(set) << d.text();
  EXPECT_EQ(set->train.count(), 60000);
  EXPECT_EQ(set->test.count(), 10000);
  EXPECT_EQ(set->classes, 10);
  const auto& first = golden.at("first_test_image");
  EXPECT_EQ(set->test.labels.at(0), first.at("label").get<int>());
  for (const std::int64_t side : {16, 11}) {
    const data::InputMaker maker(set->test, {1, side * side}, {}, "", d);
    ASSERT_TRUE(maker.ok());
    std::vector<float> made(static_cast<std::size_t>(side * side));
    maker.make(set->test, 0, 0, 0, made.data());
    const Values wanted = flat(first.at("r" + std::to_string(side)));
    ASSERT_EQ(made.size(), wanted.size());
    for (std::size_t i = 0; i < made.size(); ++i)
      EXPECT_NEAR(made[i], wanted[i], 1.5e-7);  // stored to 1e-7, in binary32
  }
}

}  // namespace
}  // namespace dse::nn::circulant_golden_test
