// A deep copy of a program, for tests that change one.
#pragma once
#include "program/program.h"

namespace dse::test {

/// Every payload of a known kind is a copy of its own, so that it may be changed through mutable_payload(); calls point
/// into the copy's own operators. Payloads of other kinds are shared.
program::Program clone(const program::Program& program);

/// The payload of a cloned template, to be changed. @returns null when it is not a T.
template <class T>
T* mutable_payload(program::TaskTemplate& t) {
  return const_cast<T*>(dynamic_cast<const T*>(t.payload.get()));
}

}  // namespace dse::test
