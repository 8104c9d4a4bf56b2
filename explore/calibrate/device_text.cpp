#include "explore/calibrate/device_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/suggest.h"
#include "base/yaml/yaml.h"

namespace dse::explore {
namespace {

/// Null after an error.
const yaml::Node* at(const yaml::Node& root, const std::string& path, const std::string& file,
                     Diagnostics& diagnostics) {
  const yaml::Node* node = &root;
  for (const auto& word : yaml::segments_of(path)) {
    const auto* next = node->kind == yaml::Node::Kind::map ? node->find(word) : nullptr;
    if (!next) {
      std::vector<std::string> known;
      for (const auto& k : node->keys) known.push_back(k.text);
      const auto guess = nearest(word, known);
      diagnostics.error(
          {file, node->line, node->column}, "has no field " + path,
          guess.empty() ? (known.empty() ? "" : "there is " + join_or(known)) : "did you mean " + guess + "?");
      return nullptr;
    }
    node = next;
  }
  return node;
}

bool is_rate(const std::string& path, const std::string& unit) {
  return path.find(".efficiency.") != std::string::npos || path.find(".macs_per_cycle.") != std::string::npos ||
         unit.find("/cycle") != std::string::npos;
}

std::optional<DeviceNumber> number_at(const yaml::Node& node, const std::string& path) {
  DeviceNumber n;
  n.path = path, n.line = node.line, n.column = node.column, n.length = static_cast<int>(node.text.size());
  const auto end = node.text.data() + node.text.size();
  const auto [rest, why] = std::from_chars(node.text.data(), end, n.value);
  n.unit.assign(rest, end);
  n.most = path.find(".efficiency.") != std::string::npos ? 1 : 1000;
  n.whole = n.unit.rfind(" cycle", 0) == 0, n.divides = is_rate(path, n.unit);
  const bool plain = node.kind == yaml::Node::Kind::scalar && !node.quoted && why == std::errc() &&
                     n.unit.find('/') != 0 && std::isfinite(n.value) && n.value >= (n.divides ? 1e-9 : 0);
  return plain ? std::optional(std::move(n)) : std::nullopt;
}

std::string with_numbers(const std::string& text, const std::vector<DeviceNumber>& numbers,
                         const std::vector<double>& values) {
  std::vector<std::size_t> lines = {0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines.push_back(i + 1);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < numbers.size(); ++k) order.push_back(k);
  // From the end on, so that what is before stays where it is.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(numbers[a].line, numbers[a].column) > std::pair(numbers[b].line, numbers[b].column);
  });
  std::string out = text;
  for (const auto k : order) {
    const auto& n = numbers[k];
    out.replace(lines.at(static_cast<std::size_t>(n.line - 1)) + static_cast<std::size_t>(n.column - 1),
                static_cast<std::size_t>(n.length), n.text(values[k]));
  }
  return out;
}

}  // namespace

std::string DeviceNumber::text(double v) const {
  if (whole) return fmt::format("{}", std::llround(v)) + unit;
  // Six digits in all, at most six of them behind the point.
  const int before = v >= 1 ? static_cast<int>(std::floor(std::log10(v))) + 1 : 0;
  auto out = fmt::format("{:.{}f}", v, std::clamp(6 - before, 0, 6));
  if (out.find('.') != std::string::npos) out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out + unit;
}

std::string DeviceConstant::text(double v) const {
  if (!factor) return numbers.front().text(v);
  return "x " + DeviceNumber().text(divides() ? 1 / v : v);
}

std::optional<std::vector<DeviceConstant>> find_constants(const std::string& text, const std::string& file,
                                                          const std::vector<std::string>& paths,
                                                          Diagnostics& diagnostics) {
  const auto root = yaml::parse(text, file, diagnostics);
  if (!root) return std::nullopt;
  std::vector<DeviceConstant> out;
  std::set<std::pair<int, int>> seen;  // places in the text
  bool right = true;
  for (const auto& words : paths) {
    const auto path = words.substr(0, words.find('='));
    const auto* node = at(*root, path, file, diagnostics);
    DeviceConstant c{path, node && node->kind == yaml::Node::Kind::map, std::nullopt, {}};
    if (path.size() < words.size()) {
      double start = 0;
      const auto* text = words.data() + path.size() + 1;
      const auto [rest, why] = std::from_chars(text, words.data() + words.size(), start);
      if (why != std::errc() || !std::isfinite(start) || start < 0 || start > 1e9 || c.factor) {
        diagnostics.error({file, 0, 0}, quote(words) + " does not end in a number where the fit of one could start");
        right = false;
      }
      c.start = start;
    }
    if (c.factor) {
      for (const auto& key : node->keys)
        if (const auto n = number_at(*node->find(key.text), path + "." + key.text)) c.numbers.push_back(*n);
      if (c.numbers.size() != node->keys.size()) c.numbers.clear();
    } else if (const auto n = node ? number_at(*node, path) : std::nullopt) {
      c.numbers.push_back(*n);
    }
    if (node && c.numbers.empty())
      diagnostics.error(node->where(), path + " is no plain number that a fit could change, nor a table of such",
                        "write it like 1.5 or 300 cycles");
    for (const auto& n : c.numbers)
      if (!seen.emplace(n.line, n.column).second) {
        diagnostics.error(node->where(), n.path + " is asked for twice");
        right = false;
      }
    right = right && !c.numbers.empty();
    out.push_back(std::move(c));
  }
  if (!right) return std::nullopt;
  return out;
}

std::vector<std::string> rates_of(const std::string& text, const std::string& file, const std::string& engine) {
  Diagnostics ignored;
  std::vector<std::string> out;
  const auto root = yaml::parse(text, file, ignored);
  for (const char* table : {"cycles_per_count", "cycles_per_mac", "efficiency"}) {
    if (!out.empty()) break;  // where loops are counted, rates say little
    const std::string path = "engines." + engine + "." + table;
    const auto* node = root ? at(*root, path, file, ignored) : nullptr;
    if (!node || node->kind != yaml::Node::Kind::map) continue;
    for (const auto& k : node->keys) out.push_back(path + "." + k.text);
  }
  return out;
}

std::string with_constants(const std::string& text, const std::vector<DeviceConstant>& constants,
                           const std::vector<double>& values) {
  std::vector<DeviceNumber> numbers;
  std::vector<double> each;
  for (std::size_t k = 0; k < constants.size(); ++k)
    for (const auto& n : constants[k].numbers) {
      numbers.push_back(n);
      each.push_back(constants[k].factor ? std::min(n.most, n.value * values[k]) : values[k]);
    }
  return with_numbers(text, numbers, each);
}

std::string with_timing_error(const std::string& text, const std::string& file, double error) {
  Diagnostics ignored;
  const auto root = yaml::parse(text, file, ignored);
  const auto value = fmt::format("{:.3f}", error);
  if (const auto* node = root ? root->find("timing_error") : nullptr; node && node->kind == yaml::Node::Kind::scalar) {
    DeviceNumber n;
    n.line = node->line, n.column = node->column, n.length = static_cast<int>(node->text.size());
    return with_numbers(text, {n}, {std::stod(value)});
  }
  return text + (text.empty() || text.back() == '\n' ? "" : "\n") + "timing_error: " + value + "\n";
}

}  // namespace dse::explore
