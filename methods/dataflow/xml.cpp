#include "methods/dataflow/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace dse::plan::phases {
namespace {

struct Refused {};  // a diagnostic has been given

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == ':' || (c & 0x80); }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class Parser {
 public:
  Parser(std::string_view text, const std::string& file, Diagnostics& diags) : text_(text), diags_(diags) {
    at_.file = file;
    at_.line = at_.column = 1;
  }

  XmlElement document() {
    if (text_.size() > max_xml_bytes) fail(fmt::format("the file is larger than {} bytes", max_xml_bytes));
    if (starts("\xEF\xBB\xBF")) skip(3), at_.column = 1;
    if (starts("<?xml") && text_.size() > i_ + 5 && is_space(text_[i_ + 5])) {
      while (!starts("?>")) step("the XML declaration has no end");
      skip(2);
    }
    between_tags("before the root element");
    if (!starts("<")) fail("there is no element");
    XmlElement root = element(1);
    between_tags("after the root element");
    if (i_ < text_.size()) fail("there is a second root element");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string what, std::string hint = {}) {
    diags_.error(at_, std::move(what), std::move(hint));
    throw Refused{};
  }
  bool starts(std::string_view s) const { return text_.substr(i_, s.size()) == s; }
  void skip(std::size_t n) {
    for (; n > 0; --n, ++i_)
      if (text_[i_] == '\n')
        ++at_.line, at_.column = 1;
      else
        ++at_.column;
  }
  void step(const char* at_end) {
    if (i_ >= text_.size()) fail(at_end);
    skip(1);
  }
  void spaces() {
    while (i_ < text_.size() && is_space(text_[i_])) skip(1);
  }

  /// Spaces and comments up to the next tag or the end.
  void between_tags(const std::string& where) {
    for (;;) {
      spaces();
      if (i_ >= text_.size()) return;
      if (starts("<!--")) {
        skip(4);
        while (!starts("-->")) step("a comment has no end");
        skip(3);
      } else if (starts("<!DOCTYPE")) {
        fail("document types are not read", "remove the DOCTYPE: graph files need none");
      } else if (starts("<![CDATA[")) {
        fail("CDATA sections are not read");
      } else if (starts("<?")) {
        fail("processing instructions are not read");
      } else if (starts("<")) {
        return;
      } else {
        fail("text " + where + ": graph files have attributes only");
      }
    }
  }

  std::string name(const char* of) {
    const std::size_t first = i_;
    if (i_ >= text_.size() || !begins_name(text_[i_])) fail(fmt::format("the name of an {} is wanted here", of));
    while (i_ < text_.size() && in_name(text_[i_])) skip(1);
    return std::string(text_.substr(first, i_ - first));
  }

  void reference(std::string& out) {
    const auto end = text_.find(';', i_);
    if (end == std::string_view::npos || end - i_ > 10) fail("a reference without ';'", "write &amp; for an ampersand");
    const std::string_view body = text_.substr(i_ + 1, end - i_ - 1);
    static constexpr std::pair<std::string_view, char> named[] = {
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    const auto* known =
        std::find_if(std::begin(named), std::end(named), [&](const auto& n) { return n.first == body; });
    if (known != std::end(named)) {
      out += known->second;
    } else {
      const bool hex = body.substr(0, 2) == "#x";
      const std::string_view digits = body.substr(std::min<std::size_t>(hex ? 2 : 1, body.size()));
      unsigned code = 0;
      const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
      if (body.empty() || body[0] != '#' || error != std::errc() || stop != digits.data() + digits.size())
        fail(fmt::format("'&{};' is unknown", body));
      if (code < 0x20 || code > 0x7E) fail(fmt::format("'&{};' is no printable ASCII character", body));
      out += static_cast<char>(code);
    }
    skip(end - i_ + 1);
  }

  XmlAttribute attribute() {
    XmlAttribute a;
    a.name = name("attribute");
    spaces();
    if (!starts("=")) fail(fmt::format("attribute '{}' has no value", a.name));
    skip(1);
    spaces();
    if (!starts("\"") && !starts("'")) fail(fmt::format("the value of attribute '{}' is not in quotes", a.name));
    const char quote = text_[i_];
    skip(1);
    a.where = at_;
    while (i_ < text_.size() && text_[i_] != quote) {
      const char c = text_[i_];
      if (c == '<') fail(fmt::format("'<' in the value of attribute '{}'", a.name), "write &lt;");
      if (c == '&') {
        reference(a.value);
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20 && !is_space(c)) fail("a control character");
      a.value += is_space(c) ? ' ' : c;
      skip(1);
    }
    step("the value of an attribute has no end");
    return a;
  }

  XmlElement element(int depth) {
    XmlElement e;
    e.where = at_;
    if (depth > max_xml_depth) fail(fmt::format("elements are nested more than {} deep", max_xml_depth));
    skip(1);
    e.name = name("element");
    for (;;) {
      const bool spaced = i_ < text_.size() && is_space(text_[i_]);
      spaces();
      if (starts("/>")) {
        skip(2);
        return e;
      }
      if (starts(">")) break;
      if (i_ >= text_.size()) fail(fmt::format("the tag <{}> has no end", e.name));
      if (!spaced) fail("a space is wanted before an attribute");
      const Location where = at_;
      XmlAttribute a = attribute();
      if (e.attributes.size() >= 64 || e.attribute(a.name)) {
        at_ = where;
        fail(e.attribute(a.name) ? fmt::format("attribute '{}' is given twice", a.name)
                                 : "an element with more than 64 attributes");
      }
      e.attributes.push_back(std::move(a));
    }
    skip(1);
    for (;;) {
      between_tags("inside <" + e.name + ">");
      if (i_ >= text_.size()) {
        at_ = e.where;
        fail(fmt::format("<{}> is never closed", e.name));
      }
      if (starts("</")) break;
      e.children.push_back(element(depth + 1));
    }
    const Location where = at_;
    skip(2);
    if (const auto closed = name("element"); closed != e.name) {
      at_ = where;
      fail(fmt::format("</{}> closes <{}> of line {}", closed, e.name, e.where.line));
    }
    spaces();
    if (!starts(">")) fail(fmt::format("'>' is wanted after </{}", e.name));
    skip(1);
    return e;
  }

  std::string_view text_;
  Diagnostics& diags_;
  std::size_t i_ = 0;
  Location at_;
};

}  // namespace

const XmlAttribute* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& a : attributes)
    if (a.name == wanted) return &a;
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const auto& c : children)
    if (c.name == wanted) return &c;
  return nullptr;
}

std::optional<XmlElement> read_xml(std::string_view text, const std::string& file, Diagnostics& diags) {
  try {
    return Parser(text, file, diags).document();
  } catch (const Refused&) {
    return std::nullopt;
  }
}

std::string xml_quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += '_';  // what XML 1.0 cannot say
        else
          out += c;
    }
  return out + '"';
}

}  // namespace dse::plan::phases
