// The callback that ends long work; `interruption.py` is the same in Python.
#pragma once

#include <functional>

namespace kernel {

// Polled by long work, which ends with its result so far once this returns true.
using ShouldStop = std::function<bool()>;

}  // namespace kernel
