#include "reports/methods/branch_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "methods/branch/rules.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

using namespace plan::branch;

constexpr std::size_t columns = 100, many_nodes = 64, many_branches = 40, many_points = 60;

/// A table whose cells are aligned: numbers (columns in `right`) to the right, words to the left.
class TextTable {
 public:
  TextTable(std::vector<std::string> head, std::vector<bool> right) : right_(std::move(right)) { add(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> width(right_.size(), 0);
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    std::string out;
    for (const auto& row : rows_) {
      std::string line = " ";
      for (std::size_t i = 0; i < row.size(); ++i)
        line += right_[i] ? fmt::format(" {:>{}}", row[i], width[i]) : fmt::format(" {:<{}}", row[i], width[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

class Text {
 public:
  Text(const Graph& graph, const Rules& rules, const Listing& listing) : g_(graph), rules_(rules), l_(listing) {}

  std::string all() {
    head(), branches(), result(), candidates(), buffers(), steps();
    return out_;
  }

 private:
  /// Names come from files: nothing in them moves the cursor.
  std::string name(int n) const {
    std::string out = g_.nodes[static_cast<std::size_t>(n)].name;
    for (char& c : out)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return out;
  }
  std::string names(const std::vector<int>& nodes, const char* between = " ") const {
    std::string out;
    for (int n : nodes) out += (out.empty() ? "" : between) + name(n);
    return out;
  }
  static std::string wrapped(const std::string& text, std::size_t indent) {
    std::string out, rest = std::string(indent, ' ') + text;
    while (rest.size() > columns) {
      auto at = rest.rfind(' ', columns);
      if (at == std::string::npos || at <= indent) at = rest.find(' ', columns);
      if (at == std::string::npos) break;
      out += rest.substr(0, at) + "\n";
      rest = std::string(indent, ' ') + rest.substr(at + 1);
    }
    return out + rest + "\n";
  }

  void head() {
    std::int64_t sum = 0;
    for (const auto& node : g_.nodes) sum += node.bytes;
    out_ += fmt::format("{}: {} nodes, {} bytes in all their values\n", g_.name.empty() ? "graph" : g_.name,
                        g_.nodes.size(), grouped(sum));
  }

  void branches() {
    const auto s = structure_of(g_);
    const auto points = [&](const char* what, const std::vector<Structure::Point>& list) {
      std::string text = fmt::format("{}: ", what);
      if (list.empty()) text += "none";
      for (std::size_t i = 0; i < std::min(list.size(), many_points); ++i)
        text += (i == 0 ? "" : ", ") + name(list[i].node) + (list[i].intermediate ? " (intermediate)" : "");
      if (list.size() > many_points) text += fmt::format(" and {} more", list.size() - many_points);
      out_ += wrapped(text, 0);
    };
    points("branching points", s.branching);
    points("aggregations", s.aggregation);
    if (s.branches.empty()) return;
    TextTable table({"from", "branch", "to", "edges", "last", "frees"}, {false, false, false, true, true, true});
    for (std::size_t i = 0; i < std::min(s.branches.size(), many_branches); ++i) {
      const auto& b = s.branches[i];
      table.add({name(b.from), branch(b), b.to < 0 ? "-" : name(b.to), grouped(b.edges), grouped(b.last),
                 grouped(b.freed())});
    }
    out_ += "\nbranches, in bytes\n" + table.text();
    if (s.branches.size() > many_branches)
      out_ += fmt::format("  and {} more, which --json lists\n", s.branches.size() - many_branches);
    const auto parallel = parallel_branches(s);
    if (parallel.empty() || s.branches.size() > many_branches) return;
    TextTable whole({"from", "to", "bytes", "run whole, what frees most first"}, {false, false, true, false});
    for (const auto& p : parallel) {
      std::string order;
      for (int i : p.order) order += (order.empty() ? "" : " | ") + branch(s.branches[static_cast<std::size_t>(i)]);
      whole.add({name(p.from), name(p.to), grouped(p.bytes), order});
    }
    out_ += "\n" + whole.text();
  }

  std::string branch(const Branch& b) const {
    if (b.nodes.empty()) return "(direct skip)";
    if (b.nodes.size() <= 5) return names(b.nodes);
    return fmt::format("{} ... {} ({} nodes)", name(b.nodes.front()), name(b.nodes.back()), b.nodes.size());
  }

  void result() {
    const auto cost = l_.best.best.cost(rules_);
    const bool enough = l_.limit >= 0 && cost <= l_.limit && !l_.best.optimal;
    out_ += fmt::format("\nmodel {}", name_of(rules_.model));
    if (rules_.model != Model::liveness)
      out_ += fmt::format(
          ", objective {}, {}", name_of(rules_.objective),
          rules_.share_scratch ? "scratch buffers shared over time" : "a scratch buffer for every value that waits");
    out_ += rules_.interrupt ? "\n" : ", branches run whole\n";
    const auto bound = grouped(l_.best.lower_bound);
    if (l_.best.optimal)
      out_ += fmt::format("best: {} bytes, proven optimal\n", grouped(cost));
    else if (enough)
      out_ += fmt::format("within the limit of {}: {} bytes, found by {} (no order needs less than {})\n",
                          grouped(l_.limit), grouped(cost), l_.best.origin, bound);
    else
      out_ += fmt::format("best found: {} bytes, proven within {} bytes (no order needs less than {}), found by {}\n",
                          grouped(cost), grouped(cost - l_.best.lower_bound), bound, l_.best.origin);
    std::vector<int> order;
    for (const auto& step : l_.best.best.steps) order.push_back(step.node);
    out_ += wrapped(names(order), 2);
  }

  void candidates() {
    out_ += fmt::format("\ncandidates, in bytes: {} of {} orders {}\n", l_.candidates.size(), grouped(l_.orders),
                        l_.all_orders ? "that there are" : "compared");
    const bool named = rules_.model != Model::liveness, wide = g_.nodes.size() <= 16;
    TextTable table = named ? TextTable({"#", "total", "buffer 0", "buffer 1", "scratch", wide ? "order" : "", ""},
                                        {true, true, true, true, false, false, false})
                            : TextTable({"#", "peak", wide ? "order" : "", ""}, {true, true, false, false});
    for (std::size_t i = 0; i < l_.candidates.size(); ++i) {
      const auto& c = l_.candidates[i].candidate;
      std::vector<int> order;
      for (const auto& step : c.steps) order.push_back(step.node);
      std::string note;
      for (const auto& origin : l_.candidates[i].origin) note += (note.empty() ? "" : ", ") + origin;
      if (!l_.candidates[i].exact) note += note.empty() ? "places not proven best" : ", not proven best";
      std::vector<std::string> row = {std::to_string(i + 1), grouped(c.total)};
      if (named) {
        std::string scratch;
        for (const auto& buffer : c.scratch) scratch += (scratch.empty() ? "" : " + ") + grouped(buffer.bytes);
        if (c.scratch.size() > 4)
          scratch = fmt::format("{} in {} buffers", grouped(c.scratch_bytes()), c.scratch.size());
        row.insert(row.end(), {grouped(c.operational[0]), grouped(c.operational[1]), scratch.empty() ? "-" : scratch});
      }
      row.push_back(wide ? names(order) : "");
      row.push_back(note.empty() ? "" : "<- " + note);
      table.add(std::move(row));
    }
    out_ += table.text();
  }

  void buffers() {
    if (rules_.model == Model::liveness) return;
    const auto& c = l_.best.best;
    out_ += "\nbuffers of the best order\n";
    for (std::size_t b = 0; b < 2; ++b) {
      std::vector<int> largest;
      for (const auto& step : c.steps)
        if (step.place == static_cast<Place>(b) &&
            g_.nodes[static_cast<std::size_t>(step.node)].bytes == c.operational[b])
          largest.push_back(step.node);
      std::string why = largest.size() > 4 ? fmt::format("{} values", largest.size()) : names(largest, ", ");
      out_ += fmt::format("  operational {}  {} bytes{}\n", b, grouped(c.operational[b]),
                          largest.empty() ? "" : ", for " + why);
    }
    for (std::size_t k = 0; k < c.scratch.size(); ++k)
      out_ += wrapped(fmt::format("scratch {}  {} bytes, for {}", k, grouped(c.scratch[k].bytes),
                                  names(c.scratch[k].values, ", then ")),
                      2);
  }

  void steps() {
    if (g_.nodes.size() > many_nodes) return;
    const bool named = rules_.model != Model::liveness;
    out_ += "\nbest order, step by step, in bytes\n";
    TextTable table =
        named ? TextTable({"node", "value", "written to", "copy in", "live"}, {false, true, false, false, true})
              : TextTable({"node", "value", "live"}, {false, true, true});
    for (std::size_t i = 0; i < l_.best.best.steps.size(); ++i) {
      const auto& step = l_.best.best.steps[i];
      std::vector<std::string> row = {name(step.node), grouped(g_.nodes[static_cast<std::size_t>(step.node)].bytes)};
      if (named) {
        const auto scratch = step.scratch < 0 ? "-" : fmt::format("scratch {}", step.scratch);
        const bool direct = step.place == Place::scratch;
        row.push_back(step.place == Place::none ? "-"
                      : direct                  ? scratch
                                                : fmt::format("buffer {}", static_cast<int>(step.place)));
        row.push_back(direct ? "-" : scratch);
      }
      row.push_back(grouped(l_.best.best.live[i]));
      table.add(std::move(row));
    }
    out_ += table.text();
  }

  const Graph& g_;
  Rules rules_;
  const Listing& l_;
  std::string out_;
};

}  // namespace

std::string branch_text(const Graph& graph, const Rules& rules, const Listing& listing) {
  return Text(graph, rules, listing).all();
}

}  // namespace dse::reports
