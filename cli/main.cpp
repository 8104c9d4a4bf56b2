// sc_main is SystemC's; ours is a plain main, so that no elaboration happens unless a command wants it.
#include <cstdio>

int main() {
  std::puts("dse 0.1.0");
  return 0;
}
