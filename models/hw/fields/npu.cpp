#include "models/hw/fields/npu.h"

#include "base/suggest.h"
#include "models/hw/ethos_u/of_device.h"

namespace dse::hw {

namespace {

template <class Named>
std::vector<std::string> names_of(const Named& list) {
  std::vector<std::string> out;
  for (const auto& one : list) out.emplace_back(one.name);
  return out;
}

}  // namespace

yaml::Object<EngineText> npu_fields(yaml::Object<EngineText> o) {
  o.required("accelerator", &EngineText::accelerator, yaml::name(),
             "its configuration: " + join_or(names_of(ethos_u::accelerators())));
  o.required("memories", &EngineText::memory_list, yaml::list_of(yaml::located(yaml::name()), 2, 2),
             "the SRAM, with a port for reads and one for writes if it has two, and the memory behind the second port");
  o.optional(
      "memory_mode", &EngineText::memory_mode, yaml::name(),
      "what lies where: Shared_Sram (tensors in the SRAM, constants in the other), Sram_Only, Dedicated_Sram (all "
      "in the other, the SRAM is the NPU's own); Shared_Sram if nothing is said");
  o.optional(
      "system", &EngineText::system, yaml::name(),
      "the system configuration of Arm's compiler whose bursts and latencies its ports have; widths are those of "
      "the memories. If nothing is said, " +
          std::string(ethos_u::kUsualSystemOfU55) + ", of a U65 " + std::string(ethos_u::kUsualSystemOfU65) +
          ", of a U85 " + std::string(ethos_u::kUsualSystemOfU85));
  o.optional("hand_over", &EngineText::hand_over, yaml::duration(),
             "per invocation, before it begins: driver and host, with it idle");
  return o;
}

std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const auto guess = nearest(name, known);
  return "no " + what + " " + quote(name) +
         (guess.empty() ? "; there is " + join_or(known) : "; did you mean " + guess + "?");
}

void name_npu(Engine& e, const std::string& path, const EngineText& t, Diagnostics& diagnostics) {
  const auto& list = t.memory_list.value;
  if (e.memories.size() == 2 && e.memories[0] == e.memories[1])
    diagnostics.error(list[1].where, path + ".memories: both are " + list[1].value);
  const auto name = [&](const char* field, const yaml::Name& written, std::string& to, const char* usual,
                        const auto& find, const std::vector<std::string>& known) {
    to = written.given ? written.value : usual;
    if (written.given && !find(written.value))
      diagnostics.error(written.where, path + "." + field + ": " + unknown_name(field, written.value, known));
  };
  name("accelerator", t.accelerator, e.accelerator, "", &ethos_u::find_accelerator, names_of(ethos_u::accelerators()));
  name("memory_mode", t.memory_mode, e.memory_mode, "Shared_Sram", &ethos_u::find_memory_mode,
       {"Shared_Sram", "Sram_Only", "Dedicated_Sram"});
  name("system", t.system, e.system, "", &ethos_u::find_system, names_of(ethos_u::system_configs()));
}

void check_npus(const Device& device, const DeviceText& text, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < device.engines.size(); ++i) {
    const Engine& e = device.engines[i];
    if (e.kind != EngineKind::npu) continue;
    const Location& where = text.engines.value[i].name.where;
    if (device.npu() != static_cast<int>(i))
      diagnostics.error(where, "engines." + e.name + ": the platform has one NPU, and " +
                                   device.engines[static_cast<std::size_t>(device.npu())].name + " is it already");
    const auto clock = e.clock_hz > 0 ? e.clock_hz : device.clock_hz;
    if (clock > 0 && device.tick_hz() % clock != 0)
      diagnostics.error(where, "engines." + e.name +
                                   ": its clock does not divide the fastest of the device, whose cycles are counted");
  }
}

}  // namespace dse::hw
