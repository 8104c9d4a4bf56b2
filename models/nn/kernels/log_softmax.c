#include "dse_internal.h"

void dse_log_softmax(const dse_call* call) { (void)call; }
