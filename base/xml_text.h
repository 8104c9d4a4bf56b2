// Text in XML.
#pragma once
#include <string>
#include <string_view>

namespace dse {

/// A value between quotes, with &, <, >, " and ' and control characters escaped.
std::string xml_quoted(std::string_view value);

}  // namespace dse
