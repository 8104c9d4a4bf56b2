// Kernel libraries by the name that a device file gives (kernels: library).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "models/hw/libraries/library_timing.h"

namespace dse::hw {

using MakeLibrary = std::function<std::shared_ptr<const LibraryTiming>(const Engine&)>;

/// Libraries that count, sorted, and all that any of them counts. `wide`, here and below: of activations of 16 bits.
std::vector<std::string> counted_libraries(bool wide = false);
std::vector<std::string> all_counts(bool wide = false);

/// What a library counts, if an engine has `cycles_per_count` for it; empty: it goes by the tables alone.
std::vector<std::string> counts_of(const std::string& library, bool wide = false);

/// What is wrong with the engine's `cycles_per_count` (wide: `cycles_per_count_int16`) for this library, in words;
/// empty: nothing.
std::string why_not_counted(const std::string& library, const Engine& e, bool wide = false);

/// Whether the library has a kernel for the operator; those that go by tables where they do not count have all.
bool has_kernel(const std::string& library, const dse_op& op);
/// Whether there are operators that it has none for, and no tables in their place.
bool is_partial(const std::string& library);

/// Devices whose library has this name are timed by what `make` returns. To be called before the first device is timed,
/// best from a static initialiser. @throws InvariantError when the name is taken.
void add_library(const std::string& name, MakeLibrary make);
/// The timing of this library, or of the engine's own, on this engine: by shape where the engine has a table of shapes,
/// else the device file's own rates unless one was added under that name.
std::shared_ptr<const LibraryTiming> library_timing(const std::string& name, const Engine& e);

}  // namespace dse::hw
