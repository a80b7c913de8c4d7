// Threads that wait for work and do it together, part by part.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kernel {

class WorkerThreads {
  public:
    // So many parts at a time; the caller's thread does one of them.
    explicit WorkerThreads(int parts) : parts_(parts) {
        for (int part = 1; part < parts; ++part) threads_.emplace_back([this, part] { wait_and_work(part); });
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

    // Calls `work` with every part number, and returns when all are done; throws the first of what they threw.
    void run(const std::function<void(int)>& work) {
        if (parts_ > 1) {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            left_ = parts_ - 1;
            ++round_;
        }
        begin_.notify_all();
        try_part(work, 0);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return left_ == 0; });
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

    int parts_;
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
