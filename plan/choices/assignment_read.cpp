// Names to choices, with diagnostics for what does not exist.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice_walk.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

const std::string of_network = "network.";

class Reading {
 public:
  Reading(const nn::Network& network, const hw::Device& device, const Assignment& assignment,
          const ChoiceRegistry& registry, const std::string& file, Diagnostics& diags, Accept accept)
      : network_(network),
        device_(device),
        assignment_(assignment),
        registry_(registry),
        file_(file),
        diags_(diags),
        accept_(accept) {}

  std::optional<Decisions> read() {
    read_network();
    read_layers();
    for (const auto& item : assignment_)
      if (used_.count(item.first) == 0) unknown(item.first);
    if (wrong_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void error(const std::string& name, const std::string& what, const std::string& hint = {}) {
    wrong_ = true;
    diags_.error({file_, 0, 0}, name + ": " + what, hint);
  }

  void read_network() {
    for (const auto& d : order_of_network()) {
      const auto it = assignment_.find(of_network + d->name);
      if (it == assignment_.end()) continue;
      used_.insert(it->first);
      const auto& text = it->second;
      const bool named = std::find(d->values.begin(), d->values.end(), text) != d->values.end();
      const auto domain = d->domain(network_, device_, out_.network);
      if (!named && d->name != "order") {
        bad_value(it->first, text, d->values);
      } else if (domain.size() < 2) {
        if (text != d->values.front() || accept_ == Accept::offered) nothing_to_choose(it->first, d->name);
      } else if (named && std::find(domain.begin(), domain.end(), text) == domain.end()) {
        error(it->first, fmt::format("device {} has no memory that inputs come from", device_.name),
              "it would name it in input_from");
      } else if (const auto why = d->set(network_, out_.network, text); !why.empty()) {
        error(it->first, why, "the order is `file`, or the names of all layers with commas between them");
      }
    }
  }

  void nothing_to_choose(const std::string& name, const std::string& decision) {
    error(name, "there is nothing to choose here",
          decision == "offsets" ? "greedy addresses need network.reshapes=copy"
          : decision == "order" ? "each layer of network " + network_.name + " needs the one before it"
                                : "network " + network_.name + " has no reshapes");
  }

  static std::vector<const NetworkDecision*> order_of_network() {
    std::vector<const NetworkDecision*> out;
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> needs;
    for (const auto& d : ChoiceRegistry::of_network()) names.push_back(d.name), needs.push_back(d.needs);
    for (const int i : canonical_order(names, needs)) out.push_back(&ChoiceRegistry::of_network()[i]);
    return out;
  }

  void read_layers() {
    const bool alias = out_.network.alias_reshapes;
    const auto fixed = makes_output(network_, alias);
    out_.layers.assign(network_.operators.size(), {});
    for (const int op : layers_of(network_, alias)) {
      const auto given = fixed[op] ? Given::home : Given::nothing;
      const auto context = context_of(network_, device_, out_.layers, op, alias);
      out_.layers[op] = walk(
          registry_, context, start_of(context, given), given, [&](const OpenChoice& open, const LayerChoice& so_far) {
            const auto name = network_.operators[op].name + "." + open.choice.name;
            const auto it = assignment_.find(name);
            if (it == assignment_.end()) return open.fallback;
            used_.insert(name);
            return open.given ? at_home(open, op, it->second) : chosen(open, name, it->second, so_far);
          });
    }
  }

  int at_home(const OpenChoice& open, int op, const std::string& text) {
    if (accept_ == Accept::offered || text != open.choice.text(device_, open.fallback))
      error(network_.operators[op].name + "." + open.choice.name,
            fmt::format("the output of layer {} is an output of the network: it ends in {}, channels last",
                        network_.operators[op].name, device_.memories[device_.io].name));
    return open.fallback;
  }

  int chosen(const OpenChoice& open, const std::string& name, const std::string& text, const LayerChoice& so_far) {
    const auto& [c, domain, fallback, given] = open;
    const auto value = c.parse(device_, text);
    if (accept_ == Accept::any && value) return *value;
    if (accept_ == Accept::offered && domain.size() < 2) {
      error(name, "there is nothing to choose here" + given_others(c, so_far), "leave it out");
    } else if (!value || std::find(domain.begin(), domain.end(), *value) == domain.end()) {
      std::vector<std::string> offered;
      for (const int v : domain) offered.push_back(c.text(device_, v));
      bad_value(name, text, offered, given_others(c, so_far));
    } else {
      return *value;
    }
    return fallback;
  }

  /// ", given tile=all scheme=planar": what the domain was asked with.
  std::string given_others(const Choice& c, const LayerChoice& choice) const {
    std::string out;
    for (const auto& n : c.needs) {
      const auto* other = registry_.find(n);
      out += (out.empty() ? "" : " ") + n + "=" + other->text(device_, other->get(choice));
    }
    return out.empty() ? "" : ", given " + out;
  }

  void bad_value(const std::string& name, const std::string& text, const std::vector<std::string>& offered,
                 const std::string& given = {}) {
    const auto guess = nearest(text, offered);
    error(name,
          quote(text) + " is no value of this choice" + given + (guess.empty() ? "" : "; did you mean " + guess + "?"),
          offered.empty() ? "" : "possible are " + join_or(offered));
  }

  /// A name that nothing asked for.
  void unknown(const std::string& name) {
    if (name.rfind(of_network, 0) == 0) {
      std::vector<std::string> known;
      for (const auto& d : ChoiceRegistry::of_network()) known.push_back(d.name);
      return no_such(name, "there is no choice " + quote(name.substr(of_network.size())) + " of the whole network",
                     name.substr(of_network.size()), known);
    }
    if (name.rfind("device.", 0) == 0)
      return error(name, "an axis of the device, not a choice of the plan", "it is set where the device is read");
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return error(name, "is no choice: names are <layer>.<choice>, such as conv0.scheme");
    const auto layer = name.substr(0, dot), choice = name.substr(dot + 1);
    std::vector<std::string> layers, choices;
    for (const auto& op : network_.operators) layers.push_back(op.name);
    for (const auto& c : registry_.all()) choices.push_back(c.name);
    if (std::find(layers.begin(), layers.end(), layer) == layers.end())
      no_such(name, "network " + network_.name + " has no layer " + quote(layer), layer, layers);
    else if (std::find(choices.begin(), choices.end(), choice) == choices.end())
      no_such(name, "there is no choice " + quote(choice), choice, choices);
    else
      error(name, "layer " + layer + " only renames its input: there is nothing to choose",
            "with network.reshapes=copy it would be a layer");
  }

  void no_such(const std::string& name, const std::string& what, const std::string& word,
               const std::vector<std::string>& known) {
    const auto guess = nearest(word, known);
    error(name, what + (guess.empty() ? "" : "; did you mean " + guess + "?"),
          guess.empty() && known.size() <= 20 ? "there is " + join_or(known) : "");
  }

  const nn::Network& network_;
  const hw::Device& device_;
  const Assignment& assignment_;
  const ChoiceRegistry& registry_;
  const std::string& file_;
  Diagnostics& diags_;
  Accept accept_;
  Decisions out_;
  std::set<std::string> used_;
  bool wrong_ = false;
};

}  // namespace

std::optional<Decisions> decisions_from(const nn::Network& network, const hw::Device& device,
                                        const Assignment& assignment, const ChoiceRegistry& registry,
                                        const std::string& file, Diagnostics& diags, Accept accept) {
  return Reading(network, device, assignment, registry, file, diags, accept).read();
}

std::optional<std::vector<LayerChoice>> from_assignment(const nn::Network& network, const hw::Device& device,
                                                        const Assignment& assignment, const ChoiceRegistry& registry,
                                                        const std::string& file, Diagnostics& diags, Accept accept) {
  auto decisions = decisions_from(network, device, assignment, registry, file, diags, accept);
  if (!decisions) return std::nullopt;
  if (!(decisions->network == NetworkChoice{})) {
    diags.error({file, 0, 0}, "decisions about the whole network cannot be changed here",
                "leave network.reshapes, network.offsets, network.input and network.order out");
    return std::nullopt;
  }
  return std::move(decisions->layers);
}

}  // namespace dse::plan
