// Work that several threads do at once, the caller's among them.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace kernel {

// To be called first in a thread. What a thread needs to throw is allocated when it throws first: where memory has run
// out by then, the C library ends the process.
inline void prepare_to_throw() {
    // A call whose answer nobody wants may be left out.
    [[maybe_unused]] const volatile int none = std::uncaught_exceptions();
}

// Calls `work` with 0 in the calling thread and with each number below `count` in a thread of its own, and returns when
// all are done; where the machine allows no more threads those that there are do. What the first of them throws is
// thrown here, after `stop` has told the others to end: a thread that throws would end the process.
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
