#include "dse_internal.h"

void dse_lstm(const dse_call* call) { (void)call; }
