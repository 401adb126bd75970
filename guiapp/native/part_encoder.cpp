// SentencePiece's Unigram part by part, with a cache of parts.
#include <cmath>

#include "api.h"
#include "piece_cache.h"
#include "piece_text.h"
#include "special_tokens.h"
#include "unigram.h"

namespace loupe {

// A part lies between two cuts that no token crosses, so every segmentation passes through its ends. But sums of scores are
// rounded, which depends on all previous text. So a part is cached only if its best segmentation is better by more than
// rounding can change. The sum is updated with the scores of cached parts, and other parts are encoded after the exact sum of
// all previous text. Words of such parts are cached as written: a known word is not normalized again.
// Reference implementation: core/encode/reference/viterbi.py. For one thread at a time.
class PartEncoder {
public:
    PartEncoder(const Unigram& model, std::span<const std::int32_t> ids, std::span<const std::int32_t> byte_ids, bool has_parts, bool has_words)
        : model_(model), byte_ids_(byte_ids), has_parts_(has_parts), has_words_(has_words), starts_(PieceCache::block), ends_(PieceCache::block), part_ends_(parts_at_once) {
        double worst = std::abs(model.unknown_score);
        for (const auto id : ids) worst = std::max(worst, std::abs(model.scores[static_cast<std::size_t>(id)]));
        farthest_ = Unigram::farthest_sum - worst * (longest + 2);
        scores_.assign(model.scores.begin(), model.scores.end());
        knows_bytes_ = byte_ids.empty() ? model.unknown >= 0 : std::ranges::all_of(byte_ids, [](auto id) { return id >= 0; });
        if (!knows_bytes_) return;
        if (model.unknown >= 0) scores_[static_cast<std::size_t>(model.unknown)] = static_cast<float>(model.unknown_score);
        for (std::size_t byte = 0; byte < byte_ids.size(); ++byte)  // the first byte of a character has all of its score
            scores_[static_cast<std::size_t>(byte_ids[byte])] = is_continuation(static_cast<Byte>(byte)) ? 0 : static_cast<float>(model.unknown_score);
    }

    // Encode a text with special tokens, normalized by `piece_text`; false if that becomes too long.
    bool encode(Bytes text, const TextOptions& options, const PieceText& piece_text) {
        options.partition(text, parts_);
        if (ids_.size() > most_retained_room) ids_ = {};
        count_ = 0;
        for (const auto& part : parts_) {
            const auto segment_text = part.text_in(text);
            const bool begins = options.begins || part.raw_start > 0;
            if (!segment_text.empty() && !(has_words_ && begins && encode_words(segment_text, piece_text))) {
                normalized_.data.clear();
                if (!piece_text.normalize<false>(segment_text, begins, normalized_)) return false;
                const auto ids = make_room(normalized_.data.size());
                sum_ = 0, summed_ = count_;
                count_ = fused(count_, has_parts_ ? encode_parts(normalized_.data, ids, count_) : encode_exactly(normalized_.data, ids, count_));
            }
            make_room(1);
            if (part.token != absent) ids_[count_++] = static_cast<std::int32_t>(part.token);
        }
        return true;
    }

    std::span<const std::int32_t> ids() const { return std::span(ids_).first(count_); }

private:
    static constexpr std::size_t parts_at_once = 128;     // the most parts to encode again if sums are reset
    static constexpr std::int64_t bytes_at_once = 1024;   // bytes of words

    using Keys = std::array<PieceCache::Key, PieceCache::block>;

    Ids make_room(std::size_t more) {
        const auto most = count_ + more + PieceCache::spare_ids;
        if (ids_.size() < most) ids_.resize(std::max(most, 2 * ids_.size()));
        return ids_;
    }

    // Join neighbouring unknown tokens, from `first` on; returns the new count.
    std::size_t fused(std::size_t first, std::size_t count) {
        if (!byte_ids_.empty()) return count;
        const auto are_unknown = [&](auto one, auto other) { return one == model_.unknown && other == model_.unknown; };
        return count - std::ranges::unique(std::span(ids_).subspan(first, count - first), are_unknown).size();
    }

    // Append the ids of a text word by word, normalizing each as a text; false if the result may differ because U+2581 was
    // typed, or if there is no room for the ids.
    bool encode_words(Bytes text, const PieceText& piece_text) {
        if (holds_space_symbol(text)) return false;
        const auto ids = make_room(2 * text.size() + 64);
        auto count = count_;
        sum_ = 0, summed_ = count_;
        for (std::size_t at = 0; const auto n_words = model_.find_words(text, at, starts_, ends_); at = static_cast<std::size_t>(ends_[n_words - 1])) {
            for (std::size_t done = 0; done < n_words;) {
                auto end = done + 1;
                while (end < n_words && ends_[end] < starts_[done] + bytes_at_once) ++end;
                const auto starts = std::span(starts_).subspan(done, end - done), ends = std::span(ends_).subspan(done, end - done);
                if (!encode_block_of_words({text, 0, ends, starts, PieceCache::Kind::whole, std::span(keys_).first(ends.size())}, piece_text, ids, count)) return false;
                done = end;
            }
        }
        count_ = fused(count_, count);
        return true;
    }

    // Append the ids of some words; there must be room for two ids a byte.
    bool encode_block_of_words(const PieceCache::Block& words, const PieceText& piece_text, Ids ids, std::size_t& count) {
        bool fits = true, is_unambiguous = false;
        const auto encode_word = [&](std::size_t index, std::size_t first) {
            const auto word = words.piece(index);
            const auto rest = words.text.size() - static_cast<std::size_t>(words.ends[index]);
            normalized_.data.clear();
            fits = fits && piece_text.normalize<false>(word, true, normalized_) && first + normalized_.data.size() + 2 * rest + PieceCache::spare_ids <= ids.size();
            if (!fits) return first;
            const auto end = encode_parts(normalized_.data, ids, first);
            is_unambiguous = all_unambiguous_ && end - first <= 2 * word.size();
            return end;
        };
        const auto sum_before = sum_;
        const auto first = count;
        is_far_ = std::abs(sum_) > farthest_;
        count = cache_.encode(words, ids, first, encode_word, [&] { return is_unambiguous && fits; });
        if (fits) sum_up(ids, count);
        if (fits && is_far_) {  // where sums are reset depends on all offsets
            sum_ = sum_before, summed_ = count = first;
            for (std::size_t index = 0; index < words.ends.size(); ++index) count = encode_word(index, count);
            sum_up(ids, count);
        }
        return fits;
    }

    // Append the ids of a normalized text after the first `count` ids. There must be room for one id a byte, and `spare_ids`.
    std::size_t encode_parts(Bytes text, Ids ids, std::size_t count) {
        all_unambiguous_ = true;
        for (std::size_t start = 0; start < text.size();) {
            Ends parts{part_ends_};
            model_.cuts.next_parts(text, start, parts);
            const auto ends = parts.room.first(parts.count);
            count = encode_block({text, start, ends, {}, PieceCache::Kind::part, std::span(part_keys_).first(ends.size())}, ids, count);
            start = parts.last();
        }
        return count;
    }

    static constexpr std::size_t most_retained_room = 1 << 22;
    static constexpr std::size_t longest = 64;           // bytes of a part to cache
    static constexpr std::size_t longest_word = 1 << 17;  // in bytes; long words are rare, but recur during editing
    static constexpr double rounding = 1.0 / 256;        // the largest error of a sum up to about `farthest_sum`

    struct Node {
        double best, second;  // scores of segmentations up to here, from the start of the part
        std::uint32_t origin;
        std::int32_t token;
    };

    // Extend the sum to the first `count` ids, if necessary.
    void sum_up(Ids ids, std::size_t count) {
        auto sum = static_cast<float>(sum_), farthest = std::abs(sum);
        for (; summed_ < count; ++summed_) {
            sum += scores_[static_cast<std::size_t>(ids[summed_])];
            farthest = std::max(farthest, std::abs(sum));
        }
        sum_ = sum;
        is_far_ |= farthest > farthest_;
    }

    std::size_t encode_block(const PieceCache::Block& block, Ids ids, std::size_t first) {
        sum_up(ids, first);
        const auto sum_before = sum_;
        const bool was_far = is_far_;
        bool is_unambiguous = false;
        const auto encode_new = [&](std::size_t index, std::size_t count) {
            sum_up(ids, count);
            const auto part = block.piece(index);
            is_unambiguous = find_unambiguous(part);
            all_unambiguous_ &= is_unambiguous;
            if (!is_unambiguous) return summed_ = encode_exactly(part, ids, count);
            for (const auto& [id, start, end] : tokens_) {
                if (id != model_.unknown || byte_ids_.empty()) ids[count++] = id;
                else for (auto at = start; at < end; ++at) ids[count++] = byte_ids_[part[at]];
            }
            return count;
        };
        auto count = first;
        is_far_ = std::abs(sum_) > farthest_;
        if (!is_far_) {
            count = cache_.encode(block, ids, first, encode_new, [&] { return is_unambiguous; });
            sum_up(ids, count);
        }
        if (is_far_) {  // where sums are reset depends on all offsets
            sum_ = sum_before, count = first, all_unambiguous_ = false;
            for (std::size_t index = 0; index < block.ends.size(); ++index) count = encode_exactly(block.piece(index), ids, count);
            summed_ = count;
        }
        is_far_ = was_far;
        return count;
    }

    std::size_t encode_exactly(Bytes part, Ids ids, std::size_t count) {
        tokens_.clear();
        lattice_.segment(model_, part, sum_, tokens_);
        for (const auto [id, start, end] : tokens_) {
            if (id != model_.unknown || byte_ids_.empty()) {
                ids[count++] = id;
                continue;
            }
            for (auto at = start; at < end; ++at) ids[count++] = byte_ids_[part[at]];
        }
        return count;
    }

    // Whether the best segmentation of a part does not depend on the previous text; its tokens are stored then.
    bool find_unambiguous(Bytes part) {
        if (part.size() > longest) return false;
        nodes_.assign(part.size() + 1, {-std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 0, absent});
        nodes_[0].best = 0;
        for (std::size_t at = 0; at < part.size();) {
            const auto character_end = std::min(part.size(), at + announced_length(part[at]));
            bool is_known = false;
            auto row = TokenTree::root;
            for (auto end = at; end < part.size();) {
                row = model_.tree->child(row, part[end++]);
                if (row == absent) break;
                const auto token = model_.tree->token_at(row);
                if (token == absent) continue;
                is_known |= end == character_end;
                reach(nodes_[end], {nodes_[at].best + model_.scores[static_cast<std::size_t>(token)], 0, static_cast<std::uint32_t>(at), token});
            }
            if (!is_known && !knows_bytes_) return false;
            if (!is_known) reach(nodes_[character_end], {nodes_[at].best + model_.unknown_score, 0, static_cast<std::uint32_t>(at), model_.unknown});
            at = character_end;
        }
        const auto least = 2 * rounding * static_cast<double>(part.size() + 2);
        tokens_.clear();
        for (auto end = part.size(); end > 0; end = nodes_[end].origin) {
            const auto& node = nodes_[end];
            if (!(node.best - node.second > least)) return false;
            tokens_.push_back({node.token, node.origin, static_cast<std::uint32_t>(end)});
        }
        std::ranges::reverse(tokens_);
        return true;
    }

    static void reach(Node& node, Node candidate) {
        candidate.second = std::max(node.second, std::min(node.best, candidate.best));
        if (candidate.best > node.best) node = candidate;
        else node.second = candidate.second;
    }

    const Unigram& model_;
    std::span<const std::int32_t> byte_ids_;
    bool has_parts_, has_words_;
    bool knows_bytes_;           // whether there are ids for all unknown text
    std::vector<float> scores_;  // by id, in the precision in which they are summed
    double farthest_;
    PieceCache cache_{longest_word};
    Lattice lattice_;
    Keys keys_, part_keys_;
    std::vector<std::int64_t> starts_, ends_, part_ends_;  // of the words in a block, and of the parts of a word
    std::vector<Node> nodes_;
    std::vector<Lattice::Token> tokens_;
    double sum_ = 0;            // of the scores of the first `summed_` ids
    std::size_t summed_ = 0;
    bool is_far_ = false;       // whether it was so far from 0 that sums may be reset
    bool all_unambiguous_ = true;  // whether all parts of a word are unambiguous
    std::vector<Part> parts_;  // of a text
    NormalizedText normalized_;
    std::vector<std::int32_t> ids_;  // may be longer than `count_`
    std::size_t count_ = 0;
};

}  // namespace loupe

using namespace loupe;

// `ids`: those that text can become; `byte_ids`: one for each byte, or none. `has_parts`: parts are short enough to recur;
// `has_words`: no part contains spaces. Model and `byte_ids` must outlive the encoder.
LOUPE_API PartEncoder* loupe_part_encoder_new(const Unigram* model, Array<const std::int32_t> ids, Array<const std::int32_t> byte_ids,
                                              bool has_parts, bool has_words) {
    for (const auto id : items_of(ids))
        if (id < 0 || static_cast<std::size_t>(id) >= model->scores.size()) return nullptr;
    for (const auto id : items_of(byte_ids))
        if (id >= 0 && static_cast<std::size_t>(id) >= model->scores.size()) return nullptr;
    if (!model->is_single || (byte_ids.size != 0 && byte_ids.size != 256)) return nullptr;
    return new PartEncoder(*model, ids, byte_ids, has_parts, has_words);
}

LOUPE_API void loupe_part_encoder_free(PartEncoder* encoder) { delete encoder; }

// The number of ids of a text, or -1 if it becomes too long.
LOUPE_API std::int64_t loupe_part_encoder_encode(PartEncoder* encoder, const PieceText* piece_text, const TextOptions* options,
                                                 Array<const Byte> text) {
    return encoder->encode(text, *options, *piece_text) ? static_cast<std::int64_t>(encoder->ids().size()) : -1;
}

// Copies the ids of the last text to an array of their number.
LOUPE_API void loupe_part_encoder_copy(const PartEncoder* encoder, Array<std::int32_t> ids) {
    std::ranges::copy(encoder->ids().first(static_cast<std::size_t>(ids.size)), ids.data);
}
