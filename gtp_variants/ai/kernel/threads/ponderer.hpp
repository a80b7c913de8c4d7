// A thread that searches in the background.
#pragma once

#include <atomic>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

namespace kernel {

class Ponderer {
  public:
    // Starts a search, unless the machine allows no more threads. The previous one must have been joined.
    void start(std::function<void()> search) {
        is_running_ = true;
        try {
            thread_ = std::thread([this, search = std::move(search)] {
                try {
                    search();
                } catch (...) {
                    // Pondering is optional.
                }
                is_running_ = false;
            });
        } catch (const std::system_error&) {
            is_running_ = false;
        }
    }

    // Waits for the end of the search, which the caller must have requested.
    void join() {
        if (thread_.joinable()) thread_.join();
    }

    bool is_running() const { return is_running_; }

  private:
    std::atomic<bool> is_running_ = false;
    std::thread thread_;
};

}  // namespace kernel
