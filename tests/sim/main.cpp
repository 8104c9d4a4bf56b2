// Any SystemC warning or error fails the test that caused it.
#include <gmock/gmock.h>

#include <systemc>

namespace {
void strict(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  if (report.get_severity() != sc_core::SC_INFO) ADD_FAILURE() << "SystemC: " << report.what();
}
}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  sc_core::sc_report_handler::set_handler(strict);
  return RUN_ALL_TESTS();
}
