// A mutex that is held for microseconds.
#pragma once

#include <mutex>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace kernel {

// Spins for a while before it sleeps, since waking up takes longer than most waits.
class AdaptiveMutex {
  public:
    void lock() {
        for (int tries = 0; tries < MOST_TRIES; ++tries) {
            if (mutex_.try_lock()) return;
            rest();
        }
        mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }

  private:
    static constexpr int MOST_TRIES = 1000;  // 5 to 50 us; after that the holder probably lost its core

    // Yields the core's execution units for a moment.
    static void rest() {
#if defined(__x86_64__) || defined(_M_X64)
        _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
        __asm__ __volatile__("yield");
#endif
    }

    std::mutex mutex_;
};

}  // namespace kernel
