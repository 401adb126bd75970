// A cache of encoded pieces. The tokens of a piece depend on nothing else, so the cache never changes results.
//
// Short pieces fit rows of 32 bytes: the text in two words, and up to four ids. Two rows share a cache line; the table uses
// open addressing. `long_` is a table for longer pieces, and for pieces with more ids. Pieces are processed in blocks: first
// all keys are made and their rows prefetched, then all rows are read, which hides most of the latency.
#pragma once

#include <array>
#include <vector>

#include "bytes.h"
#include "large_array.h"

namespace loupe {

class PieceCache {
public:
    static constexpr std::size_t block = 1024;      // pieces at a time
    static constexpr std::size_t short_bytes = 15;  // of a piece whose key fits two words, length included
    static constexpr std::size_t spare_ids = 4;     // that may be written after the last one
    static constexpr std::size_t longest_cached = 1024;  // bytes or ids of a piece, by default

    // Kinds are cached separately: a part of a piece, a piece, or the text between two special tokens.
    enum class Kind : std::uint8_t { part, whole, segment };

    struct Key {
        std::uint64_t low, high, slot;  // of a longer piece: a hash, too_long, the next such piece + 1 (0: none)
    };

    // The pieces of a text from `start` on, which end at `ends`, and working memory.
    struct Block {
        Bytes text;
        std::size_t start;
        std::span<const std::int64_t> ends;
        std::span<const std::int64_t> starts;  // if pieces are not adjacent; else empty
        Kind kind;
        std::span<Key> keys;                   // working memory of the same size
        std::span<const std::uint32_t> others{};  // the sorted indices of entries that are not text: always new

        std::size_t start_of(std::size_t index) const {
            if (!starts.empty()) return static_cast<std::size_t>(starts[index]);
            return index ? static_cast<std::size_t>(ends[index - 1]) : start;
        }
        Bytes piece(std::size_t index) const {
            const auto from = start_of(index);
            return text.subspan(from, static_cast<std::size_t>(ends[index]) - from);
        }
    };

    // There is room for `size` times 4 MB of long pieces.
    explicit PieceCache(std::size_t longest = longest_cached, std::size_t size = 1);

    // The text between two special tokens: turns of a chat recur. Short ones are cached when they occur for the second time:
    // whether this may be so. Then try to append its ids; if there are none, call `store_segment` with them.
    bool may_recall_segment(Bytes segment);
    bool recall_segment(Bytes segment, Ids ids, std::size_t& count) { return recall_long(segment, Kind::segment, segment_hash_, ids, count); }
    void store_segment(Bytes segment, std::span<const std::int32_t> ids);

    // Append the ids of all pieces of a block. `encode_new(index, count)` writes the ids of a piece that is not cached to
    // ids[count:] and returns the new count; it may use the cache for other blocks. There must be room for `spare_ids` more. A
    // piece is not cached if one of its ids is negative, or if `may_store()` is false after it.
    template <class EncodeNew>
    std::size_t encode(const Block& pieces, Ids ids, std::size_t count, EncodeNew encode_new) {
        return encode(pieces, ids, count, encode_new, [] { return true; });
    }

    template <class EncodeNew, class MayStore>
    std::size_t encode(const Block& pieces, Ids ids, std::size_t count, EncodeNew encode_new, MayStore may_store) {
        make_keys(pieces);
        for (std::size_t index = 0;; ++index) {
            index = look_up(pieces.keys, index, ids, count);
            if (index == pieces.ends.size()) return count;
            if (recall(pieces, index, ids, count)) continue;
            const auto first = count;
            count = encode_new(index, first);
            if (may_store()) store(pieces, index, ids.subspan(first, count - first));
        }
    }

private:
    static constexpr std::size_t few = 4;  // ids that fit a row
    static constexpr std::uint64_t too_long = ~std::uint64_t{0};
    static constexpr std::size_t longest_cached_segment = 256, n_bits = 1 << 18, most_noted = 1 << 14;
    static constexpr std::size_t most_probes = 16, most_ids = 1 << 19, most_text = 2 << 20;

    struct alignas(32) Row {
        std::uint64_t low, high;  // a key; high is 0 if the row is empty
        std::uint64_t two, last;  // ids, with their number - 1 in the highest two bits
    };
    struct alignas(32) LongRow {
        std::uint64_t hash;  // 0: the row is empty
        std::uint32_t text, ids, length, n_ids;  // offsets of the text and the ids; length << 2 | kind
    };

    static std::uint64_t slot_of_key(std::uint64_t low, std::uint64_t high);
    static std::uint64_t hash(Bytes piece, Kind kind);
    static bool may_be_cached(std::span<const std::int32_t> ids);
    static void write_row(Row& row, const Key& key, std::span<const std::int32_t> ids);
    static Key key_of(Bytes piece, Kind kind);

    void make_keys(const Block& pieces);
    void fetch_long(const Block& pieces, std::size_t listed);
    std::size_t look_up(std::span<const Key> keys, std::size_t index, Ids ids, std::size_t& count);
    Row& row_for(const Key& key);
    std::size_t slot_after(std::uint64_t slot, std::size_t probe) const { return ((slot + (probe & ~std::size_t{1})) ^ (probe & 1)) & (rows_.size() - 1); }
    LongRow* free_long_row(std::uint64_t hash);
    void grow();
    void grow_long();
    LongRow& long_row(std::uint64_t hash) { return long_[(hash >> 20) & (long_.size() - 1)]; }
    bool recall(const Block& pieces, std::size_t index, Ids ids, std::size_t& count);
    bool recall_long(Bytes piece, Kind kind, std::uint64_t hash, Ids ids, std::size_t& count);
    void store(const Block& pieces, std::size_t index, std::span<const std::int32_t> ids);
    void store_long(Bytes piece, Kind kind, std::uint64_t hash, std::span<const std::int32_t> ids);

    LargeArray<Row> rows_;
    LargeArray<LongRow> long_;
    std::size_t n_rows_ = 0, n_long_ = 0, longest_, size_;
    std::array<std::uint64_t, n_bits / 64> noted_{};  // hashes of texts between special tokens that occurred
    std::size_t n_noted_ = 0;
    std::uint64_t segment_hash_ = 0;  // of the last one; 0 if it is not to be cached
    std::vector<Byte> text_;  // of the pieces in `long_`; all are forgotten when something is full
    std::vector<std::int32_t> ids_;
};

}  // namespace loupe
