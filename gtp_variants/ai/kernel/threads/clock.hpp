// The clocks of searches.
#pragma once

#include <chrono>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <time.h>
#endif

namespace kernel {

// Returns seconds since an arbitrary time.
inline double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the calling thread's CPU time in seconds.
inline double thread_seconds() {
#ifdef _WIN32
    FILETIME made, ended, in_kernel, in_user;
    GetThreadTimes(GetCurrentThread(), &made, &ended, &in_kernel, &in_user);
    // Two halves of a 64-bit number, in units of 100 ns.
    const auto seconds = [](const FILETIME& time) {
        return (static_cast<double>(time.dwHighDateTime) * 0x1p32 + static_cast<double>(time.dwLowDateTime)) * 1e-7;
    };
    return seconds(in_kernel) + seconds(in_user);
#else
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#endif
}

}  // namespace kernel
