// SentencePiece's Unigram part by part: parts that were met before are looked up.
#include <cmath>

#include "api.h"
#include "piece_cache.h"
#include "piece_text.h"
#include "special_tokens.h"
#include "unigram.h"

namespace loupe {

// A part is what lies between two characters that no token holds side by side: all ways lead through its ends.  But sums of scores are
// rounded, and how depends on all text before.  So a part is kept only if its best way is better by far than rounding can change; the
// sum is carried on through what is looked up, and all other parts are encoded behind the very sum that they have before them.
// Readable twin: core/encode/reference/viterbi.py.  For one thread at a time.
class PartEncoder {
public:
    PartEncoder(const Unigram& model, std::span<const std::int32_t> ids, std::span<const std::int32_t> byte_ids, bool has_parts)
        : model_(model), byte_ids_(byte_ids), has_parts_(has_parts), keys_(PieceCache::block), ends_(PieceCache::block) {
        double worst = std::abs(model.unknown_score);
        for (const auto id : ids) worst = std::max(worst, std::abs(model.scores[static_cast<std::size_t>(id)]));
        farthest_ = Unigram::farthest_sum - worst * (longest + 2);
    }

    // Encode a text, special tokens among it, of which `piece_text` makes what pieces are looked for in; false where that is too long.
    bool encode(Bytes text, const TextOptions& options, const PieceText& piece_text) {
        options.partition(text, parts_);
        if (ids_.size() > most_kept_room) ids_ = {};
        count_ = 0;
        for (const auto& part : parts_) {
            normalized_.data.clear();
            const auto stretch = part.text_in(text);
            if (!stretch.empty() && !piece_text.normalize<false>(stretch, options.begins || part.raw_start > 0, normalized_)) return false;
            const auto most = count_ + normalized_.data.size() + 1 + PieceCache::spare_ids;
            if (ids_.size() < most) ids_.resize(std::max(most, 2 * ids_.size()));
            count_ += encode_normalized(normalized_.data, std::span(ids_).subspan(count_));
            if (part.token != absent) ids_[count_++] = static_cast<std::int32_t>(part.token);
        }
        return true;
    }

    std::span<const std::int32_t> ids() const { return std::span(ids_).first(count_); }

private:
    // Write the ids of a normalised text; how many there are.  There must be room for one for each byte, and `spare_ids` more.
    std::size_t encode_normalized(Bytes text, Ids ids) {
        std::size_t count = 0;
        sum_ = 0;
        if (!has_parts_) count = encode_exactly(text, ids, 0);
        for (std::size_t start = has_parts_ ? 0 : text.size(); start < text.size();) {
            Ends parts{ends_};
            model_.cuts.next_parts(text, start, parts);
            const auto ends = parts.room.first(parts.count);
            const PieceCache::Block block{text, start, ends, {}, PieceCache::Kind::part, std::span(keys_).first(ends.size())};
            count = encode_block(block, ids, count);
            start = parts.last();
        }
        if (!byte_ids_.empty()) return count;
        const auto all = ids.first(count);
        const auto are_unknown = [&](auto one, auto other) { return one == model_.unknown && other == model_.unknown; };
        return count - std::ranges::unique(all, are_unknown).size();
    }

    static constexpr std::size_t most_kept_room = 1 << 22;
    static constexpr std::size_t longest = 64;      // bytes of a part that is kept
    static constexpr double rounding = 1.0 / 256;  // by which a sum up to `farthest_sum` and some more is wrong at most

    struct Place {
        double best, second;  // of the ways to it, from the start of the part
        std::uint32_t origin;
        std::int32_t token;
    };

    std::size_t encode_block(const PieceCache::Block& block, Ids ids, std::size_t first) {
        const auto sum_before = sum_;
        auto summed = first;
        bool is_firm = false, is_far = std::abs(sum_) > farthest_;
        const auto sum_up = [&](std::size_t count) {
            for (; summed < count; ++summed) {
                sum_ = static_cast<float>(sum_ + model_.scores[static_cast<std::size_t>(ids[summed])]);
                is_far |= std::abs(sum_) > farthest_;
            }
        };
        const auto encode_new = [&](std::size_t index, std::size_t count) {
            sum_up(count);
            const auto part = block.piece(index);
            is_firm = find_firm(part);
            if (is_firm)
                for (const auto& token : tokens_) ids[count++] = token.id;
            else
                summed = count = encode_exactly(part, ids, count);
            return count;
        };
        auto count = first;
        if (!is_far) {
            count = cache_.encode(block, ids, first, encode_new, [&] { return is_firm; });
            sum_up(count);
        }
        if (!is_far) return count;
        sum_ = sum_before, count = first;  // where sums begin anew depends on all places
        for (std::size_t index = 0; index < block.ends.size(); ++index) count = encode_exactly(block.piece(index), ids, count);
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

    // Whether each token on the best way through a part is chosen whatever is before it; the tokens, then.
    bool find_firm(Bytes part) {
        if (part.size() > longest) return false;
        places_.assign(part.size() + 1, {-std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 0, absent});
        places_[0].best = 0;
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
                reach(places_[end], {places_[at].best + model_.scores[static_cast<std::size_t>(token)], 0, static_cast<std::uint32_t>(at), token});
            }
            if (!is_known) return false;
            at = character_end;
        }
        const auto least = 2 * rounding * static_cast<double>(part.size() + 2);
        tokens_.clear();
        for (auto end = part.size(); end > 0; end = places_[end].origin) {
            const auto& place = places_[end];
            if (!(place.best - place.second > least)) return false;
            tokens_.push_back({place.token, place.origin, static_cast<std::uint32_t>(end)});
        }
        std::ranges::reverse(tokens_);
        return true;
    }

    static void reach(Place& place, Place way) {
        way.second = std::max(place.second, std::min(place.best, way.best));
        if (way.best > place.best) place = way;
        else place.second = way.second;
    }

    const Unigram& model_;
    std::span<const std::int32_t> byte_ids_;
    bool has_parts_;
    double farthest_;
    PieceCache cache_;
    Lattice lattice_;
    std::vector<PieceCache::Key> keys_;
    std::vector<std::int64_t> ends_;
    std::vector<Place> places_;
    std::vector<Lattice::Token> tokens_;
    double sum_ = 0;
    std::vector<Part> parts_;  // of a text
    NormalizedText normalized_;
    std::vector<std::int32_t> ids_;  // with room behind
    std::size_t count_ = 0;
};

}  // namespace loupe

using namespace loupe;

// `ids` are those that text can become, `byte_ids` one for each byte, or none; `has_parts` where these are so short that they come
// again.  Model and `byte_ids` must outlive the encoder.
LOUPE_API PartEncoder* loupe_part_encoder_new(const Unigram* model, Array<const std::int32_t> ids, Array<const std::int32_t> byte_ids,
                                              bool has_parts) {
    for (const auto id : items_of(ids))
        if (id < 0 || static_cast<std::size_t>(id) >= model->scores.size()) return nullptr;
    if (!model->is_single || (byte_ids.size != 0 && byte_ids.size != 256)) return nullptr;
    return new PartEncoder(*model, ids, byte_ids, has_parts);
}

LOUPE_API void loupe_part_encoder_free(PartEncoder* encoder) { delete encoder; }

// How many ids a text has, or -1 where it becomes too long.
LOUPE_API std::int64_t loupe_part_encoder_encode(PartEncoder* encoder, const PieceText* piece_text, const TextOptions* options,
                                                 Array<const Byte> text) {
    return encoder->encode(text, *options, *piece_text) ? static_cast<std::int64_t>(encoder->ids().size()) : -1;
}

// The ids that were encoded last, to an array of their number.
LOUPE_API void loupe_part_encoder_copy(const PartEncoder* encoder, Array<std::int32_t> ids) {
    std::ranges::copy(encoder->ids().first(static_cast<std::size_t>(ids.size)), ids.data);
}
