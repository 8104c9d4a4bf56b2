#include "base/xml_text.h"

namespace dse {

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

}  // namespace dse
