// Threads that wait for work and share it part by part.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "parallel.hpp"

namespace kernel {

class WorkerThreads {
  public:
    // `parts` is the number of parts at a time, fewer if the machine allows no more threads; the caller's thread does
    // one.
    explicit WorkerThreads(int parts) {
        try {
            if (parts > 1) threads_.reserve(static_cast<std::size_t>(parts) - 1);
            for (; parts_ < parts; ++parts_) threads_.emplace_back([this, part = parts_] { wait_and_work(part); });
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }
    ~WorkerThreads() {
        {
            const std::lock_guard lock(mutex_);
            is_closing_ = true;
        }
        begin_.notify_all();
        for (std::thread& each : threads_) each.join();
    }
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;

    int parts() const { return parts_; }

    // Calls `work` with every part number and returns when all are done; rethrows the first exception. `look` is polled
    // while the calling thread waits for the others.
    void run(const std::function<void(int)>& work, const std::function<void()>& look = nullptr) {
        if (parts_ > 1) {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            left_ = parts_ - 1;
            ++round_;
        }
        begin_.notify_all();
        try_part(work, 0);
        std::unique_lock lock(mutex_);
        while (!done_.wait_for(lock, BETWEEN_LOOKS, [this] { return left_ == 0; })) {
            if (!look) continue;
            lock.unlock();
            look();
            lock.lock();
        }
        if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
    }

  private:
    void try_part(const std::function<void(int)>& work, int part) {
        try {
            work(part);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failed_) failed_ = std::current_exception();
        }
    }
    void wait_and_work(int part) {
        prepare_to_throw();
        for (std::uint64_t round = 1;; ++round) {
            const std::function<void(int)>* work = nullptr;
            {
                std::unique_lock lock(mutex_);
                begin_.wait(lock, [&] { return is_closing_ || round_ >= round; });
                if (is_closing_) return;
                work = work_;
            }
            try_part(*work, part);
            const std::lock_guard lock(mutex_);
            if (--left_ == 0) done_.notify_one();
        }
    }

    static constexpr auto BETWEEN_LOOKS = std::chrono::milliseconds(50);

    int parts_ = 1;
    std::mutex mutex_;
    std::condition_variable begin_, done_;
    const std::function<void(int)>* work_ = nullptr;
    std::uint64_t round_ = 0;
    int left_ = 0;
    bool is_closing_ = false;
    std::exception_ptr failed_;
    std::vector<std::thread> threads_;
};

}  // namespace kernel
