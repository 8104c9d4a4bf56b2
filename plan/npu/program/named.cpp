// Decisions about a schedule of an Ethos-U by name, and in words.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/index.h"
#include "base/suggest.h"
#include "plan/npu/decompose/to_graph.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/npu/program/sections.h"

namespace dse::plan::npu {

namespace {

/// Of the whole text.
template <class T>
bool read_number(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out > 0;
}

/// "4x8x16".
std::optional<hw::ethos_u::Block> read_block(std::string_view text) {
  hw::ethos_u::Block out;
  const auto first = text.find('x'), second = first == text.npos ? text.npos : text.find('x', first + 1);
  if (second == text.npos || !read_number(text.substr(0, first), out.h) ||
      !read_number(text.substr(first + 1, second - first - 1), out.w) || !read_number(text.substr(second + 1), out.c))
    return std::nullopt;
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> named(const Compiled& c) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"npu.rule", kRules[c.decided.rule == Optimise::size ? 1 : 0]}, {"npu.limit", std::to_string(c.decided.limit)}};
  if (c.decided.formats != Formats::in_place)
    out.emplace_back("npu.formats", kFormats[static_cast<int>(c.decided.formats)]);
  const auto names = operation_names(*c.graph);
  for (const auto& [i, b] : c.decided.blocks) out.emplace_back(names[index(i)] + ".block", text_of(b));
  for (const int i : c.decided.unstaged) out.emplace_back(names[index(i)] + ".weights", kInPlace);
  return out;
}

std::variant<Decisions, std::string> decisions_of(const nn::Network& network, const hw::ethos_u::Npu& npu,
                                                  const std::vector<std::pair<std::string, std::string>>& named) {
  Decisions out;
  out.limit = npu.arena_limit;
  const auto names = operation_names(to_graph(network, npu.acc()));
  for (const auto& [name, value] : named) {
    const auto dot = name.rfind('.');
    const std::string of = name.substr(0, dot), what = dot == name.npos ? "" : name.substr(dot + 1);
    const auto at = std::find(names.begin(), names.end(), of);
    const bool is_operation = at != names.end();
    const int i = static_cast<int>(at - names.begin());
    if (name == "npu.rule") {
      if (value != kRules[0] && value != kRules[1])
        return fmt::format("no rule {}; there are performance and size", quote(value));
      out.rule = value == kRules[1] ? Optimise::size : Optimise::performance;
    } else if (name == "npu.limit") {
      if (!read_number(value, out.limit)) return fmt::format("limit must be bytes of SRAM, not {}", quote(value));
    } else if (name == "npu.formats") {
      if (value != kFormats[0] && value != kFormats[1])
        return fmt::format("no formats {}; there are in-place and bricks", quote(value));
      out.formats = value == kFormats[1] ? Formats::bricks : Formats::in_place;
    } else if (is_operation && (what == "block" || what == "weights") && value == kByRule) {
      continue;
    } else if (is_operation && what == "block") {
      const auto block = read_block(value);
      if (!block)
        return fmt::format("{} must be rows x columns x channels such as 4x8x16, or {}, not {}", name, quote(kByRule),
                           quote(value));
      out.blocks[i] = *block;
    } else if (is_operation && what == "weights") {
      if (value != kInPlace)
        return fmt::format("{} can only be said to be {} or {}, not {}", name, quote(kInPlace), quote(kByRule),
                           quote(value));
      out.unstaged.insert(i);
    } else {
      const auto guess = nearest(of, names);
      return fmt::format("no {} of an NPU's schedule{}", quote(name),
                         is_operation    ? "; an operation has block and weights"
                         : guess.empty() ? ""
                                         : "; did you mean " + guess + "?");
    }
  }
  return out;
}

std::vector<std::string> in_words(const Compiled& c) {
  std::vector<std::string> out;
  const auto names = operation_names(*c.graph);
  for (const Section& s : sections_of(c)) {
    if (!s.on_npu) {
      const Fallback& f = c.graph->fallbacks[index(s.number)];
      out.push_back(fmt::format("{}: on the CPU, {}", c.network->operators[index(f.source)].name, f.why));
      continue;
    }
    const auto& [first, last] = c.graph->segments[index(s.number)];
    for (int i = first; i < last; ++i) {
      const OperationPlan& plan = c.schedule.operations[index(i)];
      std::string line = fmt::format("{}: on the NPU, blocks of {}", names[index(i)], text_of(plan.block.ofm));
      if (c.schedule.cascade_of(plan))
        line += fmt::format(", in a cascade, {} row{} at a time", plan.stripe.h, plan.stripe.h == 1 ? "" : "s");
      if (c.costs->op(i).weights && plan.staging != WeightStaging::none)
        line += fmt::format(", weights through {} in SRAM{}",
                            plan.staging == WeightStaging::two_buffers ? "two buffers" : "a buffer",
                            plan.ahead ? ", the first ones ahead" : "");
      out.push_back(std::move(line));
    }
  }
  return out;
}

}  // namespace dse::plan::npu
