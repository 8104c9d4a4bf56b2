#include <cstdio>

#include "cli/command.h"

namespace dse::cli {

void add_commands(CLI::App& app, Invocation& invocation) {
  add_run(app, invocation);
  add_explain(app, invocation);
  add_advise(app, invocation);
  add_trace(app, invocation);
  add_diff(app, invocation);
  add_export(app, invocation);
  add_package(app, invocation);
  add_simulate(app, invocation);
  add_check(app, invocation);
  add_choices(app, invocation);
  add_alloc(app, invocation);
  add_validate(app, invocation);
  add_inspect(app, invocation);
  add_order(app, invocation);
  add_optimise_memory(app, invocation);
  add_npu(app, invocation);
  add_infer(app, invocation);
  add_memory(app, invocation);
  add_csdf(app, invocation);
  add_quantize(app, invocation);
  add_train(app, invocation);
  add_predict(app, invocation);
  add_compress(app, invocation);
  add_study(app, invocation);
  add_calibrate(app, invocation);
  add_accuracy(app, invocation);
  add_devices(app, invocation);
  add_networks(app, invocation);
  add_schema(app, invocation);
  add_help(app, invocation);
}

int report(const Diagnostics& diagnostics) {
  const auto text = diagnostics.text();
  std::fputs(text.c_str(), stderr);
  if (!text.empty() && text.back() != '\n') std::fputc('\n', stderr);
  return diagnostics.has_errors() ? Exit::bad_input : Exit::ok;
}

}  // namespace dse::cli
