// Work done by several threads at once, including the caller's.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace kernel {

// Must be called first in a thread. Data for exceptions is allocated at the first throw; if memory has run out by then,
// the C library aborts the process.
inline void prepare_to_throw() {
    // A call without effects may be optimised away.
    [[maybe_unused]] const volatile int none = std::uncaught_exceptions();
}

// Calls `work` with 0 in the calling thread and with each number below `count` in its own thread, and returns when all
// are done. If the machine allows no more threads, fewer run. The first exception is rethrown here after `stop` has
// told the others to end, since an exception in a thread would end the process.
template <class Work, class Stop> void run_in_parallel(std::size_t count, const Work& work, const Stop& stop) {
    std::mutex mutex;
    std::exception_ptr failed;
    const auto try_part = [&](std::size_t part) {
        prepare_to_throw();
        try {
            work(part);
        } catch (...) {
            stop();
            const std::lock_guard lock(mutex);
            if (!failed) failed = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        if (count > 1) others.reserve(count - 1);
        for (std::size_t part = 1; part < count; ++part) others.emplace_back(try_part, part);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    try_part(0);
    for (std::thread& other : others) other.join();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace kernel
