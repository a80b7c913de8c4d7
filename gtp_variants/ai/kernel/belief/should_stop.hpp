// How long work learns that it is to end; the twin of `interruption.py`.
#pragma once

#include <functional>

namespace kernel {

// Called now and then; once it answers true the work ends with what it has.
using ShouldStop = std::function<bool()>;

}  // namespace kernel
