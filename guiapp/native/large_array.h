// Zeroed memory for tables with random access. It uses large pages, because translating the addresses of small pages takes
// longer than the access itself.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <span>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace loupe {

template <class Item>
class LargeArray {
public:
    explicit LargeArray(std::size_t size) : items_(allocated(size * sizeof(Item)), Release{alignment_of(size * sizeof(Item))}), size_(size) {}

    Item& operator[](std::size_t index) { return std::span(items_.get(), size_)[index]; }
    const Item& operator[](std::size_t index) const { return std::span(items_.get(), size_)[index]; }
    std::size_t size() const { return size_; }
    std::span<Item> items() { return {items_.get(), size_}; }
    void clear() { std::memset(static_cast<void*>(items_.get()), 0, size_ * sizeof(Item)); }

private:
    static constexpr std::size_t large_page = 2 << 20, cache_line = 64;

    struct Release {
        std::align_val_t alignment;
        void operator()(Item* items) const { ::operator delete(static_cast<void*>(items), alignment); }
    };

    static std::align_val_t alignment_of(std::size_t size) { return std::align_val_t{size >= large_page ? large_page : cache_line}; }

    static Item* allocated(std::size_t size) {
        void* const memory = ::operator new(size, alignment_of(size));
#if defined(__linux__)
        if (size >= large_page) madvise(memory, size, MADV_HUGEPAGE);
#endif
        std::memset(memory, 0, size);
        return static_cast<Item*>(memory);
    }

    std::unique_ptr<Item[], Release> items_;
    std::size_t size_;
};

}  // namespace loupe
