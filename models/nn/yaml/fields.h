// Strict reading of YAML maps for the network format: every problem is reported with its place, and none stops the
// reading.
#pragma once
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace dse::nn {

/// Where YAML problems go.
class YamlReport {
 public:
  YamlReport(std::string file, Diagnostics& diags) : file_(std::move(file)), diags_(diags) {}
  void error(const YAML::Mark& mark, const std::string& what, const std::string& hint = {});
  bool failed() const { return failed_; }

 private:
  std::string file_;
  Diagnostics& diags_;
  bool failed_ = false;
};

/// A map whose keys are taken one by one; finish() reports those that nobody took.
class YamlFields {
 public:
  /// @param where what the map is, for messages ("layer conv"). Not a map or duplicate keys: errors.
  YamlFields(const YAML::Node& node, std::string where, YamlReport& report);

  bool has(const std::string& key) const { return values_.count(key) > 0; }
  bool is_list(const std::string& key) const { return has(key) && values_.at(key).IsSequence(); }
  YAML::Mark mark() const { return mark_; }
  YAML::Mark mark_of(const std::string& key) const;
  /// The value, or an undefined node. Marks the key as known. Required and absent: an error.
  YAML::Node take(const std::string& key, bool required);

  std::string text(const std::string& key, bool required, const std::string& fallback = {});
  /// A decimal integer within [lo, hi]. On error: `fallback`.
  std::int64_t integer(const std::string& key, bool required, std::int64_t lo, std::int64_t hi, std::int64_t fallback);
  double number(const std::string& key, double lo, double hi, double fallback);
  bool boolean(const std::string& key, bool fallback);
  /// One of `words`; @returns its index.
  int word(const std::string& key, std::initializer_list<const char*> words, int fallback);
  /// A list of integers from `lo`, or (where `scalar`) one integer that stands for `count` equal ones. @param count 0 =
  /// any, up to 8.
  std::vector<std::int64_t> extents(const std::string& key, bool required, std::size_t count, bool scalar,
                                    std::int64_t hi, std::int64_t lo = 1);
  /// A list of 1 to `most` words, each with its place; required.
  std::vector<std::pair<std::string, YAML::Mark>> names(const std::string& key, std::size_t most);
  void finish();

 private:
  std::string where_;
  YamlReport& report_;
  YAML::Mark mark_;
  std::map<std::string, YAML::Node> values_;
  std::map<std::string, YAML::Mark> keys_;
  std::set<std::string> taken_;
};

/// Strict decimal integer (no leading zeros, no hexadecimal): yaml-cpp reads 010 as 8.
bool parse_integer(const std::string& text, std::int64_t& value);

/// Extents multiplied, or -1 when there are more than we accept.
std::int64_t known_elements(const std::vector<std::int64_t>& shape);
/// Reports a shape with more than that.
bool check_size(YamlReport& report, const YAML::Mark& mark, const std::string& what,
                const std::vector<std::int64_t>& shape);

}  // namespace dse::nn
