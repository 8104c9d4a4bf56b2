#include "methods/order/dag.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/suggest.h"

namespace dse::plan {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;  // all tensors together

struct Word {
  std::string_view text;
  int column = 0;
};
struct Line {
  int number = 0;
  std::vector<Word> words;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size();) {
    if (is_space(line[i])) {
      ++i;
      continue;
    }
    const auto begin = i;
    while (i < line.size() && !is_space(line[i])) ++i;
    words.push_back({line.substr(begin, i - begin), static_cast<int>(begin) + 1});
  }
  return words;
}

bool elementwise(std::string_view type) {
  static constexpr std::array<std::string_view, 9> types{"Relu",    "Add",     "Mul",     "Sub",    "Clip",
                                                         "Sigmoid", "Squeeze", "Reshape", "Flatten"};
  return std::find(types.begin(), types.end(), type) != types.end();
}

class Reader {
 public:
  Reader(const std::string& file, Diagnostics& d) : file_(file), d_(d) {}

  std::optional<OrderProblem> read(std::string_view text) {
    split(text);
    for (const auto& l : lines_)
      if (l.words[0].text == "T") tensor(l);
    for (const auto& l : lines_) use(l);
    check_made();
    if (!failed_) check_cycles();
    if (failed_) return {};
    return std::move(p_);
  }

 private:
  void error(int line, int column, std::string what, std::string hint = {}) {
    d_.error({file_, line, column}, std::move(what), std::move(hint));
    failed_ = true;
  }

  void split(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const auto end = std::min(text.find('\n'), text.size());
      auto line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (const auto hash = line.find('#'); hash != std::string_view::npos) {
        const auto said = words_of(line.substr(hash + 1));
        if (p_.name.empty() && said.size() > 1 && said[0].text == "graph") p_.name = said[1].text;
        line = line.substr(0, hash);
      }
      if (auto words = words_of(line); !words.empty()) lines_.push_back({number, std::move(words)});
    }
  }

  std::optional<std::int64_t> number(const Line& l, const Word& w, const char* what) {
    std::int64_t value = 0;
    const auto end = w.text.data() + w.text.size();
    const auto r = std::from_chars(w.text.data(), end, value);
    if (r.ec == std::errc() && r.ptr == end && value >= 0) return value;
    error(l.number, w.column, quote(w.text) + " is no " + what, "a whole number, 0 or more");
    return {};
  }

  void tensor(const Line& l) {
    if (l.words.size() < 3 || l.words.size() > 4)
      return error(l.number, l.words[0].column, "a tensor is not complete, or more than that",
                   "T TENSOR BYTES [SHAPE]");
    const auto& name = l.words[1];
    const auto bytes = number(l, l.words[2], "size in bytes");
    if (bytes && *bytes > kMostBytes - sum_)
      return error(l.number, l.words[2].column, "tensors of more than 2^60 bytes together");
    if (bytes) sum_ += *bytes;
    if (!index_.emplace(name.text, static_cast<int>(p_.tensors.size())).second)
      return error(l.number, name.column, "tensor " + quote(name.text) + " is there twice",
                   "first in line " + std::to_string(line_[index_[name.text]]));
    OrderTensor t;
    t.name = name.text, t.bytes = bytes.value_or(0);
    p_.tensors.push_back(std::move(t));
    line_.push_back(l.number), maker_.push_back(-1);
  }

  /// -1 after a diagnostic.
  int find(const Line& l, const Word& w) {
    if (const auto i = index_.find(w.text); i != index_.end()) return i->second;
    error(l.number, w.column, "no tensor " + quote(w.text), "tensors are declared: T TENSOR BYTES");
    return -1;
  }

  void use(const Line& l) {
    const auto key = l.words[0].text;
    if (key == "T") return;
    if (key == "OP") return operation(l);
    if (key != "IN" && key != "OUT")
      return error(l.number, l.words[0].column, "no line begins with " + quote(key), "T, IN, OUT, OP or #");
    if (l.words.size() != 2)
      return error(l.number, l.words[0].column, std::string(key) + " names one tensor", std::string(key) + " TENSOR");
    const int t = find(l, l.words[1]);
    if (t < 0) return;
    auto& flag = key == "IN" ? at(t).given : at(t).kept;
    if (flag)
      error(l.number, l.words[1].column, "tensor " + quote(l.words[1].text) + " is " + std::string(key) + " twice");
    flag = true;
  }

  void operation(const Line& l) {
    if (l.words.size() < 4)
      return error(l.number, l.words[0].column, "an operator is not complete", "OP INDEX TYPE OUTPUT INPUT...");
    const int here = static_cast<int>(p_.operators.size());
    const auto given = number(l, l.words[1], "index");
    if (given && *given != here)
      error(l.number, l.words[1].column,
            "operator " + quote(l.words[1].text) + " stands where " + std::to_string(here) + " should",
            "operators count from 0, in the order of the file");
    if (here == kMostOperators)
      return error(l.number, l.words[0].column, "more than " + std::to_string(kMostOperators) + " operators");
    if (here > kMostOperators) return;
    OrderOperator op;
    op.type = l.words[2].text, op.elementwise = elementwise(op.type);
    op.name = l.words[3].text;
    const int out = find(l, l.words[3]);
    if (out >= 0) {
      op.outputs.push_back(out);
      if (maker_[static_cast<std::size_t>(out)] >= 0)
        error(l.number, l.words[3].column, "tensor " + quote(l.words[3].text) + " is made twice",
              "first by operator " + std::to_string(maker_[static_cast<std::size_t>(out)]));
      maker_[static_cast<std::size_t>(out)] = here;
    }
    for (std::size_t w = 4; w < l.words.size(); ++w)
      if (const int t = find(l, l.words[w]); t >= 0) op.inputs.push_back(t);
    p_.operators.push_back(std::move(op));
    op_line_.push_back(l.number);
  }

  void check_made() {
    if (p_.operators.empty() && !failed_) error(0, 0, "no operators", "OP INDEX TYPE OUTPUT INPUT...");
    for (std::size_t t = 0; t < p_.tensors.size(); ++t) {
      const auto name = quote(p_.tensors[t].name);
      if (maker_[t] >= 0 && p_.tensors[t].given)
        error(op_line_[static_cast<std::size_t>(maker_[t])], 1,
              "operator " + std::to_string(maker_[t]) + " makes " + name + ", which is IN");
      if (maker_[t] < 0 && !p_.tensors[t].given && !failed_)  // else its line may be one of those refused
        error(line_[t], 1, "tensor " + name + " is never made",
              "let an operator make it, or declare it as given: IN TENSOR");
    }
  }

  void check_cycles() {
    const auto n = p_.operators.size();
    std::vector<int> missing(n, 0), open;
    std::vector<std::vector<int>> next(n);
    for (std::size_t o = 0; o < n; ++o) {
      for (const int t : p_.operators[o].inputs)
        if (const int m = maker_[static_cast<std::size_t>(t)]; m >= 0)
          next[static_cast<std::size_t>(m)].push_back(static_cast<int>(o)), ++missing[o];
      if (missing[o] == 0) open.push_back(static_cast<int>(o));
    }
    std::size_t done = 0;
    for (; !open.empty(); ++done) {
      const auto o = static_cast<std::size_t>(open.back());
      open.pop_back();
      for (const int s : next[o])
        if (--missing[static_cast<std::size_t>(s)] == 0) open.push_back(s);
    }
    if (done == n) return;
    // What still waits need not be on a cycle, but what it waits for leads back to one: as many steps as there are
    // operators end there.
    auto stuck = static_cast<std::size_t>(std::find_if(missing.begin(), missing.end(), [](int m) { return m > 0; }) -
                                          missing.begin());
    for (std::size_t step = 0; step < n; ++step) stuck = waits_for(stuck, missing);
    error(op_line_[stuck], 1, "operator " + std::to_string(stuck) + " waits for itself: the graph has a cycle");
  }

  /// An operator that still waits (`missing`) and makes what `op`, which waits too, reads.
  std::size_t waits_for(std::size_t op, const std::vector<int>& missing) const {
    const auto maker = [&](int t) { return maker_[static_cast<std::size_t>(t)]; };
    const auto& inputs = p_.operators[op].inputs;
    const auto read = std::find_if(inputs.begin(), inputs.end(), [&](int t) {
      return maker(t) >= 0 && missing[static_cast<std::size_t>(maker(t))] > 0;
    });
    ensure(read != inputs.end(), "order: an operator waits for nothing");
    return static_cast<std::size_t>(maker(*read));
  }

  OrderTensor& at(int t) { return p_.tensors[static_cast<std::size_t>(t)]; }

  const std::string& file_;
  Diagnostics& d_;
  bool failed_ = false;
  OrderProblem p_;
  std::vector<Line> lines_;
  std::map<std::string_view, int> index_;
  std::vector<int> line_, maker_, op_line_;  // per tensor: its line, who makes it; per operator: its line
  std::int64_t sum_ = 0;
};

}  // namespace

std::optional<OrderProblem> parse_dag(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  return Reader(file, diagnostics).read(text);
}

}  // namespace dse::plan
