// The encoders of vocabularies with merge rules: byte-level BPE, SentencePiece's BPE.
#pragma once

#include <memory>

#include "merger.h"
#include "pair_cuts.h"
#include "piece_cache.h"
#include "special_tokens.h"

namespace loupe {

enum class WholePieces : std::int32_t { none, newlines, all, as_ranked };  // pieces that, if they are tokens, are not merged

// The tables of one vocabulary; for all threads.
class PairModel {
public:
    // `splitter` is NULL if each text is one piece. `cuts_short`: pieces are lines or whole texts rather than words.
    PairModel(const StringTable& tokens, const PairSource& source, const Splitter* splitter, WholePieces whole_pieces, bool cuts_short,
              Watch& watch)
        : rules(tokens, source, watch), cuts(rules, source.secret, watch), tokens(tokens), splitter(splitter), whole_pieces(whole_pieces), cuts_short(cuts_short) {}

    // The token that is spelled like a piece and replaces merging, or `absent`.
    std::int32_t whole_token(Bytes piece) const;

    // Whether ids alone determine the spans of a text, so that `fast` may encode it.
    enum class Trouble : std::int64_t { none = 0, is_broken = -1, has_marked_space = -2, has_ambiguous_byte = -3, has_excluded = -4 };
    Trouble trouble_in(Bytes text) const;

    // Whether a space byte cannot stand for U+2581: the text contains U+2581 itself, or a broken character that swallows a part
    // of it.
    bool has_marked_space(Bytes text) const;

    const PairRules rules;
    const PairCuts cuts;
    const StringTable& tokens;
    const Splitter* splitter;
    const WholePieces whole_pieces;
    const bool cuts_short;
};

// Encodes text after text; for one thread at a time.
class PairEncoder {
public:
    // `short_ids`: the caller's room for the ids of short texts.
    PairEncoder(const PairModel& model, std::int32_t* short_ids);

    // Write the ids of a text with special tokens; returns their number, or the trouble. `is_plain`: known to be plain (see
    // utf8.h). There must be room for `spare_ids` and four ids a byte; two if spaces are not marked, one if none is added.
    std::int64_t encode(Bytes text, const TextOptions& options, bool is_plain, Ids ids);

    // Append the ids of the first `size` bytes of a text, which must be without trouble; `ends` has the ends of their pieces,
    // or is empty to use the splitter. The other bytes are ignored, but may be read.
    std::size_t fast(Bytes text, std::size_t size, std::span<const std::int64_t> ends, Ids ids);

    // Append the tokens of pieces that end at `ends`, merging each; `takes_whole`: pieces that are tokens are not merged.
    enum class Merging : std::int32_t { scan, heap };
    void merge_each(Bytes text, std::span<const std::int64_t> ends, Merging merging, bool takes_whole, TokenOutput& output);

    // Append the tokens of pieces of start symbols, which are tokens; `ends` and the output count symbols.
    void merge_symbols(std::span<const std::int32_t> symbols, std::span<const std::int64_t> ends, Merging merging, TokenOutput& output);

    const PairModel& model() const { return model_; }
    std::int32_t* short_ids() const { return short_ids_; }

private:
    static constexpr std::size_t longest_cached = 1 << 17;  // bytes of a piece: long ones are rare, but recur during editing

    using Keys = std::array<PieceCache::Key, PieceCache::block>;
    using BlockEnds = std::array<std::int64_t, PieceCache::block>;

    void put_spaces(Bytes text, bool adds_space, bool marks_spaces);
    std::size_t add_pieces(std::size_t start, std::size_t size, Ids ids, std::size_t count);
    std::size_t add_token(std::int32_t token, std::int64_t text_end, Ids ids, std::size_t count);
    std::size_t encode_pending(Ids ids, std::size_t count);
    void forget_pending() { n_pending_ = n_taken_ = 0, pending_tokens_.clear(), others_.clear(); }
    PairModel::Trouble trouble_in(Bytes text, Bytes given, const TextOptions& options, bool is_plain) const;
    std::size_t encode_words(const PieceCache::Block& block, Ids ids, std::size_t count);
    std::size_t encode_parts(Bytes text, std::size_t start, std::size_t end, Ids ids, std::size_t count);
    std::size_t merge(Bytes piece, Ids ids, std::size_t count);

    const PairModel& model_;
    std::int32_t* short_ids_;
    PieceCache cache_{longest_cached};
    Merger merger_;
    std::unique_ptr<Splitting> splitting_;
    Keys keys_, part_keys_;
    BlockEnds ends_, part_ends_;
    std::vector<Part> parts_;   // of a text
    std::vector<Byte> spaced_;  // text between special tokens, with its spaces changed
    Bytes pending_text_;        // has the `n_pending_` pieces to encode, from `pending_start_` on, which end at `ends_`
    std::size_t pending_start_ = 0, n_pending_ = 0, n_taken_ = 0;
    std::vector<std::uint32_t> others_;         // indices of special tokens among them
    std::vector<std::int32_t> pending_tokens_;  // their ids; `n_taken_` are written
};

}  // namespace loupe
