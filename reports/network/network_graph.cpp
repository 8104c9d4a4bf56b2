#include "reports/network/network_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/network/network_words.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

// Widths of a letter in the sizes that network.css sets, from above: titles 12 px bold, subtitles and labels 10.5 px.
constexpr double title_letter = 7.6, small_letter = 6.4;
constexpr double padding = 22, layer_height = 38, port_height = 24, label_gap = 14;
/// Right of the arrow that comes in above, "cannot be run" must fit.
constexpr double least_width_with_flag = 176;

double letters(const std::string& text) { return static_cast<double>(text.size()); }

class Builder {
 public:
  Builder(const nn::Network& n, const nn::Summary& s) : n_(n), s_(s), made_by_(n.tensors.size(), -1) {}

  NetworkGraph build() {
    for (std::size_t o = 0; o < n_.operators.size(); ++o) {
      const auto& op = n_.operators[o];
      const auto macs = s_.layers[o].macs;
      std::string below = printable(nn::type_of(op));
      if (macs > 0) below += fmt::format(" \u00b7 {} MACs", grouped(macs));
      add({NetworkNode::Role::layer, static_cast<int>(o), printable(op.name), std::move(below)}, layer_height);
      if (op.evaluation == nn::Evaluation::none) {
        auto& width = out_.graph.nodes.back().width;
        width = std::max(width, least_width_with_flag);
      }
      for (const int t : op.outputs)
        if (tensor(t).kind != nn::TensorKind::variable) made_by_[static_cast<std::size_t>(t)] = static_cast<int>(o);
    }
    for (const int t : n_.inputs) source(t, NetworkNode::Role::input);
    for (std::size_t o = 0; o < n_.operators.size(); ++o)
      for (const int t : s_.layers[o].inputs) {
        if (made_by_[static_cast<std::size_t>(t)] < 0) source(t, NetworkNode::Role::variable);
        connect(t, static_cast<int>(o));
      }
    for (const int t : n_.outputs) {
      if (made_by_[static_cast<std::size_t>(t)] < 0) source(t, NetworkNode::Role::variable);
      const auto node = add({NetworkNode::Role::output, t, "output", tensor_text(n_, t)}, port_height);
      connect(t, node);
    }
    make_room_for_labels();
    lay_out(out_.graph);
    spread_ports();
    return std::move(out_);
  }

 private:
  const nn::Tensor& tensor(int t) const { return n_.tensors[static_cast<std::size_t>(t)]; }

  int add(NetworkNode node, double height) {
    const double wide = std::max(letters(node.title) * title_letter, letters(node.subtitle) * small_letter);
    const double one_line = letters(node.title) * title_letter + letters(node.subtitle) * small_letter + 8;
    GraphNode drawn;
    drawn.width = (node.role == NetworkNode::Role::layer ? wide : one_line) + padding;
    drawn.height = height;
    drawn.late = node.role != NetworkNode::Role::layer;
    out_.graph.nodes.push_back(drawn);
    out_.nodes.push_back(std::move(node));
    return static_cast<int>(out_.nodes.size()) - 1;
  }

  void source(int t, NetworkNode::Role role) {
    auto& from = made_by_[static_cast<std::size_t>(t)];
    if (from >= 0) return;
    const bool given = role == NetworkNode::Role::input;
    const char* title = given ? "input" : tensor(t).kind == nn::TensorKind::constant ? "constant" : "state";
    from = add({role, t, title, tensor_text(n_, t)}, port_height);
  }

  void connect(int t, int to) {
    GraphEdge e;
    e.from = made_by_[static_cast<std::size_t>(t)], e.to = to, e.bundle = t;
    auto& leaving = leaving_[e.from];
    if (std::find(leaving.begin(), leaving.end(), t) == leaving.end()) leaving.push_back(t);
    out_.graph.edges.push_back(std::move(e));
  }

  double port(int t) const { return label_width(tensor(t)) + label_gap; }

  /// One tensor leaves in the middle and has its label on the right; several stand side by side.
  void make_room_for_labels() {
    for (const auto& [node, tensors] : leaving_) {
      double room = tensors.size() == 1 ? 2 * port(tensors[0]) : 0;
      if (tensors.size() > 1)
        for (const int t : tensors) room += port(t);
      auto& width = out_.graph.nodes[static_cast<std::size_t>(node)].width;
      width = std::max(width, room);
    }
  }

  void spread_ports() {
    for (auto& e : out_.graph.edges) {
      const auto& tensors = leaving_[e.from];
      if (tensors.size() < 2) continue;
      double room = 0, before = 0;
      for (const int t : tensors) {
        if (t == e.bundle) before = room;
        room += port(t);
      }
      e.points.front().x += before + 6 - room / 2;
    }
  }

  const nn::Network& n_;
  const nn::Summary& s_;
  std::vector<int> made_by_;                 // node, by tensor
  std::map<int, std::vector<int>> leaving_;  // tensors, by node
  NetworkGraph out_;
};

}  // namespace

double label_width(const nn::Tensor& t) { return letters(shape_text(t.shape)) * small_letter; }

NetworkGraph network_graph(const nn::Network& n, const nn::Summary& s) { return Builder(n, s).build(); }

}  // namespace dse::reports
