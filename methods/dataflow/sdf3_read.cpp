// Reads a hostile file: every number is checked before it is used, and every name must be known.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "methods/dataflow/sdf3.h"
#include "methods/dataflow/xml.h"

namespace dse::plan::phases {
namespace {

struct Port {
  bool out = false, used = false, bad = false;
  std::vector<std::int64_t> rates;
  Location where;
};

class GraphReader {
 public:
  explicit GraphReader(Diagnostics& diags) : diags_(diags) {}

  void read(const XmlElement& root) {
    if (root.name != "sdf3") return error(root.where, fmt::format("the root element is <{}>, not <sdf3>", root.name));
    if (const auto* type = root.attribute("type"); type && type->value != "csdf")
      return error(type->where, fmt::format("a graph of type '{}'", type->value),
                   "cyclo-static graphs have type=\"csdf\"");
    const auto* application = root.child("applicationGraph");
    if (!application) return error(root.where, "<sdf3> has no <applicationGraph>");
    const auto* csdf = application->child("csdf");
    if (!csdf) return error(application->where, "<applicationGraph> has no <csdf>");
    if (const auto* name = csdf->attribute("name")) out.graph.name = name->value;
    for (const auto& e : csdf->children)
      if (e.name == "actor")
        actor(e);
      else if (e.name != "channel")
        error(e.where, fmt::format("<{}> is unknown in <csdf>", e.name), "actor and channel are known");
    if (out.graph.actors.empty() && diags_.list().empty()) error(csdf->where, "<csdf> has no actors");
    for (const auto& e : csdf->children)
      if (e.name == "channel") channel(e);
    for (std::size_t a = 0; a < ports_.size(); ++a)
      for (const auto& [name, port] : ports_[a])
        if (!port.used)
          error(port.where, fmt::format("port '{}' of actor '{}' is on no channel", name, out.graph.actors[a].name));
    if (const auto* properties = application->child("csdfProperties")) token_sizes(*properties);
  }

  Sdf3Graph out;

 private:
  void error(const Location& where, std::string what, std::string hint = {}) {
    if (++errors_ > 100) return;
    diags_.error(where, std::move(what), std::move(hint));
  }
  const std::string* text(const XmlElement& e, const char* name) {
    const auto* a = e.attribute(name);
    if (!a) error(e.where, fmt::format("<{}> has no {}", e.name, name));
    return a ? &a->value : nullptr;
  }

  /// A number in [least, max_tokens] that is all of `text`.
  bool number(std::string_view text, const Location& where, std::int64_t least, std::int64_t& value) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc() && stop == text.data() + text.size() && value >= least && value <= max_tokens) return true;
    error(where, fmt::format("'{}' is no whole number from {} to {}", text.substr(0, 40), least, max_tokens));
    return false;
  }

  /// `2,3*1,0`.
  std::vector<std::int64_t> rates(const XmlAttribute& a) {
    std::vector<std::int64_t> v;
    std::int64_t sum = 0;
    std::string_view rest = a.value;
    Location where = a.where;
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      const std::string_view item = rest.substr(0, comma);
      std::int64_t count = 1, rate = 0;
      const auto star = item.find('*');
      if (star != std::string_view::npos && !number(item.substr(0, star), where, 1, count)) return {};
      if (!number(star == std::string_view::npos ? item : item.substr(star + 1), where, 0, rate)) return {};
      if (count > max_firings - static_cast<std::int64_t>(v.size()) ||
          static_cast<std::size_t>(count) > max_rates - rates_) {
        error(where, fmt::format("more than {} rates at a port, or {} in the file", max_firings, max_rates));
        return {};
      }
      if (rate > 0 && count > (max_tokens - sum) / rate) {
        error(where, fmt::format("the rates of a cycle add up to more than {} tokens", max_tokens));
        return {};
      }
      sum += count * rate, rates_ += static_cast<std::size_t>(count);
      v.insert(v.end(), static_cast<std::size_t>(count), rate);
      more = comma != std::string_view::npos;
      if (more) rest.remove_prefix(comma + 1), where.column += static_cast<int>(comma) + 1;
    }
    return v;
  }

  void actor(const XmlElement& e) {
    const auto* name = text(e, "name");
    if (!name) return;
    if (!actors_.emplace(*name, static_cast<int>(out.graph.actors.size())).second)
      return error(e.where, fmt::format("a second actor '{}'", *name));
    std::map<std::string, Port> ports;
    std::size_t cycle = 1;
    for (const auto& p : e.children) {
      if (p.name != "port") {
        error(p.where, fmt::format("<{}> is unknown in <actor>", p.name), "only ports are known");
        continue;
      }
      const auto *port_name = text(p, "name"), *type = text(p, "type");
      if (!port_name || !type) continue;
      const auto* rate = p.attribute("rate");
      if (*type != "in" && *type != "out") {
        error(p.attribute("type")->where, fmt::format("a port of type '{}'", *type), "in and out are known");
        continue;
      }
      if (!rate) {
        error(p.where, fmt::format("port '{}' has no rate", *port_name));
        continue;
      }
      Port port{*type == "out", false, false, rates(*rate), rate->where};
      port.bad = port.rates.empty();  // told already
      cycle = std::max(cycle, port.rates.size());
      if (!ports.emplace(*port_name, std::move(port)).second)
        error(p.where, fmt::format("a second port '{}' of actor '{}'", *port_name, *name));
    }
    for (auto& [port_name, port] : ports) {
      if (port.rates.empty() || port.rates.size() == cycle) continue;
      if (port.rates.size() > 1)
        error(port.where, fmt::format("port '{}' has {} rates, another one of actor '{}' has {}", port_name,
                                      port.rates.size(), *name, cycle));
      else if (cycle - 1 > max_rates - rates_)
        error(port.where, fmt::format("more than {} rates in the file", max_rates));
      else
        rates_ += cycle - 1, port.rates.assign(cycle, port.rates[0]);
    }
    out.graph.actors.push_back({*name, static_cast<std::int64_t>(cycle)});
    ports_.push_back(std::move(ports));
  }

  /// The port of one end of a channel, which is then in use.
  Port* end(const XmlElement& e, const char* actor_key, const char* port_key, bool is_out, int& actor) {
    const auto *actor_name = text(e, actor_key), *port_name = text(e, port_key);
    if (!actor_name || !port_name) return nullptr;
    const auto known = actors_.find(*actor_name);
    if (known == actors_.end()) {
      error(e.attribute(actor_key)->where, fmt::format("there is no actor '{}'", *actor_name));
      return nullptr;
    }
    actor = known->second;
    auto& ports = ports_[static_cast<std::size_t>(actor)];
    const auto port = ports.find(*port_name);
    const Location& where = e.attribute(port_key)->where;
    if (port == ports.end())
      error(where, fmt::format("actor '{}' has no port '{}'", *actor_name, *port_name));
    else if (port->second.out != is_out)
      error(where, fmt::format("port '{}' of actor '{}' is an {}put", *port_name, *actor_name, is_out ? "in" : "out"));
    else if (port->second.used)
      error(where, fmt::format("port '{}' of actor '{}' is on two channels", *port_name, *actor_name));
    else if (port->second.used = true; !port->second.bad)
      return &port->second;
    return nullptr;
  }

  void channel(const XmlElement& e) {
    CsdfChannel c;
    const auto* name = text(e, "name");
    auto* from = end(e, "srcActor", "srcPort", true, c.from);
    auto* to = end(e, "dstActor", "dstPort", false, c.to);
    if (const auto* tokens = e.attribute("initialTokens")) number(tokens->value, tokens->where, 0, c.initial_tokens);
    if (!name || !from || !to) return;
    c.name = *name;
    if (!channels_.emplace(c.name, out.graph.channels.size()).second)
      return error(e.where, fmt::format("a second channel '{}'", c.name));
    c.production = std::move(from->rates), c.consumption = std::move(to->rates);
    out.graph.channels.push_back(std::move(c)), out.channels.push_back(e.where);
  }

  void token_sizes(const XmlElement& properties) {
    for (const auto& p : properties.children) {
      if (p.name != "channelProperties") continue;  // times and processors are not what buffers depend on
      const auto* name = text(p, "channel");
      const auto* size = p.child("tokenSize");
      if (!name || !size || !text(*size, "sz")) continue;
      const auto known = channels_.find(*name);
      if (known == channels_.end()) {
        error(p.attribute("channel")->where, fmt::format("there is no channel '{}'", *name));
        continue;
      }
      const auto* sz = size->attribute("sz");
      std::int64_t bytes = 0;
      if (!number(sz->value, sz->where, 0, bytes)) continue;
      if (bytes > 1 << 20) {
        error(sz->where, fmt::format("tokens of {} bytes: at most {} are read", bytes, 1 << 20));
        continue;
      }
      out.graph.channels[known->second].token_bytes = bytes;
    }
  }

  Diagnostics& diags_;
  int errors_ = 0;
  std::size_t rates_ = 0;
  std::map<std::string, int> actors_;
  std::map<std::string, std::size_t> channels_;
  std::vector<std::map<std::string, Port>> ports_;  // by actor
};

}  // namespace

std::optional<Sdf3Graph> from_sdf3(std::string_view text, const std::string& file, Diagnostics& diags) {
  Diagnostics found;
  const auto root = read_xml(text, file, found);
  GraphReader reader(found);
  if (root) reader.read(*root);
  for (const auto& d : found.list()) diags.add(d);
  if (found.has_errors()) return std::nullopt;
  return std::move(reader.out);
}

}  // namespace dse::plan::phases
