#include "explore/ask/assignment_line.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "base/suggest.h"

namespace dse::explore {
namespace {

using nlohmann::json;

/// A pointer into the line that tells how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor() = default;
  Cursor(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_ = nullptr;
  const char** reached_ = nullptr;
};

/// The readers of values take no exponents, and a whole number is one however it is written.
std::string text_of(double v, const std::string& written) {
  if (v == std::floor(v) && std::fabs(v) < 1e15) return std::to_string(static_cast<std::int64_t>(v));
  if (written.find_first_of("eE") == std::string::npos) return written;
  auto text = fmt::format("{:.15f}", v);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Takes the parser's events; false ends the parse.
class Handler : public nlohmann::json_sax<json> {
 public:
  Handler(std::string_view text, const char** reached, AssignmentLine& out, Diagnostics& diags)
      : text_(text), reached_(reached), out_(out), diags_(diags) {}

  bool null() override {
    return fail(read() - 4, named() + "null is no value", "left out, a choice takes its default");
  }
  bool boolean(bool v) override { return value(v ? "true" : "false", v ? 4 : 5, {}); }
  bool number_integer(number_integer_t v) override { return value(std::to_string(v), 1, std::to_string(v)); }
  bool number_unsigned(number_unsigned_t v) override { return value(std::to_string(v), 1, std::to_string(v)); }
  bool number_float(number_float_t v, const string_t& s) override { return value(text_of(v, s), 1, s); }
  bool string(string_t& v) override {
    return value(v, read() - quoted_begin(), json(v).dump(-1, ' ', false, json::error_handler_t::replace));
  }
  bool binary(binary_t&) override { return false; }  // not in JSON
  bool start_object(std::size_t) override {
    if (inside_) return fail(read() - 1, named() + "a value is a string or a number, not an object");
    inside_ = true;
    return true;
  }
  bool start_array(std::size_t) override {
    if (inside_) return fail(read() - 1, named() + "a value is a string or a number, not a list");
    return fail(text_.find_first_not_of(" \t\r"), "expected an object of names and values, not a list");
  }
  bool end_array() override { return true; }
  bool end_object() override { return true; }
  bool key(string_t& v) override {
    key_ = v;
    if (!names_.insert(v).second) return fail(quoted_begin(), quote(v) + " is given twice");
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ..."; overflows have no place.
    std::string what = e.what();
    if (const auto begin = what.find("] "); begin != std::string::npos) what.erase(0, begin + 2);
    if (what.starts_with("parse error at"))
      if (const auto begin = what.find(": "); begin != std::string::npos) what.erase(0, begin + 2);
    return fail(position > 0 ? position - 1 : 0, "malformed JSON: " + what);
  }

 private:
  /// Bytes read so far; those of the token at hand are the last ones, unless it is a number.
  std::size_t read() const { return static_cast<std::size_t>(*reached_ - text_.data()); }
  /// Where the string that ends here begins: at the last quote that no backslash escapes.
  std::size_t quoted_begin() const {
    for (std::size_t at = read() - 1; at-- > 0;) {
      if (text_[at] != '"') continue;
      std::size_t backslashes = 0;
      while (backslashes < at && text_[at - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) return at;
    }
    return 0;
  }
  std::string named() const { return key_.empty() ? std::string() : quote(key_) + ": "; }
  bool fail(std::size_t at, const std::string& what, const std::string& hint = {}) {
    diags_.error({"", 1, static_cast<int>(at) + 1}, what, hint);
    return false;
  }
  /// `length`: of the value as written; `id`: how it is echoed.
  bool value(const std::string& v, std::size_t length, const std::string& id) {
    if (!inside_) return fail(text_.find_first_not_of(" \t\r"), "expected an object of names and values");
    constexpr std::string_view device = "device.";
    if (key_ == "id") {
      if (id.empty()) return fail(read() - length, "'id': an id is a string or a number");
      out_.id = id;
    } else if (key_.starts_with(device)) {
      out_.device[key_.substr(device.size())] = v;
    } else {
      out_.choices[key_] = v;
    }
    return true;
  }

  std::string_view text_;
  const char** reached_;
  AssignmentLine& out_;
  Diagnostics& diags_;
  std::set<std::string> names_;
  std::string key_;
  bool inside_ = false;
};

}  // namespace

bool read_assignment_line(std::string_view text, AssignmentLine& out, Diagnostics& diags) {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
    diags.error({"", 1, 1}, "the line is empty", "{} stands for the default of every choice");
    return false;
  }
  const char* reached = text.data();
  Handler handler(text, &reached, out, diags);
  return json::sax_parse(Cursor(text.data(), &reached), Cursor(text.data() + text.size(), &reached), &handler);
}

}  // namespace dse::explore
