// Memory for search trees in chunks of one mebibyte.
#pragma once

#include <cstddef>
#include <memory>

#ifdef _WIN32
#include <new>
#else
#include <sys/mman.h>
#endif

namespace kernel {

// Bytes of a chunk.
inline constexpr std::size_t CHUNK = std::size_t{1} << 20;

struct ChunkRelease {
    void operator()(std::byte* chunk) const noexcept {
#ifdef _WIN32
        ::operator delete(chunk);
#else
        ::munmap(chunk, CHUNK);
#endif
    }
};

using Chunk = std::unique_ptr<std::byte, ChunkRelease>;

// Returns null if no memory is left. Chunks come from the operating system because malloc keeps freed memory for the
// thread that requested it: after pondering, the next search could not use it.
inline Chunk take_chunk() noexcept {
#ifdef _WIN32
    return Chunk(static_cast<std::byte*>(::operator new(CHUNK, std::nothrow)));
#else
    void* const taken = ::mmap(nullptr, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return Chunk(taken == MAP_FAILED ? nullptr : static_cast<std::byte*>(taken));
#endif
}

}  // namespace kernel
