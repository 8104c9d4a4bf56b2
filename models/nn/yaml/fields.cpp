#include "models/nn/yaml/fields.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "models/nn/graph/derivation.h"

namespace dse::nn {

void YamlReport::error(const YAML::Mark& mark, const std::string& what, const std::string& hint) {
  failed_ = true;
  const bool known = !mark.is_null();
  diags_.error({file_, known ? mark.line + 1 : 0, known ? mark.column + 1 : 0}, what, hint);
}

bool parse_integer(const std::string& text, std::int64_t& value) {
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (text.size() > digits + 1 && text[digits] == '0') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

YamlFields::YamlFields(const YAML::Node& node, std::string where, YamlReport& report)
    : where_(std::move(where)), report_(report), mark_(node.Mark()) {
  if (node.IsNull()) return;
  if (!node.IsMap()) {
    report_.error(mark_, where_ + " must be a map of keys and values");
    return;
  }
  for (const auto& pair : node) {
    if (!pair.first.IsScalar()) {
      report_.error(pair.first.Mark(), where_ + ": a key must be a word");
      continue;
    }
    const std::string key = pair.first.Scalar();
    if (!values_.emplace(key, pair.second).second)
      report_.error(pair.first.Mark(), fmt::format("{}: '{}' is given twice", where_, key),
                    fmt::format("first given in line {}", keys_[key].line + 1));
    else
      keys_[key] = pair.first.Mark();
  }
}

YAML::Mark YamlFields::mark_of(const std::string& key) const {
  const auto v = values_.find(key);
  return v == values_.end() ? mark_ : v->second.Mark();
}

YAML::Node YamlFields::take(const std::string& key, bool required) {
  taken_.insert(key);
  const auto v = values_.find(key);
  if (v != values_.end()) return v->second;
  if (required) report_.error(mark_, fmt::format("{}: '{}' is missing", where_, key));
  return YAML::Node(YAML::NodeType::Undefined);
}

std::string YamlFields::text(const std::string& key, bool required, const std::string& fallback) {
  const YAML::Node n = take(key, required);
  if (!n.IsDefined()) return fallback;
  if (n.IsScalar() && !n.Scalar().empty()) return n.Scalar();
  report_.error(n.Mark(), fmt::format("{}: '{}' must be a word", where_, key));
  return fallback;
}

std::int64_t YamlFields::integer(const std::string& key, bool required, std::int64_t lo, std::int64_t hi,
                                 std::int64_t fallback) {
  const YAML::Node n = take(key, required);
  if (!n.IsDefined()) return fallback;
  std::int64_t v = 0;
  if (n.IsScalar() && parse_integer(n.Scalar(), v) && v >= lo && v <= hi) return v;
  report_.error(n.Mark(), fmt::format("{}: '{}' must be an integer from {} to {}", where_, key, lo, hi));
  return fallback;
}

double YamlFields::number(const std::string& key, double lo, double hi, double fallback) {
  const YAML::Node n = take(key, false);
  if (!n.IsDefined()) return fallback;
  double v = 0;
  if (n.IsScalar()) {
    const std::string& s = n.Scalar();
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (error == std::errc() && end == s.data() + s.size() && v >= lo && v <= hi) return v;
  }
  report_.error(n.Mark(), fmt::format("{}: '{}' must be a number from {} to {}", where_, key, lo, hi));
  return fallback;
}

bool YamlFields::boolean(const std::string& key, bool fallback) {
  return word(key, {"false", "true"}, fallback ? 1 : 0) == 1;
}

int YamlFields::word(const std::string& key, std::initializer_list<const char*> words, int fallback) {
  const YAML::Node n = take(key, false);
  if (!n.IsDefined()) return fallback;
  int i = 0;
  for (const char* w : words) {
    if (n.IsScalar() && n.Scalar() == w) return i;
    ++i;
  }
  report_.error(n.Mark(), fmt::format("{}: '{}' must be one of {}", where_, key, fmt::join(words, ", ")));
  return fallback;
}

std::vector<std::int64_t> YamlFields::extents(const std::string& key, bool required, std::size_t count, bool scalar,
                                              std::int64_t hi, std::int64_t lo) {
  const YAML::Node n = take(key, required);
  if (!n.IsDefined()) return {};
  std::vector<std::int64_t> values;
  std::int64_t v = 0;
  const auto read = [&](const YAML::Node& e) {
    if (e.IsScalar() && parse_integer(e.Scalar(), v) && v >= lo && v <= hi) return values.push_back(v), true;
    report_.error(e.Mark(), fmt::format("{}: '{}' must hold integers from {} to {}", where_, key, lo, hi));
    return false;
  };
  if (scalar && n.IsScalar()) return read(n) ? std::vector<std::int64_t>(count, v) : std::vector<std::int64_t>{};
  const std::size_t size = n.IsSequence() ? n.size() : 0;
  if (size == 0 || size > 8 || (count && size != count)) {
    report_.error(n.Mark(), count ? fmt::format("{}: '{}' must be {}a list of {} integers", where_, key,
                                                scalar ? "an integer or " : "", count)
                                  : fmt::format("{}: '{}' must be a list of 1 to 8 integers", where_, key));
    return {};
  }
  for (std::size_t i = 0; i < size; ++i)
    if (!read(n[i])) return {};
  return values;
}

std::vector<std::pair<std::string, YAML::Mark>> YamlFields::names(const std::string& key, std::size_t most) {
  const YAML::Node n = take(key, true);
  if (!n.IsDefined()) return {};
  std::vector<std::pair<std::string, YAML::Mark>> list;
  bool right = n.IsSequence() && n.size() >= 1 && n.size() <= most;
  for (std::size_t i = 0; right && i < n.size(); ++i) {
    right = n[i].IsScalar() && !n[i].Scalar().empty();
    if (right) list.emplace_back(n[i].Scalar(), n[i].Mark());
  }
  if (right) return list;
  report_.error(n.Mark(), fmt::format("{}: '{}' must be a list of 1 to {} words", where_, key, most));
  return {};
}

void YamlFields::finish() {
  for (const auto& [key, mark] : keys_)
    if (!taken_.count(key))
      report_.error(mark, fmt::format("{}: unknown key '{}'", where_, key),
                    fmt::format("known are {}", fmt::join(taken_, ", ")));
}

std::int64_t known_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const auto d : shape) {
    if (d > max_elements / n) return -1;
    n *= d;
  }
  return n;
}

bool check_size(YamlReport& report, const YAML::Mark& mark, const std::string& what,
                const std::vector<std::int64_t>& shape) {
  if (known_elements(shape) >= 0) return true;
  report.error(mark, fmt::format("{}: shape {} has more than 64 M elements", what, text_of(shape)));
  return false;
}

}  // namespace dse::nn
