#include "reports/network/network_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/nn/graph/price.h"
#include "reports/network/network_table.h"
#include "reports/network/network_words.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

constexpr std::size_t columns = 100;

/// Breaks at spaces; all lines but the first start with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out, rest = text;
  for (char& c : rest)  // reasons may quote names of the file
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  while (rest.size() > columns) {
    auto at = rest.rfind(' ', columns);
    if (at == std::string::npos || at <= indent) at = rest.find(' ', columns);
    if (at == std::string::npos) break;
    out += rest.substr(0, at) + "\n";
    rest = std::string(indent, ' ') + rest.substr(at + 1);
  }
  return out + rest + "\n";
}

std::string plural(std::int64_t n, const std::string& word) {
  return fmt::format("{} {}{}", grouped(n), word, n == 1 ? "" : "s");
}

class Text {
 public:
  explicit Text(const nn::Network& n) : n_(n), s_(nn::summarize(n)) {}

  std::string all() {
    text_ += wrapped(fmt::format("{}: {}, {} MACs, {}, structure {}", printable(n_.name),
                                 plural(static_cast<std::int64_t>(n_.operators.size()), "operator"), grouped(s_.macs),
                                 plural(s_.parameters, "parameter"), n_.structure_hash()),
                     2);
    text_ += "\n" + network_table(n_, s_, columns);
    add("\nMAC/B: MACs per byte of parameters, activations in and activations out\n");
    if (!s_.unsupported.empty() || !s_.floating.empty()) add("!: cannot be run, f: computes in float (see below)\n");
    ports("inputs", n_.inputs);
    ports("outputs", n_.outputs);
    memory();
    kinds();
    rewrites();
    host();
    priced();
    unsupported();
    floating();
    quantization();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  const nn::Tensor& tensor(int t) const { return n_.tensors[static_cast<std::size_t>(t)]; }
  const nn::Operator& op(int o) const { return n_.operators[static_cast<std::size_t>(o)]; }

  void ports(const char* title, const std::vector<int>& list) {
    add("\n{}\n", title);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& t = tensor(list[i]);
      const auto q = quantization_text(t);
      text_ += wrapped(fmt::format("  {}  {}  {}  {}  {} bytes{}", i, tensor_text(n_, list[i]), shape_text(t.shape),
                                   nn::name_of(t.type), grouped(t.bytes()), q.empty() ? "" : "  " + q),
                       5);
    }
  }

  void memory() {
    add("\nmemory\n");
    text_ += wrapped(fmt::format("  peak of activations  {} bytes, while operator {} ({}) runs: layer by layer in the "
                                 "file's order, nothing in place",
                                 grouped(s_.peak_bytes), s_.peak_operator, printable(op(s_.peak_operator).name)),
                     23);
    const auto live = nn::live_tensors(n_, s_.peak_operator);
    constexpr std::size_t most = 6;
    std::string there = "    live there         ";
    for (std::size_t i = 0; i < live.size() && i < most; ++i)
      there += fmt::format("{}{} {}", i ? ", " : "", tensor_text(n_, live[i]), grouped(tensor(live[i]).bytes()));
    if (live.size() > most) there += fmt::format(" and {} more", live.size() - most);
    text_ += wrapped(there, 23);
    add("  variables (state)    {} bytes\n", grouped(s_.variable_bytes));
    add("  weights              {} bytes in {}\n", grouped(s_.parameter_bytes), plural(s_.parameters, "parameter"));
  }

  void kinds() {
    std::size_t width = 0;
    for (const auto& k : s_.kinds) width = std::max(width, printable(k.kind).size());
    add("\noperators by kind\n");
    for (const auto& k : s_.kinds) {
      add("  {:<{}}  {:>5}", printable(k.kind), width, k.operators);
      if (k.macs > 0)
        add("  {:>15} MACs {:>5.1f} %", grouped(k.macs),
            100.0 * static_cast<double>(k.macs) / static_cast<double>(s_.macs));
      else if (k.parameters > 0)
        add("  {:>15}             ", "");
      if (k.parameters > 0) add("  {:>13} parameters", grouped(k.parameters));
      add("\n");
    }
  }

  void rewrites() {
    if (n_.rewrites.empty()) return;
    add("\nrewritten at import (same bytes; --as-in-file shows the file's operators)\n");
    for (const auto& r : n_.rewrites)
      text_ += wrapped(fmt::format("  {:<9}  {}: {}", r.what, printable(r.where), printable(r.text)), 13);
  }

  void unsupported() {
    if (s_.unsupported.empty()) return add("\ncannot be run: none\n");
    add("\ncannot be run: {} of {}\n", plural(static_cast<std::int64_t>(s_.unsupported.size()), "operator"),
        n_.operators.size());
    for (const int o : s_.unsupported) {
      const auto head = fmt::format("  {:>4}  {} ({}): ", o, printable(op(o).name), printable(nn::type_of(op(o))));
      text_ += wrapped(head + op(o).unsupported, 8);
    }
  }

  void host() {
    if (n_.host.empty()) return;
    add("\ncut off, the host's: {} of {}\n", plural(static_cast<std::int64_t>(n_.host.size()), "operator"),
        n_.operators.size() + n_.host.size());
    for (const auto& h : n_.host)
      text_ += wrapped(
          fmt::format("  {}  {} ({}): {}", h.before ? "before" : "after ", printable(h.name), printable(h.type), h.why),
          8);
  }

  void priced() {
    if (const auto text = nn::priced_text(n_); !text.empty()) text_ += "\n" + wrapped(printable(text), 2);
  }

  void floating() {
    if (s_.floating.empty()) return add("\nfloat operators: none\n");
    text_ += "\n" + wrapped(fmt::format("float operators (quantise first: dse quantize): {} of {}: {}",
                                        s_.floating.size(), n_.operators.size(), ranges_text(s_.floating)),
                            2);
  }

  void quantization() {
    const auto groups = nn::quantization_groups(n_);
    if (groups.empty()) return;
    add("\nquantisation\n");
    for (const auto& g : groups) {
      auto line = fmt::format("  {:<11}  {:<5}  {:<11}  {:>3} {}  scale {}, zero point {}", name_of(g.role),
                              nn::name_of(g.type), g.per_channel ? "per channel" : "per tensor", g.tensors,
                              g.tensors == 1 ? "tensor " : "tensors", scale_text(g.range), zero_text(g.range));
      if (!g.formats.empty()) line += fmt::format(", {}", fmt::join(g.formats, " "));
      text_ += wrapped(line, 15);
    }
    std::size_t width = 0;
    for (const auto& o : n_.operators) width = std::max(width, printable(o.name).size());
    bool first = true;
    for (std::size_t o = 0; o < n_.operators.size(); ++o) {
      const auto formats = format_text(n_, static_cast<int>(o));
      if (formats.empty()) continue;
      if (std::exchange(first, false)) add("\nQ formats (x: correction factor)\n");
      text_ +=
          wrapped(fmt::format("  {:>4}  {:<{}}  {}", o, printable(n_.operators[o].name), width, formats), 10 + width);
    }
  }

  const nn::Network& n_;
  const nn::Summary s_;
  std::string text_;
};

}  // namespace

std::string network_text(const nn::Network& n) { return Text(n).all(); }

}  // namespace dse::reports
