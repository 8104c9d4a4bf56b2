#include "base/unit_text.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "base/suggest.h"

namespace dse {

namespace unit {
const Unit bytes{
    "a size",
    "64 KiB",
    {{"B", 1}, {"KB", 1000}, {"KiB", 1024}, {"MB", 1000000}, {"MiB", 1 << 20}, {"GB", 1000000000}, {"GiB", 1 << 30}}};
const Unit bandwidth{"a bandwidth", "8 B/cycle", {{"B/cycle", 1}}, false, true, 6};
const Unit cycles{"a number of cycles", "10 cycles", {{"cycles", 1}, {"cycle", 1}}};
const Unit frequency{"a frequency", "175 MHz", {{"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}}};
const Unit time{"a time", "20 ms", {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}}};
const Unit count{"a count", "20000 or 23 M", {{"k", 1000}, {"M", 1000000}, {"G", 1000000000}}, true};
const Unit ratio{"a number", "0.5", {}, true, true, 6};
const Unit area{"an area", "0.8 mm2", {{"um2", 1}, {"mm2", 1000000}}};
const Unit pj_per_byte{"an energy per byte", "0.5 pJ/B", {{"pJ/B", 1}, {"nJ/B", 1000}}};
const Unit pj_per_mac{"an energy per multiply-accumulate", "0.8 pJ/MAC", {{"pJ/MAC", 1}, {"nJ/MAC", 1000}}};
const Unit pj_per_access{"an energy per access", "10 pJ/access", {{"pJ/access", 1}, {"nJ/access", 1000}}};
const Unit pj_per_element{"an energy per element", "0.1 pJ/element", {{"pJ/element", 1}, {"nJ/element", 1000}}};
const Unit pj_per_cycle{"an energy per cycle", "100 pJ/cycle", {{"pJ/cycle", 1}, {"nJ/cycle", 1000}}};
const Unit power{"a power", "2.5 uW", {{"uW", 1}, {"mW", 1000}, {"W", 1000000}}};
}  // namespace unit

namespace {

constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();
__extension__ typedef __int128 Wide;

bool digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& s) {
  std::size_t n = 0;
  while (n < s.size() && digit(s[n])) ++n;
  const auto out = s.substr(0, n);
  s.remove_prefix(n);
  return out;
}

/// nullopt on overflow.
std::optional<std::int64_t> to_int(std::string_view digits, std::int64_t start = 0) {
  Wide v = start;
  for (char c : digits) {
    v = v * 10 + (c - '0');
    if (v > max64) return std::nullopt;
  }
  return static_cast<std::int64_t>(v);
}

std::optional<Ratio> reduced(Wide num, Wide den) {
  Wide a = num, b = den;
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  if (a > 1) num /= a, den /= a;
  if (num > max64 || den > max64) return std::nullopt;
  return Ratio{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

std::string use(const Unit& u) {
  if (u.suffixes.empty()) return ", for example " + u.example;
  return ": use " + suffixes_of(u) + (u.bare ? " or no unit" : "") + ", for example " + u.example;
}

struct Number {
  Wide num = 0, den = 1;
};

/// Reads the number in front of `rest`. Errors are complete sentences.
std::string take_number(std::string_view text, std::string_view& rest, const Unit& u, Number& out) {
  const auto not_one = [&] { return quote(text) + " is not " + u.what + use(u); };
  rest = text;
  if (!rest.empty() && rest[0] == '-') return quote(text) + " is negative: " + u.what + " is zero or more";
  const auto whole = take_digits(rest);
  if (whole.empty()) return not_one();
  if (whole.size() > 1 && whole[0] == '0')
    return quote(text) + " starts with 0, which some would read as octal: write " + u.what + " without leading zeros";
  const auto too_large = [&] { return quote(text) + " is too large for " + u.what; };
  const auto integer = to_int(whole);
  if (!integer) return too_large();
  out.num = *integer;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    const auto decimals = take_digits(rest);
    if (decimals.empty()) return not_one();
    if (decimals.size() > static_cast<std::size_t>(u.decimals))
      return quote(text) + " has more than " + std::to_string(u.decimals) + " digits after the point";
    const auto digits = to_int(decimals, *integer);
    if (!digits) return too_large();
    out.num = *digits;
    for (std::size_t i = 0; i < decimals.size(); ++i) out.den *= 10;
  } else if (u.fraction && !rest.empty() && rest[0] == '/') {
    std::string_view after = rest.substr(1);
    const auto below = take_digits(after);
    if (below.empty() || below[0] == '0') return not_one();
    const auto den = to_int(below);
    if (!den || *den > 1000000) return quote(text) + " has a denominator above 1000000";
    out.den = *den;
    rest = after;
  }
  return {};
}

}  // namespace

Parsed<Ratio> parse_quantity(std::string_view text, const Unit& u) {
  Number n;
  std::string_view rest;
  if (auto error = take_number(text, rest, u, n); !error.empty()) return {std::nullopt, std::move(error)};
  if (!rest.empty() && rest[0] == ' ') {
    rest.remove_prefix(1);
    if (rest.empty()) rest = " ";  // `64 ` is not a number alone
  }
  std::int64_t factor = 1;
  if (rest.empty()) {
    if (!u.bare)
      return {std::nullopt, quote(text) + " has no unit: " + u.what + " is given in " + suffixes_of(u) +
                                ", for example " + u.example};
  } else {
    const Unit::Suffix* found = nullptr;
    for (const auto& s : u.suffixes)
      if (s.text == rest) found = &s;
    if (found == nullptr) return {std::nullopt, quote(text) + " is not " + u.what + use(u)};
    factor = found->factor;
  }
  const auto value = reduced(n.num * factor, n.den);
  if (!value) return {std::nullopt, quote(text) + " is too large for " + u.what};
  return {*value, {}};
}

Parsed<std::int64_t> parse_whole(std::string_view text, const Unit& u) {
  const auto q = parse_quantity(text, u);
  if (!q.value) return {std::nullopt, q.error};
  if (q.value->den != 1) {
    const std::string of = u.bare || u.suffixes.empty() ? "" : " of " + u.suffixes[0].text;
    return {std::nullopt, quote(text) + " is not a whole number" + of};
  }
  return {q.value->num, {}};
}

std::int64_t Duration::cycles(std::int64_t hz) const {
  if (in_cycles) return ceil_div(amount.num, amount.den);
  const Wide num = static_cast<Wide>(amount.num) * hz, den = static_cast<Wide>(amount.den) * 1000000000;
  return static_cast<std::int64_t>((num + den - 1) / den);
}

Parsed<Duration> parse_duration(std::string_view text) {
  static const Unit both{"a latency", "10 cycles or 60 ns", {{"cycles", 1}, {"cycle", 1}, {"ns", 1}, {"us", 1}}};
  constexpr std::int64_t limit = 1000000;
  auto q = parse_quantity(text, both);
  if (!q.value) return {std::nullopt, q.error};
  Duration d{*q.value, true};
  if (text.back() == 's' && text[text.size() - 2] != 'e') {
    d.in_cycles = false;
    d.amount = *parse_quantity(text, unit::time).value;  // a unit of `both` that is not cycles is one of time
  } else if (d.amount.den != 1) {
    return {std::nullopt, quote(text) + " is not a whole number of cycles"};
  }
  if (less({limit, 1}, d.amount)) return {std::nullopt, quote(text) + " is too large for a latency"};
  return {d, {}};
}

std::string pattern_of(const Unit& u) {
  std::string number =
      "(0|[1-9][0-9]*)(\\.[0-9]{1," + std::to_string(u.decimals) + "}" + (u.fraction ? "|/[1-9][0-9]*" : "") + ")?";
  if (u.suffixes.empty()) return "^" + number + "$";
  std::string units;
  for (const auto& s : u.suffixes) units += (units.empty() ? "" : "|") + s.text;
  return "^" + number + (u.bare ? "( ?(" + units + "))?" : " ?(" + units + ")") + "$";
}

std::string suffixes_of(const Unit& u) {
  std::vector<std::string> words;
  for (const auto& s : u.suffixes) words.push_back(s.text);
  return join_or(words);
}

std::string kib_text(std::int64_t bytes) { return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024.0); }

std::string format_quantity(Ratio v, const Unit& u) {
  const Unit::Suffix* best = nullptr;
  for (const auto& s : u.suffixes)
    if (v.den == 1 && v.num > 0 && v.num % s.factor == 0 && (best == nullptr || s.factor > best->factor)) best = &s;
  if (best == nullptr && !u.bare && !u.suffixes.empty()) best = &u.suffixes[0];
  if (u.what == unit::cycles.what && v.num == 1 && v.den == 1) best = &u.suffixes[1];
  std::string number;
  const std::int64_t factor = best ? best->factor : 1;
  if (v.den == 1) {
    number = std::to_string(v.num / factor);
  } else if (1000000 % v.den == 0 && v.num <= max64 / 1000000) {
    const std::int64_t micro = v.num * (1000000 / v.den);
    std::string decimals = std::to_string(1000000 + micro % 1000000).substr(1);
    while (decimals.back() == '0') decimals.pop_back();
    number = std::to_string(micro / 1000000) + "." + decimals;
  } else {
    number = std::to_string(v.num) + "/" + std::to_string(v.den);
  }
  return best ? number + " " + best->text : number;
}

bool less(Ratio a, Ratio b) { return static_cast<Wide>(a.num) * b.den < static_cast<Wide>(b.num) * a.den; }

}  // namespace dse
