#include <fmt/format.h>

#include "base/xml_text.h"
#include "methods/dataflow/sdf3.h"
#include "methods/dataflow/xml.h"

namespace dse::plan::phases {
namespace {

/// Runs of equal rates as `count*rate`.
std::string rates(const std::vector<std::int64_t>& v) {
  std::string out;
  for (std::size_t i = 0, n = 0; i < v.size(); i += n) {
    for (n = 1; i + n < v.size() && v[i + n] == v[i];) ++n;
    if (i > 0) out += ',';
    if (n > 1) out += fmt::format("{}*", n);
    out += std::to_string(v[i]);
  }
  return out;
}

/// Text that may stand in a comment.
std::string comment(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20 || (text[i] == '-' && (i + 1 == text.size() || text[i + 1] == '-')))
      text[i] = '_';
  return text;
}

}  // namespace

std::string to_sdf3(const CsdfGraph& g) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<sdf3 version=\"1.0\" type=\"csdf\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:noNamespaceSchemaLocation=\"http://www.es.ele.tue.nl/sdf3/xsd/sdf3-csdf.xsd\">\n";
  out += fmt::format("  <applicationGraph name={0}>\n    <csdf name={0} type={0}>\n", xml_quoted(g.name));
  std::vector<std::string> ports(g.actors.size());
  for (std::size_t i = 0; i < g.channels.size(); ++i) {
    const auto& c = g.channels[i];
    ports[static_cast<std::size_t>(c.from)] +=
        fmt::format("        <port name=\"o{}\" type=\"out\" rate=\"{}\"/>\n", i, rates(c.production));
    ports[static_cast<std::size_t>(c.to)] +=
        fmt::format("        <port name=\"i{}\" type=\"in\" rate=\"{}\"/>\n", i, rates(c.consumption));
  }
  for (std::size_t a = 0; a < g.actors.size(); ++a)
    out += fmt::format("      <!-- {1} -->\n      <actor name=\"l{0}\" type=\"l{0}\">\n{2}      </actor>\n", a + 1,
                       comment(g.actors[a].name), ports[a]);
  for (std::size_t i = 0; i < g.channels.size(); ++i) {
    const auto& c = g.channels[i];
    out += fmt::format("      <channel name={} srcActor=\"l{}\" srcPort=\"o{}\" dstActor=\"l{}\" dstPort=\"i{}\"",
                       xml_quoted(c.name), c.from + 1, i, c.to + 1, i);
    if (c.initial_tokens > 0) out += fmt::format(" initialTokens=\"{}\"", c.initial_tokens);
    out += "/>\n";
  }
  out += "    </csdf>\n    <csdfProperties>\n";
  for (std::size_t a = 0; a < g.actors.size(); ++a)
    out += fmt::format(
        "      <actorProperties actor=\"l{}\">\n        <processor type=\"p0\" default=\"true\">\n"
        "          <executionTime time=\"{}\"/>\n        </processor>\n      </actorProperties>\n",
        a + 1, rates(std::vector<std::int64_t>(static_cast<std::size_t>(g.actors[a].phases), 1)));
  for (const auto& c : g.channels)
    out += fmt::format(
        "      <channelProperties channel={}>\n        <tokenSize sz=\"{}\"/>\n      </channelProperties>\n",
        xml_quoted(c.name), c.token_bytes);
  return out + "    </csdfProperties>\n  </applicationGraph>\n</sdf3>\n";
}

}  // namespace dse::plan::phases
