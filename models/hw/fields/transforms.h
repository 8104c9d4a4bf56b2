// Fields of engines that make Fourier transforms.
#pragma once
#include "models/hw/fields/text.h"

namespace dse::hw {

/// cycles_per_transform, cycles_per_complex_mac.
void transform_fields(yaml::Object<EngineText>& o);

}  // namespace dse::hw
