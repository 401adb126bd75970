// Definitions for all functions that Python calls. None of them throws; an error is a negative number.
#pragma once

#include <cstdint>
#include <span>

#if defined(_WIN32)
#define LOUPE_API extern "C" __declspec(dllexport)
#else
#define LOUPE_API extern "C" __attribute__((visibility("default")))
#endif

namespace loupe {

constexpr std::int32_t abi_version = 14;  // equals ABI_VERSION in binding.py

// An array of the caller, with its number of items.
template <class Item>
struct Array {
    Item* data;
    std::int64_t size;

    operator std::span<Item>() const { return {data, static_cast<std::size_t>(size)}; }
};

template <class Item>
std::span<Item> items_of(Array<Item> array) {
    return array;
}

}  // namespace loupe

LOUPE_API std::int32_t loupe_abi_version();

// Whether the processor and the system can run code compiled for x86-64-v3.
LOUPE_API std::int32_t loupe_is_x86_v3();

// A hash of the sources: Python compares it to recognize a library that is older than its sources.
LOUPE_API const char* loupe_sources();
