#include "base/yaml/yaml_types.h"

#include <cmath>

#include "base/suggest.h"

namespace dse::yaml {

namespace {

/// "size" of "a size".
std::string noun(const Unit& u) { return u.what.substr(u.what.find(' ') + 1); }

std::string range_words(Ratio low, Ratio high, const Unit& u) {
  return format_quantity(low, u) + " to " + format_quantity(high, u);
}

Schema quantity_schema(const Unit& u, Ratio low, Ratio high, bool integer) {
  Schema s;
  s.kind = Schema::Kind::quantity;
  s.words = noun(u) + ", " + range_words(low, high, u);
  s.pattern = pattern_of(u);
  s.bare = u.bare;
  s.integer = integer;
  s.minimum = low.value(), s.maximum = high.value();
  return s;
}

/// The one reader of ranged quantities. `integer`: refuse fractions.
bool read_ratio(const Node& n, Reader& r, const Unit& u, Ratio low, Ratio high, bool integer, Ratio& out) {
  if (!detail::expect_scalar(n, r, u.what + " such as " + u.example)) return false;
  std::string error;
  if (integer) {
    const auto p = parse_whole(n.text, u);
    if (p.value) out = {*p.value, 1};
    error = p.error;
  } else {
    const auto p = parse_quantity(n.text, u);
    if (p.value) out = *p.value;
    error = p.error;
  }
  if (error.empty() && (less(out, low) || less(high, out)))
    error = quote(n.text) + " is out of range: " + range_words(low, high, u);
  if (error.empty()) return true;
  r.error(n, error);
  return false;
}

}  // namespace

Type<std::string> text() {
  Type<std::string> t;
  t.schema.words = "text";
  t.read = [](const Node& n, Reader& r, std::string& v) {
    if (!detail::expect_scalar(n, r, "a text")) return false;
    v = n.text;
    if (v.empty()) r.error(n, "is empty: expected a text");
    return !v.empty();
  };
  t.show = [](const std::string& v) { return v; };
  return t;
}

Type<std::string> name() {
  Type<std::string> t;
  t.schema.words = "name";
  t.schema.pattern = name_pattern;
  t.read = [](const Node& n, Reader& r, std::string& v) {
    if (!detail::expect_scalar(n, r, "a name")) return false;
    if (!detail::valid_name(n.text)) {
      r.error(n, quote(n.text) + " is not a name: use letters, digits, _ and -, and begin with a letter");
      return false;
    }
    v = n.text;
    return true;
  };
  t.show = [](const std::string& v) { return v; };
  return t;
}

Type<bool> boolean() {
  Type<bool> t;
  t.schema.kind = Schema::Kind::boolean;
  t.schema.words = "true or false";
  t.read = [](const Node& n, Reader& r, bool& v) {
    if (!detail::expect_scalar(n, r, "true or false")) return false;
    if (n.quoted || (n.text != "true" && n.text != "false")) {
      r.error(n, quote(n.text) + " is neither true nor false" + (n.quoted ? " (without quotes)" : ""));
      return false;
    }
    v = n.text == "true";
    return true;
  };
  t.show = [](const bool& v) { return std::string(v ? "true" : "false"); };
  return t;
}

Type<Duration> duration() {
  Type<Duration> t;
  t.schema.kind = Schema::Kind::quantity;
  t.schema.words = "cycles or a time: 10 cycles, 60 ns";
  t.schema.pattern = "^(0|[1-9][0-9]*)(\\.[0-9]{1,9})? ?(cycles|cycle|ns|us)$";
  t.read = [](const Node& n, Reader& r, Duration& v) {
    if (!detail::expect_scalar(n, r, "a latency such as 10 cycles or 60 ns")) return false;
    auto p = parse_duration(n.text);
    if (p.value) v = *p.value;
    if (!p.value) r.error(n, p.error);
    return p.value.has_value();
  };
  t.show = [](const Duration& v) { return format_quantity(v.amount, v.in_cycles ? unit::cycles : unit::time); };
  return t;
}

Type<std::int64_t> whole(const Unit& u, std::int64_t low, std::int64_t high) {
  Type<std::int64_t> t;
  t.schema = quantity_schema(u, {low, 1}, {high, 1}, true);
  t.read = [u, low, high](const Node& n, Reader& r, std::int64_t& v) {
    Ratio q;
    if (!read_ratio(n, r, u, {low, 1}, {high, 1}, true, q)) return false;
    v = q.num;
    return true;
  };
  t.show = [u](const std::int64_t& v) { return format_quantity({v, 1}, u); };
  return t;
}

Type<int> small(const Unit& u, int low, int high) {
  auto wide = whole(u, low, high);
  Type<int> t;
  t.schema = wide.schema;
  t.read = [wide](const Node& n, Reader& r, int& v) {
    std::int64_t w = 0;
    if (!wide.read(n, r, w)) return false;
    v = static_cast<int>(w);
    return true;
  };
  t.show = [wide](const int& v) { return wide.show(v); };
  return t;
}

Type<Ratio> rational(const Unit& u, Ratio low, Ratio high) {
  Type<Ratio> t;
  t.schema = quantity_schema(u, low, high, false);
  t.read = [u, low, high](const Node& n, Reader& r, Ratio& v) {
    Ratio q;
    if (!read_ratio(n, r, u, low, high, false, q)) return false;
    v = q;
    return true;
  };
  t.show = [u](const Ratio& v) { return format_quantity(v, u); };
  return t;
}

Type<double> real(const Unit& u, double low, double high) {
  const auto micro = [](double v) { return Ratio{std::llround(v * 1e6), 1000000}; };
  const auto reduced = [](Ratio v) { return v.num % v.den == 0 ? Ratio{v.num / v.den, 1} : v; };
  auto exact = rational(u, reduced(micro(low)), reduced(micro(high)));
  Type<double> t;
  t.schema = exact.schema;
  t.read = [exact](const Node& n, Reader& r, double& v) {
    Ratio q;
    if (!exact.read(n, r, q)) return false;
    v = q.value();
    return true;
  };
  t.show = [u, micro, reduced](const double& v) { return format_quantity(reduced(micro(v)), u); };
  return t;
}

Type<std::string> choice(std::vector<std::string> words) {
  Type<std::string> t;
  t.schema.kind = Schema::Kind::choice;
  t.schema.words = join_or(words);
  t.schema.choices = words;
  t.read = [words](const Node& n, Reader& r, std::string& v) {
    if (!detail::expect_scalar(n, r, join_or(words))) return false;
    if (auto error = detail::not_a_choice(n.text, words); !error.empty()) {
      r.error(n, error);
      return false;
    }
    v = n.text;
    return true;
  };
  t.show = [](const std::string& v) { return v; };
  return t;
}

}  // namespace dse::yaml
