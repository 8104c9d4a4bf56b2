// That an alignment finds exactly what an edit did: random networks with branches, random edits, the answer known from
// how they were made.
#include "models/nn/graph/align.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace dse::nn::align_test {
namespace {

/// A layer by what it chooses; its shapes follow from what it reads. `id` stays the same through edits.
struct Layer {
  int id = 0;
  std::string kind;
  int kernel = 1, filters = 8;
  std::vector<int> from;  // ids, -1: the input
};
using Net = std::vector<Layer>;  // each after what it reads

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : random_(seed) {}
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }

  int add(Net& net, std::string kind, int kernel, int filters, std::vector<int> from) {
    net.push_back({next_++, std::move(kind), kernel, filters, std::move(from)});
    return net.back().id;
  }

  int conv(Net& net, int filters, int from) { return add(net, "conv", 1 + 2 * pick(0, 2), filters, {from}); }

  Net network() {
    Net net;
    int at = -1, filters = 3;
    for (int blocks = pick(3, 7); blocks > 0; --blocks) {
      const int wide = pick(4, 200), shape = pick(0, 3);
      if (shape == 0) {
        at = conv(net, wide, at), filters = wide;
      } else if (shape == 1) {
        at = add(net, "depthwise", 3, filters, {at});
        at = conv(net, wide, at), filters = wide;
      } else {
        const int stem = conv(net, wide, at);
        std::vector<int> ends;
        for (int branches = pick(2, 3); branches > 0; --branches) {
          int end = stem;
          for (int depth = pick(ends.empty() ? 1 : 0, 3); depth > 0; --depth) end = conv(net, pick(4, 200), end);
          if (end != stem) end = conv(net, wide, end);
          ends.push_back(end);
        }
        filters = shape == 2 ? wide : wide * static_cast<int>(ends.size());
        at = add(net, shape == 2 ? "add" : "concatenation", 1, filters, ends);
      }
    }
    at = add(net, "mean", 1, filters, {at});
    add(net, "fully_connected", 1, 10, {at});
    return net;
  }

  /// The same operators in another order that runs.
  Net reordered(const Net& net) {
    Net out;
    std::set<int> made{-1};
    std::vector<Layer> left = net;
    while (!left.empty()) {
      std::vector<std::size_t> ready;
      for (std::size_t i = 0; i < left.size(); ++i)
        if (std::all_of(left[i].from.begin(), left[i].from.end(), [&](int f) { return made.count(f) > 0; }))
          ready.push_back(i);
      const auto chosen = ready[static_cast<std::size_t>(pick(0, static_cast<int>(ready.size()) - 1))];
      made.insert(left[chosen].id), out.push_back(left[chosen]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    return out;
  }

  /// A convolution on the edge from `from`; whoever read that reads it now.
  int insert(Net& net, int from) {
    auto at = std::find_if(net.begin(), net.end(), [&](const Layer& l) { return l.id == from; });
    const int filters = at == net.end() ? 3 : at->filters;
    for (auto& l : net) std::replace(l.from.begin(), l.from.end(), from, next_);
    at = at == net.end() ? net.begin() : at + 1;
    net.insert(at, {next_, "conv", 7, filters, {from}});
    return next_++;
  }

 private:
  std::mt19937_64 random_;
  int next_ = 0;
};

int filters_of(const Net& net, int id) {
  for (const auto& l : net)
    if (l.id == id) return l.filters;
  return 3;
}

/// @param names  of every layer by its place; empty: numbered by kind, as importers do
std::vector<LayerForm> forms(const Net& net, const std::vector<std::string>& names = {}) {
  std::map<int, int> place{{-1, -1}};
  std::map<std::string, int> count;
  std::vector<LayerForm> out;
  for (const auto& l : net) {
    LayerForm f{l.kind + std::to_string(count[l.kind]++), l.kind, "", "", "", "", {}};
    if (!names.empty()) f.name = names[out.size()];
    for (const int from : l.from) {
      f.inputs += fmt::format("16x16x{};", filters_of(net, from));
      f.from.push_back(place.at(from));
    }
    f.outputs = fmt::format("16x16x{};", l.filters);
    if (l.kind == "depthwise") f.weights = fmt::format("1x{}x{}x{}", l.kernel, l.kernel, l.filters);
    if (l.kind == "conv" || l.kind == "fully_connected")
      f.weights = fmt::format("{}x{}x{}x{}", l.filters, l.kernel, l.kernel, filters_of(net, l.from[0]));
    place[l.id] = static_cast<int>(out.size());
    out.push_back(std::move(f));
  }
  return out;
}

/// Every layer of both is joined to the one that it is, and to no other; `alone` are on one side.
void expect_aligned(const Net& a, const Net& b, const std::vector<std::string>& names_b, const std::string& what) {
  const auto of_a = align(forms(a), forms(b, names_b));
  std::set<int> in_b;
  for (const auto& l : b) in_b.insert(l.id);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int found = of_a[i] < 0 ? -1 : b[static_cast<std::size_t>(of_a[i])].id;
    const int expected = in_b.count(a[i].id) > 0 ? a[i].id : -1;
    EXPECT_EQ(found, expected) << what << ": layer " << i << " of " << a.size();
  }
}

class Alignment : public testing::TestWithParam<int> {};

TEST_P(Alignment, FindsWhatAnEditDid) {
  Trial t(static_cast<std::uint64_t>(GetParam()));
  const auto a = t.network();
  const auto ids = [&] {
    std::vector<int> out{-1};
    for (const auto& l : a) out.push_back(l.id);
    return out;
  }();
  const auto any = [&] { return ids[static_cast<std::size_t>(t.pick(0, static_cast<int>(ids.size()) - 1))]; };
  std::vector<std::string> other_names;
  for (std::size_t i = 0; i < a.size() + 1; ++i) other_names.push_back(fmt::format("{}", t.pick(0, 1 << 30)));
  const auto cut = [&](const Net& n) {
    return std::vector(other_names.begin(), other_names.begin() + static_cast<std::ptrdiff_t>(n.size()));
  };

  expect_aligned(a, a, {}, "nothing");
  expect_aligned(a, a, cut(a), "all layers renamed");
  expect_aligned(a, t.reordered(a), {}, "branches in another order");
  expect_aligned(a, t.reordered(a), cut(a), "branches in another order, renamed");

  for (const int from : {-1, any(), any(), a.back().id}) {
    auto b = a;
    t.insert(b, from);
    const auto where = fmt::format("a layer put behind {}", from);
    expect_aligned(a, b, {}, where);
    expect_aligned(b, a, {}, where + ", taken away");
    expect_aligned(a, t.reordered(b), cut(b), where + ", reordered and renamed");
  }
  for (auto& l : Net(a)) {
    if (l.kind != "conv") continue;
    auto b = a;
    auto& changed = *std::find_if(b.begin(), b.end(), [&](const Layer& x) { return x.id == l.id; });
    changed.kernel += 4;
    expect_aligned(a, b, {}, fmt::format("kernel of {} changed", l.id));
    changed.kernel = l.kernel;
    const bool convs_read = std::all_of(b.begin(), b.end(), [&](const Layer& x) {
      return x.kind == "conv" || std::find(x.from.begin(), x.from.end(), l.id) == x.from.end();
    });
    if (!convs_read) continue;
    changed.filters += 5;
    expect_aligned(a, b, cut(b), fmt::format("filters of {} changed, renamed", l.id));
    t.insert(b, -1);
    expect_aligned(a, t.reordered(b), {}, fmt::format("filters of {} changed, a layer in front", l.id));
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Alignment, testing::Range(0, 60));

TEST(Align, OfCopiesInARowOneIsNew) {
  Trial t(1);
  Net a;
  int at = -1;
  for (int i = 0; i < 6; ++i) at = t.add(a, "conv", 3, 3, {at});
  auto b = a;
  t.insert(b, -1);
  b.front().kernel = 3;  // just like the others
  const auto of_a = align(forms(a), forms(b));
  EXPECT_EQ(std::count(of_a.begin(), of_a.end(), -1), 0);
  EXPECT_TRUE(std::is_sorted(of_a.begin(), of_a.end()));
}

TEST(Align, NamesDecideWhereNothingElseDoes) {
  Trial t(1);
  Net a;
  const int stem = t.add(a, "conv", 3, 8, {-1});
  for (int i = 0; i < 3; ++i) t.add(a, "conv", 3, 8, {stem});
  const auto forward = forms(a, {"stem", "x", "y", "z"}), backward = forms(a, {"stem", "z", "y", "x"});
  const auto of_a = align(forward, backward);
  EXPECT_EQ(of_a[0], 0);
  EXPECT_EQ(of_a[2], 2);
}

TEST(Align, OperandsThatChangedPlacesAreFound) {
  Trial t(1);
  Net a;
  const int stem = t.add(a, "conv", 3, 8, {-1}), p = t.add(a, "conv", 1, 30, {stem}), q = t.add(a, "conv", 3, 8, {p}),
            r = t.add(a, "conv", 5, 8, {stem});
  t.add(a, "add", 1, 8, {q, r});
  auto b = a;
  std::swap(b.back().from[0], b.back().from[1]);
  expect_aligned(a, b, {"1", "2", "3", "4", "5"}, "operands swapped");
}

TEST(Align, OtherKindsAreNotTheSameLayer) {
  Trial t(1);
  Net a;
  const int x = t.add(a, "conv", 3, 8, {-1});
  t.add(a, "conv", 3, 8, {x});
  auto b = a;
  b[0].kind = "depthwise";
  EXPECT_EQ(align(forms(a), forms(b)), (std::vector<int>{-1, 1}));
}

}  // namespace
}  // namespace dse::nn::align_test
