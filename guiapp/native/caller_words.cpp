// Encodes text word by word if only the caller can encode a word: known words are cached, the caller is asked for the others.
#include "api.h"
#include "piece_cache.h"
#include "spaced_words.h"
#include "special_tokens.h"
#include "utf8.h"

namespace loupe {

// A word begins at white space after a character that may end a word, or where text begins after a special token; in the latter
// case its kind differs. Words are adjacent. Text is valid UTF-8. For one thread at a time.
class CallerWords {
public:
    using Kind = PieceCache::Kind;  // `whole`: at the start of a document; `segment`: after a special token; else `part`
    struct Word {
        std::size_t start, size;  // in bytes of the text
        Kind kind;
    };

    // `starts_words`: the bytes that are such white space; `ends_words`: the characters below 65536 that may end a word.
    CallerWords(std::span<const bool> starts_words, std::span<const bool> ends_words, std::uint64_t secret)
        : ends_words_(ends_words), secret_(secret), keys_(PieceCache::block), ends_(PieceCache::block), slots_(64) {
        for (std::size_t byte = 0; byte < 0x80; ++byte) flags_[byte] = starts_words[byte] ? starts_word : ends_words[byte] ? ends_word : 0;
        std::fill(flags_.begin() + 0x80, flags_.end(), is_part);
    }

    void begin() {
        if (ids_.size() > most_retained_room) ids_ = {};
        requested_.clear(), provided_.clear(), provided_ends_.clear();
        std::ranges::fill(slots_, 0);
        longest_provided_ = 0;
    }

    // The number of ids of a text; or, if negative, of words that the caller must provide first.
    std::int64_t encode(Bytes text, const TextOptions& options) {
        const auto n_provided = provided_ends_.size();
        count_ = 0;
        options.partition(text, parts_);
        for (const auto& part : parts_) {
            const auto start = static_cast<std::size_t>(part.raw_start);
            if (part.has_text()) {
                const auto kind = start == 0 && options.begins ? Kind::whole : flags_[text[start]] & starts_word ? Kind::part : Kind::segment;
                encode_segment(text.first(static_cast<std::size_t>(part.raw_end)), start, kind, n_provided);
            }
            if (part.token == absent) continue;
            if (ids_.size() == count_) ids_.resize(2 * count_ + PieceCache::spare_ids);
            ids_[count_++] = static_cast<std::int32_t>(part.token);
        }
        return requested_.size() > n_provided ? static_cast<std::int64_t>(n_provided) - static_cast<std::int64_t>(requested_.size()) : static_cast<std::int64_t>(count_);
    }

    // The words that the caller must provide.
    std::span<const Word> missing() const { return std::span(requested_).subspan(provided_ends_.size()); }

    // Take the ids of these words; counts[i] of them belong to word i.
    bool provide(std::span<const std::int32_t> ids, std::span<const std::int64_t> counts) {
        if (counts.size() != missing().size()) return false;
        auto end = provided_.size();
        for (const auto count : counts) {
            if (count < 0 || static_cast<std::size_t>(count) > ids.size()) return false;
            provided_ends_.push_back(end += static_cast<std::size_t>(count));
            longest_provided_ = std::max(longest_provided_, static_cast<std::size_t>(count));
        }
        provided_.insert(provided_.end(), ids.begin(), ids.end());
        return end == provided_.size();
    }

    std::span<const std::int32_t> ids() const { return std::span(ids_).first(count_); }

private:
    enum Flag : Byte { starts_word = 1, ends_word = 2, is_part = 4 };  // of a byte; `is_part`: of a longer character
    static constexpr std::size_t most_retained_room = 1 << 22, most_at_once = 1 << 18;  // ids
    static constexpr std::size_t longest_cached = 1 << 17;  // bytes or ids of a word: long words are rare, but recur during editing

    void encode_segment(Bytes text, std::size_t start, Kind first_kind, std::size_t n_provided) {
        const auto begin = start;
        for (auto scanned = start; start < text.size();) {
            const auto n_ends = find_ends(text, begin, scanned);
            for (std::size_t first = 0; first < n_ends;) {
                const auto n_words = start == begin ? 1 : std::min(n_ends - first, std::max<std::size_t>(1, most_at_once / std::max(longest_provided_, longest_known_)));
                const auto ends = std::span(ends_).subspan(first, n_words);
                encode_block({text, start, ends, {}, start == begin ? first_kind : Kind::part, std::span(keys_).first(n_words)}, n_provided);
                start = static_cast<std::size_t>(ends.back()), first += n_words;
            }
        }
    }

    // Write the ends of the next words, at least one. text[begin:at] was scanned before.
    std::size_t find_ends(Bytes text, std::size_t begin, std::size_t& at) {
        std::size_t count = 0;
        for (; at < text.size() && count + 65 <= ends_.size(); at += 64) {
            const auto [spaces, ends, parts] = marks<3>(text.subspan(at, std::min<std::size_t>(64, text.size() - at)), std::span<const Byte, 256>(flags_));
            const auto before = at > begin ? flags_[text[at - 1]] : 0;
            auto cuts = spaces & (ends << 1 | (before == ends_word));
            for (auto open = spaces & (parts << 1 | (before == is_part)); open; open &= open - 1) {
                const auto end = at + static_cast<std::size_t>(std::countr_zero(open));
                const auto code = code_at(text, last_character(text.first(end)));
                if (code < ends_words_.size() && ends_words_[code]) cuts |= open & -open;
            }
            write_offsets(cuts, at, ends_, count);
        }
        if (at >= text.size()) ends_[count++] = static_cast<std::int64_t>(text.size());
        return count;
    }

    void encode_block(const PieceCache::Block& block, std::size_t n_provided) {
        longest_known_ = std::max(longest_known_, std::min(longest_cached, longest_provided_));
        const auto room = count_ + block.ends.size() * std::max(longest_known_, longest_provided_) + PieceCache::spare_ids;
        if (ids_.size() < room) ids_.resize(std::max(2 * ids_.size(), room));
        bool is_provided = false;
        const auto encode_new = [&](std::size_t index, std::size_t count) {
            const auto word = index_of(block.text, {block.start_of(index), block.piece(index).size(), block.kind});
            is_provided = word < n_provided;
            if (!is_provided) return count;
            const auto first = word ? provided_ends_[word - 1] : 0, size = provided_ends_[word] - first;
            std::ranges::copy(std::span(provided_).subspan(first, size), std::span(ids_).subspan(count, size).begin());
            return count + size;
        };
        count_ = cache_.encode(block, ids_, count_, encode_new, [&] { return is_provided; });
    }

    // The index of a word among the requested ones; a new word is added.
    std::size_t index_of(Bytes text, Word word) {
        if (2 * requested_.size() >= slots_.size()) {
            slots_.assign(4 * slots_.size(), 0);
            for (std::size_t index = 0; index < requested_.size(); ++index) slots_[slot_of(text, requested_[index])] = static_cast<std::uint32_t>(index + 1);
        }
        auto& slot = slots_[slot_of(text, word)];
        if (slot == 0) {
            requested_.push_back(word);
            slot = static_cast<std::uint32_t>(requested_.size());
        }
        return slot - 1;
    }

    // The slot of a word, or the free slot for it.
    std::size_t slot_of(Bytes text, Word word) const {
        const auto bytes = text.subspan(word.start, word.size);
        auto hash = secret_ ^ word.size << 2 ^ static_cast<Byte>(word.kind);
        for (const auto byte : bytes) hash = (hash ^ byte) * (secret_ | 1), hash ^= hash >> 29;
        for (auto at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at] == 0) return at;
            const auto& other = requested_[slots_[at] - 1];
            if (other.kind == word.kind && std::ranges::equal(text.subspan(other.start, other.size), bytes)) return at;
        }
    }

    std::span<const bool> ends_words_;
    std::uint64_t secret_;
    std::array<Byte, 256> flags_{};
    PieceCache cache_{longest_cached, 4};  // large, because asking the caller is much slower than encoding here would be
    std::vector<PieceCache::Key> keys_;
    std::vector<std::int64_t> ends_;  // of the words in a block
    std::vector<Part> parts_;         // of a text
    std::vector<Word> requested_;
    std::vector<std::uint32_t> slots_;  // a hash table: 1 + the index of a requested word, or 0
    std::vector<std::int32_t> provided_;  // the ids of the requested words
    std::vector<std::size_t> provided_ends_;
    std::size_t longest_provided_ = 0, longest_known_ = 4;  // most ids of a word: of this text, and of a cached one
    std::vector<std::int32_t> ids_;  // may be longer than `count_`
    std::size_t count_ = 0;
};

}  // namespace loupe

using namespace loupe;

// Arrays bool[256] and bool[65536]; the second must outlive the result.
LOUPE_API CallerWords* loupe_caller_words_new(Array<const bool> starts_words, Array<const bool> ends_words, std::uint64_t secret) {
    return starts_words.size == 256 && ends_words.size == 1 << 16 ? new CallerWords(starts_words, ends_words, secret) : nullptr;
}

LOUPE_API void loupe_caller_words_free(CallerWords* words) { delete words; }

// The number of ids of a text; or, if negative, of words that the caller must provide before calling this with `is_new` false.
LOUPE_API std::int64_t loupe_caller_words_encode(CallerWords* words, const TextOptions* options, Array<const Byte> text, bool is_new) {
    if (is_new) words->begin();
    return words->encode(text, *options);
}

// The starts, ends and kinds of the words that the caller must provide.
LOUPE_API void loupe_caller_words_missing(const CallerWords* words, Array<std::int64_t> starts, Array<std::int64_t> ends, Array<Byte> kinds) {
    for (std::size_t index = 0; const auto [start, size, kind] : words->missing()) {
        if (index >= items_of(starts).size() || index >= items_of(ends).size() || index >= items_of(kinds).size()) return;
        items_of(starts)[index] = static_cast<std::int64_t>(start);
        items_of(kinds)[index] = static_cast<Byte>(kind);
        items_of(ends)[index++] = static_cast<std::int64_t>(start + size);
    }
}

// -1 if these are not the ids of the missing words.
LOUPE_API std::int64_t loupe_caller_words_provide(CallerWords* words, Array<const std::int32_t> ids, Array<const std::int64_t> counts) {
    return words->provide(ids, counts) ? 0 : -1;
}

// Copies the ids of the last text to an array of their number.
LOUPE_API void loupe_caller_words_copy(const CallerWords* words, Array<std::int32_t> ids) {
    std::ranges::copy(words->ids().first(static_cast<std::size_t>(ids.size)), ids.data);
}
