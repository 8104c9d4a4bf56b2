// How a layer is cut into tiles. What is worth trying is a matter of the scheme.
#include "plan/choices/choice_kinds.h"
#include "plan/layer/schemes/scheme.h"
#include "plan/layer/whole/pieces.h"

namespace dse::plan::choices {
namespace {

Choice scheme() {
  std::vector<std::string> names;
  std::string doc;
  for (const auto* s : schemes()) {
    names.push_back(s->name);
    doc += (doc.empty() ? "" : "; ") + names.back() + ": " + s->doc;
  }
  return named(
      "scheme", doc, names, [](const LayerChoice& l) { return static_cast<int>(l.scheme); },
      [](LayerChoice& l, int v) { l.scheme = static_cast<Scheme>(v); },
      [](const LayerContext& c, const LayerChoice& l) {
        if (l.phases != Phases::no || whole_only(c) || !moves_anything(c, l)) return std::vector<int>{0};
        std::vector<int> out;
        for (int s = 0; s < static_cast<int>(schemes().size()); ++s)
          if (schemes()[s]->suits(c, l)) out.push_back(s);
        return out;
      });
}

std::vector<int> pieces(const LayerContext& c) {
  auto out = piece_sizes(c);
  out.insert(out.begin(), 0);
  return out;
}

std::vector<int> tiles(const LayerContext& c, const LayerChoice& l) {
  if (l.phases == Phases::no)
    return !moves_activations(c, l) ? std::vector<int>{0} : whole_only(c) ? pieces(c) : scheme_of(l.scheme).tiles(c);
  std::vector<int> out = {0};
  for (int n = 1; n < c.kernel().out_h; n *= 2) out.push_back(n);
  return out;
}

std::vector<int> filters(const LayerContext& c, const LayerChoice& l) {
  if (l.phases != Phases::no || whole_only(c) || !moves_anything(c, l)) return {0};
  return scheme_of(l.scheme).filters(c);
}

}  // namespace

std::vector<Choice> tile_choices() {
  return {
      needing({"engine", "layout", "operands", "output", "phases", "weights"}, scheme()),
      needing(
          {"engine", "operands", "output", "phases", "scheme"},
          counted(
              "tile",
              "output rows (pixel-block: pixels) computed at a time; of operators that are no sums of products, pieces "
              "of so many rows, or columns or channels where there is one row",
              &LayerChoice::tile, tiles)),
      needing({"engine", "operands", "output", "phases", "scheme", "weights"},
              counted("filters", "output channels computed at a time (a filter set)", &LayerChoice::filters, filters)),
      needing({"scheme"},
              counted("channels", "planar scheme: input channels per accumulation step", &LayerChoice::channels,
                      [](const LayerContext& c, const LayerChoice& l) { return scheme_of(l.scheme).channels(c); })),
  };
}

}  // namespace dse::plan::choices
