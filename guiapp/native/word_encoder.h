// Encodes text word by word, for WordPiece and Unigram, with a cache of words.
#pragma once

#include "piece_cache.h"
#include "special_tokens.h"
#include "unigram.h"
#include "wordpiece.h"

namespace loupe {

// Words are independent of each other, and cached as written: a known word is not normalized again. For one thread at a time.
class WordEncoder {
public:
    static constexpr std::int64_t too_long = -2, explodes = -3;

    // For one of these; the other is NULL. `ids_of_rows`, if any, are the ids of WordPiece's rows, the last one for unknown
    // words.
    WordEncoder(const WordPiece* wordpiece, const Unigram* unigram, std::span<const std::int32_t> ids_of_rows);

    void clear() {
        if (ids_.size() > most_retained_room) ids_ = {};
        count_ = 0;
    }
    // Append the ids of a text with special tokens. Returns the number of all ids, or `too_long` if a word becomes too long, or
    // `explodes` if a segment grows so much that the character map must have been made for this purpose.
    std::int64_t append(Bytes text, const TextOptions& options);

    std::span<const std::int32_t> ids() const { return std::span(ids_).first(count_); }

private:
    static constexpr std::size_t most_retained_room = 1 << 22;
    static constexpr std::size_t room_for_words = 128;  // the least room to search for words
    static constexpr std::size_t block_room = PieceCache::block * PieceCache::longest_cached + PieceCache::spare_ids;

    struct PlainText {
        std::vector<Byte> data;
        static constexpr bool is_full() { return false; }
        void append(Bytes output, std::size_t, std::size_t) {
            const auto size = data.size();
            data.resize(size + output.size());
            std::memcpy(data.data() + size, output.data(), output.size());
        }
        void extend(std::size_t) {}
    };

    template <class Model>
    std::int64_t append(const Model& model, Bytes text, const TextOptions& options);
    template <class Model>
    bool add_words(const Model& model, Bytes text, const Part& part);
    template <class Model>
    bool add_token(const Model& model, Bytes text, std::int32_t token);
    template <class Model>
    bool encode_pending(const Model& model, Bytes text);
    void forget_pending() { n_pending_ = n_taken_ = 0, others_.clear(), pending_tokens_.clear(); }
    void make_room(std::size_t more);

    static bool puts_space(const WordPiece&) { return false; }
    static bool puts_space(const Unigram& model) { return model.normalizer.add_space_prefix && !model.normalizer.removes_spaces; }
    static bool would_explode(const WordPiece&, Bytes) { return false; }
    static bool would_explode(const Unigram& model, Bytes text) { return model.explodes(text); }
    std::size_t append_first(const WordPiece&, Bytes) { return 0; }
    std::size_t append_first(const Unigram& model, Bytes text);
    bool normalize(const WordPiece& model, Bytes text, Word word);
    bool normalize(const Unigram& model, Bytes text, Word word);
    std::size_t encode_normalized(const WordPiece& model, std::size_t count);
    std::size_t encode_normalized(const Unigram& model, std::size_t count);

    const WordPiece* wordpiece_;
    const Unigram* unigram_;
    std::span<const std::int32_t> ids_of_rows_;
    PieceCache cache_;
    std::vector<PieceCache::Key> keys_, part_keys_;
    std::vector<std::int64_t> starts_, ends_, part_ends_;  // of the words in a block, and of the parts of a word
    std::size_t n_pending_ = 0, n_taken_ = 0;              // words not encoded yet; special tokens among them that are written
    std::vector<std::uint32_t> others_;                    // their indices, and their ids
    std::vector<std::int32_t> pending_tokens_;

    std::vector<Part> parts_;        // of a text
    std::vector<std::int32_t> ids_;  // may be longer than `count_`
    std::size_t count_ = 0;

    PlainText normalized_;              // a word
    std::vector<std::int32_t> spelled_;  // its ids
    Lattice lattice_;
    std::vector<Lattice::Token> tokens_;
    UnigramNormalizer::State state_;
};

}  // namespace loupe
