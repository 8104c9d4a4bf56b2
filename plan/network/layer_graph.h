// What the phases method sees of a network: layers with rows of output, and edges with windows over rows. Built from a
// network (from_network.h) or written in code.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dse::plan::phases {

/// Rows of an edge's tensor that one output row of its consumer reads: `kernel` rows (dilation included) that advance
/// by `stride`. `pad` is what the layer adds above the tensor; negative values crop it.
struct Window {
  std::int64_t kernel = 1, stride = 1, pad = 0;
  bool whole = false;  // every output row reads the whole tensor; the three above do not apply
};

/// A layer, or a source: an input of the network, which is not counted as a layer.
struct Layer {
  std::string name;
  std::int64_t rows = 1;          // of its output, >= 1
  std::int64_t row_elements = 1;  // of its output: width * channels * batch, >= 1
  bool source = false;
  bool at_once = false;      // its window covers its whole input: one phase
  bool elementwise = false;  // one input, and each output row is made of the same input row
  bool output = false;       // of the network: its tensor stays until the end
  std::int64_t columns = 1;  // of its output, a divisor of row_elements; 1 where it makes whole rows only
};

/// A tensor on its way to one consumer. A tensor with several consumers is several edges.
struct Edge {
  int from = 0, to = 0;
  std::int64_t rows = 1, row_elements = 1;  // of the tensor
  Window window;
  int tensor = 0;                // edges of one tensor have the same number
  Window across{1, 1, 0, true};  // the same of columns: what one output column reads, of makers with columns
  std::int64_t elements() const { return rows * row_elements; }
};

/// Layers in an order in which they can run, so that `from` < `to` on every edge.
struct LayerGraph {
  std::string name;
  std::vector<Layer> layers;
  std::vector<Edge> edges;

  /// How many layers are no sources.
  std::int64_t layer_count() const;
};

/// Rows of all layers that the analysis takes on: row by row they are as many phases.
constexpr std::int64_t max_rows = 4'000'000;

/// What is wrong with a graph, empty when nothing is: edges that do not point forward, layers without input, extents
/// below 1, element counts beyond 2^40 (2^57 together), more rows than max_rows.
std::string defect_of(const LayerGraph& g);

/// The graph after every element-wise layer has been merged into the layer that makes its input, where nobody else
/// reads that. Layers keep the name of the first of them.
LayerGraph fuse_elementwise(const LayerGraph& g);

}  // namespace dse::plan::phases
