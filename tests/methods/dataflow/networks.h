// The networks of the thesis' tables, layer by layer as it counts them.
#pragma once
#include "plan/network/layer_graph.h"

namespace dse::plan::phases::test {

/// Figure 4.1: 32x32x1 input; 17x17 convolution to 16x16x4; 5x5 convolution, stride 3, cropping one row, to 4x4x3; 4x4
/// pooling to 2 values; a last layer that makes nothing.
LayerGraph example41();
LayerGraph resnet18();
/// `floor_pooling`: pools round down (55, 27, 13, 6 rows: Inception v1), else up (56, 28, 14, 7: GoogLeNet).
LayerGraph googlenet(bool floor_pooling);
LayerGraph tiny_yolo_v2();
LayerGraph vgg19();
LayerGraph densenet121();  // in its Keras layering
LayerGraph squeezenet11();

}  // namespace dse::plan::phases::test
