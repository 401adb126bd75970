// Functions that the headers of C++'s standard library need from its compiled part, which is not linked. So the library depends
// on C's library alone (on Windows, on the system's), and zig need not build another one first. Nothing else of that part is
// available: no std::string, std::function, std::unordered_map, iostreams; sort numbers with a comparison of your own.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "api.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

std::int32_t loupe_abi_version() { return loupe::abi_version; }

const char* loupe_sources() { return LOUPE_SOURCES; }

std::int32_t loupe_is_x86_v3() {
#if defined(__x86_64__)
    constexpr unsigned avx_and_all_that = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;  // FMA, MOVBE, OSXSAVE, AVX, F16C
    constexpr unsigned avx2_and_bits = 1u << 3 | 1u << 5 | 1u << 8;  // BMI1, AVX2, BMI2
    constexpr unsigned lzcnt = 1u << 5, saved_registers = 6;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & avx_and_all_that) != avx_and_all_that) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & avx2_and_bits) != avx2_and_bits) return 0;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & lzcnt)) return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & saved_registers) == saved_registers;
#else
    return 0;
#endif
}

#if defined(_WIN32)

extern "C" {
__declspec(dllimport) void* __stdcall GetProcessHeap();
__declspec(dllimport) void* __stdcall HeapAlloc(void* heap, unsigned long flags, std::size_t size);
__declspec(dllimport) int __stdcall HeapFree(void* heap, unsigned long flags, void* memory);

int _fltused = 0;  // needed if there are floating-point numbers
int __stdcall DllMainCRTStartup(void*, unsigned long, void*) { return 1; }

void* memchr(const void* memory, int wanted, std::size_t size) {
    auto* const bytes = static_cast<const unsigned char*>(memory);
    for (std::size_t at = 0; at < size; ++at)
        if (bytes[at] == static_cast<unsigned char>(wanted)) return const_cast<unsigned char*>(bytes + at);
    return nullptr;
}
}

#endif

#if !defined(__SANITIZE_ADDRESS__)  // it has its own

namespace {

constexpr std::size_t usual = alignof(std::max_align_t);

#if defined(_WIN32)

// Aligned by hand: the address of the whole allocation is stored before the result.
void* allocated(std::size_t size, std::size_t alignment) noexcept {
    const auto whole = size + alignment + sizeof(void*);
    auto* const memory = whole > size ? static_cast<char*>(HeapAlloc(GetProcessHeap(), 0, whole)) : nullptr;
    if (memory == nullptr) __builtin_trap();
    const auto begin = reinterpret_cast<std::size_t>(memory) + sizeof(void*);
    auto* const aligned = memory + sizeof(void*) + (alignment - begin % alignment) % alignment;
    reinterpret_cast<void**>(aligned)[-1] = memory;
    return aligned;
}

void release(void* memory) noexcept {
    if (memory != nullptr) HeapFree(GetProcessHeap(), 0, static_cast<void**>(memory)[-1]);
}

#else

void* allocated(std::size_t size, std::size_t alignment) noexcept {
    void* memory = alignment <= usual ? std::malloc(size) : nullptr;
    if (memory == nullptr && posix_memalign(&memory, alignment, size) != 0) __builtin_trap();
    return memory;
}

void release(void* memory) noexcept { std::free(memory); }

#endif

}  // namespace

// Running out of memory ends the process. Python checks sizes before.
void* operator new(std::size_t size) { return allocated(size, usual); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocated(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

#endif

#if defined(_LIBCPP_VERSION)

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD

#elif defined(__GLIBCXX__)

namespace std {
[[noreturn]] void __throw_length_error(const char*) { __builtin_trap(); }
[[noreturn]] void __throw_logic_error(const char*) { __builtin_trap(); }
[[noreturn]] void __throw_out_of_range_fmt(const char*, ...) { __builtin_trap(); }
[[noreturn]] void __throw_bad_alloc() { __builtin_trap(); }
[[noreturn]] void __throw_bad_array_new_length() { __builtin_trap(); }
[[noreturn]] void __glibcxx_assert_fail(const char*, int, const char*, const char*) noexcept { __builtin_trap(); }
}  // namespace std

#endif
