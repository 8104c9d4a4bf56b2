#include "methods/dataflow/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

namespace dse::plan::phases {
namespace {

struct Refused {};  // a diagnostic has been given

/// Elements from the tree that pugixml makes, which keeps names and values where they stand in the text.
class Tree {
 public:
  Tree(std::string_view text, const std::string& file, Diagnostics& diags)
      : text_(text), bytes_(text), file_(file), diags_(diags) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
    if (text.substr(0, 3) == "\xEF\xBB\xBF") lines_.front() = 3;
  }

  XmlElement root() {
    if (text_.size() > max_xml_bytes) fail(0, fmt::format("the file is larger than {} bytes", max_xml_bytes));
    if (const auto zero = text_.find('\0'); zero != std::string_view::npos) fail(zero, "a control character");
    pugi::xml_document document;
    constexpr unsigned all = pugi::parse_default | pugi::parse_fragment | pugi::parse_doctype | pugi::parse_pi |
                             pugi::parse_declaration;  // what is refused has to be seen
    const auto result = document.load_buffer_inplace(bytes_.data(), bytes_.size(), all, pugi::encoding_utf8);
    if (!result) {
      // What is refused stands before what is wrong, if it is there.
      for (const auto& node : document) refuse(node, "before the root element");
      wrong(result);
    }
    std::optional<XmlElement> found;
    for (const auto& node : document) {
      refuse(node, found ? "after the root element" : "before the root element");
      if (node.type() != pugi::node_element) continue;
      if (found) fail(offset(node), "there is a second root element");
      found = element(node, 1);
    }
    if (!found) fail(text_.size(), "there is no element");
    return std::move(*found);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, std::string what, std::string hint = {}) {
    diags_.error(at(offset), std::move(what), std::move(hint));
    throw Refused{};
  }

  Location at(std::size_t offset) const {
    const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin();
    const auto first = lines_[static_cast<std::size_t>(std::max<std::ptrdiff_t>(line - 1, 0))];
    return {file_, static_cast<int>(std::max<std::ptrdiff_t>(line, 1)),
            static_cast<int>(offset > first ? offset - first : 0) + 1};
  }
  std::size_t offset(const char* in_bytes) const { return static_cast<std::size_t>(in_bytes - bytes_.data()); }
  /// Of a node's '<', of text's first character.
  std::size_t offset(const pugi::xml_node& node) const {
    const bool named = node.type() == pugi::node_element || node.type() == pugi::node_pi;
    const std::size_t first = named ? offset(node.name()) : *node.value() ? offset(node.value()) : 0;
    return node.type() == pugi::node_pcdata || first == 0 ? first : text_.rfind('<', first - 1);
  }

  [[noreturn]] void wrong(const pugi::xml_parse_result& result) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    switch (result.status) {
      case pugi::status_end_element_mismatch: {
        const std::size_t tag = std::min(text_.rfind('<', offset), text_.size());
        const std::string_view shown = text_.substr(tag, std::min<std::size_t>(text_.find('>', tag) + 1 - tag, 40));
        if (shown.substr(0, 2) == "</")
          fail(tag, fmt::format("{} closes another element than the one that is open", shown));
        fail(tag, fmt::format("{}, or an element around it, is never closed", shown));
      }
      case pugi::status_bad_attribute:
        fail(offset, "an attribute without a name, or without a value in quotes");
      case pugi::status_bad_start_element:
      case pugi::status_bad_end_element:
      case pugi::status_unrecognized_tag:
        fail(offset, "a tag that is none");
      default:
        fail(offset, result.description());
    }
  }

  /// Whatever is neither an element nor the XML declaration.
  void refuse(const pugi::xml_node& node, const std::string& where) {
    switch (node.type()) {
      case pugi::node_doctype:
        fail(offset(node), "document types are not read", "remove the DOCTYPE: graph files need none");
      case pugi::node_cdata:
        fail(offset(node), "CDATA sections are not read");
      case pugi::node_pi:
        fail(offset(node), "processing instructions are not read");
      case pugi::node_pcdata: {
        const std::string_view text = node.value();
        const auto first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
        fail(offset(node) + first, "text " + where + ": graph files have attributes only");
      }
      default:
        break;
    }
  }

  XmlElement element(const pugi::xml_node& node, int depth) {
    XmlElement e;
    e.name = node.name();
    e.where = at(offset(node));
    if (depth > max_xml_depth) fail(offset(node), fmt::format("elements are nested more than {} deep", max_xml_depth));
    for (const auto& a : node.attributes()) {
      if (e.attribute(a.name())) fail(offset(a.name()), fmt::format("attribute '{}' is given twice", a.name()));
      if (e.attributes.size() >= 64) fail(offset(a.name()), "an element with more than 64 attributes");
      const std::string_view value = a.value();
      if (std::any_of(value.begin(), value.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
        fail(offset(a.value()), "a control character");
      e.attributes.push_back({a.name(), a.value(), at(offset(a.value()))});
    }
    for (const auto& child : node) {
      refuse(child, "inside <" + e.name + ">");
      if (child.type() == pugi::node_element) e.children.push_back(element(child, depth + 1));
    }
    return e;
  }

  const std::string_view text_;
  std::string bytes_;  // of the tree
  const std::string& file_;
  Diagnostics& diags_;
  std::vector<std::size_t> lines_;
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
    return Tree(text, file, diags).root();
  } catch (const Refused&) {
    return std::nullopt;
  }
}

}  // namespace dse::plan::phases
