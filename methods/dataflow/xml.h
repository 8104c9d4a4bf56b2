// The part of XML that graph files need: elements and attributes. Document types, CDATA sections, processing
// instructions and text between tags are refused, so there is nothing to expand, to fetch or to nest without end.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace dse::plan::phases {

struct XmlAttribute {
  std::string name, value;
  Location where;  // of the value
};

struct XmlElement {
  std::string name;
  Location where;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  /// Nothing where it is not given.
  const XmlAttribute* attribute(std::string_view wanted) const;
  const XmlElement* child(std::string_view wanted) const;  // the first
};

constexpr int max_xml_depth = 32;
constexpr std::size_t max_xml_bytes = std::size_t{256} << 20;

/// The root element. @returns nothing after a diagnostic at the place that is wrong.
std::optional<XmlElement> read_xml(std::string_view text, const std::string& file, Diagnostics& diags);

}  // namespace dse::plan::phases
