// A network's operators as layers with rows.
#pragma once
#include "models/nn/network.h"
#include "plan/network/layer_graph.h"

namespace dse::plan::phases {

/// Every operator is a layer, every input of the network a source, and every activation that an operator reads an edge.
/// Rows are the height of images (the second dimension from rank 3 on, the third in channels-first networks); what has
/// rank 2 or less is one row. Convolutions, pools, padding, slices and joins along rows have windows; operators that
/// compute each output row from the same input rows have windows of one row; all others read everything at once.
/// Constants and variables are not data that flows: an operator that reads nothing else becomes a source.
LayerGraph layers_of(const nn::Network& n);

}  // namespace dse::plan::phases
