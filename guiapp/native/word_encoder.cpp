#include "word_encoder.h"

#include "api.h"

namespace loupe {

WordEncoder::WordEncoder(const WordPiece* wordpiece, const Unigram* unigram, std::span<const std::int32_t> ids_of_rows)
    : wordpiece_(wordpiece),
      unigram_(unigram),
      ids_of_rows_(ids_of_rows),
      keys_(PieceCache::block),
      part_keys_(PieceCache::block),
      starts_(PieceCache::block),
      ends_(PieceCache::block),
      part_ends_(PieceCache::block) {}

std::int64_t WordEncoder::append(Bytes text, const TextOptions& options) {
    return wordpiece_ ? append(*wordpiece_, text, options) : append(*unigram_, text, options);
}

template <class Model>
std::int64_t WordEncoder::append(const Model& model, Bytes text, const TextOptions& options) {
    options.partition(text, parts_);
    forget_pending();
    for (const auto& part : parts_) {
        const auto segment_text = part.text_in(text);
        const bool is_recalled = parts_.size() > 1 && cache_.may_recall_segment(segment_text);
        if ((is_recalled || puts_space(model)) && !encode_pending(model, text)) return too_long;
        if (is_recalled) make_room(PieceCache::longest_cached + PieceCache::spare_ids);
        if (!(is_recalled && cache_.recall_segment(segment_text, ids_, count_))) {
            const auto first = count_;
            if (would_explode(model, segment_text)) return explodes;
            if (!add_words(model, text, part)) return too_long;
            if (is_recalled && !encode_pending(model, text)) return too_long;
            if (is_recalled) cache_.store_segment(segment_text, ids().subspan(first));
        }
        if (part.token != absent && !add_token(model, text, static_cast<std::int32_t>(part.token))) return too_long;
    }
    return encode_pending(model, text) ? static_cast<std::int64_t>(count_) : too_long;
}

// Add the words of a segment to the pending ones, so that cached words are fetched together; false if one becomes too long.
template <class Model>
bool WordEncoder::add_words(const Model& model, Bytes text, const Part& part) {
    const auto segment_text = part.text_in(text);
    auto at = append_first(model, segment_text);
    while (true) {
        if (n_pending_ + room_for_words > starts_.size() && !encode_pending(model, text)) return false;
        const auto starts = std::span(starts_).subspan(n_pending_), ends = std::span(ends_).subspan(n_pending_);
        const auto n_words = model.find_words(segment_text, at, starts, ends);
        if (n_words == 0) return true;
        at = static_cast<std::size_t>(ends[n_words - 1]);
        for (std::size_t index = 0; index < n_words; ++index) starts[index] += part.raw_start, ends[index] += part.raw_start;
        n_pending_ += n_words;
    }
}

// A special token is added as an empty word.
template <class Model>
bool WordEncoder::add_token(const Model& model, Bytes text, std::int32_t token) {
    if (n_pending_ == starts_.size() && !encode_pending(model, text)) return false;
    others_.push_back(static_cast<std::uint32_t>(n_pending_));
    starts_[n_pending_] = ends_[n_pending_] = 0;
    ++n_pending_;
    pending_tokens_.push_back(token);
    return true;
}

// Append the ids of all pending words; makes room during this if a word needs it.
template <class Model>
bool WordEncoder::encode_pending(const Model& model, Bytes text) {
    for (std::size_t done = 0; done < n_pending_;) {
        make_room(block_room);
        bool is_possible = true;
        auto stopped = n_pending_, count_at_stop = count_;
        const std::span starts = std::span(starts_).subspan(done, n_pending_ - done), ends = std::span(ends_).subspan(done, n_pending_ - done);
        const auto encode_new = [&](std::size_t index, std::size_t count) {
            if (stopped < n_pending_) return count;
            const Word word{static_cast<std::size_t>(starts[index]), static_cast<std::size_t>(ends[index])};
            if (!word.exists()) {
                ids_[count] = pending_tokens_[n_taken_++];
                return count + 1;
            }
            is_possible = normalize(model, text, word);
            if (is_possible && count + normalized_.data.size() + block_room <= ids_.size()) return encode_normalized(model, count);
            stopped = done + index;
            return count_at_stop = count;
        };
        std::vector<std::uint32_t> others(others_.begin() + static_cast<std::ptrdiff_t>(n_taken_), others_.end());
        for (auto& index : others) index -= static_cast<std::uint32_t>(done);
        const PieceCache::Block words{text, 0, ends, starts, PieceCache::Kind::whole, std::span(keys_).first(ends.size()), others};
        const auto count = cache_.encode(words, ids_, count_, encode_new);
        if (!is_possible) return false;
        count_ = stopped < n_pending_ ? count_at_stop : count;
        done = stopped;
        if (done < n_pending_) make_room(normalized_.data.size() + 2 * block_room);
    }
    forget_pending();
    return true;
}

void WordEncoder::make_room(std::size_t more) {
    if (ids_.size() < count_ + more) ids_.resize(std::max(2 * ids_.size(), count_ + more));
}

bool WordEncoder::normalize(const WordPiece& model, Bytes text, Word word) {
    normalized_.data.clear();
    model.normalize(text, word, normalized_);
    return true;
}

bool WordEncoder::normalize(const Unigram& model, Bytes text, Word word) {
    const auto bytes = word.in(text);
    if (model.makes_more_than(Unigram::most_bytes, bytes)) return false;
    normalized_.data.clear();
    state_.in_word = false;
    model.normalizer.normalize(bytes, state_, normalized_);
    return true;
}

// Write the ids of the last normalized word, for which there is room, to ids_[count:]; returns the new count.
std::size_t WordEncoder::encode_normalized(const WordPiece& model, std::size_t count) {
    spelled_.clear();
    if (!model.take_linked(normalized_.data, spelled_)) spelled_.push_back(model.unknown());
    std::ranges::transform(spelled_, ids_.begin() + static_cast<std::ptrdiff_t>(count), [&](auto row) {
        return ids_of_rows_.empty() ? row : row == absent ? ids_of_rows_.back() : ids_of_rows_[static_cast<std::size_t>(row)];
    });
    return count + spelled_.size();
}

// Encodes part by part, with a cache of parts. Only unknown tokens are joined across parts.
std::size_t WordEncoder::encode_normalized(const Unigram& model, std::size_t count) {
    const Bytes word = normalized_.data;
    const auto first = count;
    for (std::size_t start = 0; start < word.size();) {
        Ends parts{part_ends_};
        model.cuts.next_parts(word, start, parts);
        const auto ends = parts.room.first(parts.count);
        const PieceCache::Block block{word, start, ends, {}, PieceCache::Kind::part, std::span(part_keys_).first(ends.size())};
        count = cache_.encode(block, ids_, count, [&](std::size_t index, std::size_t before) {
            double score = 0;
            tokens_.clear();
            lattice_.segment(model, block.piece(index), score, tokens_);
            for (const auto& token : tokens_) ids_[before++] = token.id;
            return before;
        });
        start = parts.last();
    }
    const auto is_repeated = [&](auto one, auto other) { return one == model.unknown && other == model.unknown; };
    const auto all = std::span(ids_).subspan(first, count - first);
    return count - std::ranges::unique(all, is_repeated).size();
}

// If only the first word with a letter gets a space, append all words up to it; returns where they end.
std::size_t WordEncoder::append_first(const Unigram& model, Bytes text) {
    state_.has_prefix = !model.normalizer.add_space_prefix || model.normalizer.removes_spaces;
    std::size_t at = 0;
    while (!state_.has_prefix && at < text.size()) {
        auto end = at + 1;
        while (end < text.size() && !model.is_cut[text[end]]) ++end;
        if (!normalize(model, text, {at, end})) break;
        make_room(normalized_.data.size() + block_room);
        count_ = encode_normalized(model, count_);
        at = end;
    }
    state_.has_prefix = true;
    return at;
}

}  // namespace loupe

using namespace loupe;

// For one of the two models, which must outlive the result; the other is NULL.
LOUPE_API WordEncoder* loupe_word_encoder_new(const WordPiece* wordpiece, const Unigram* unigram, Array<const std::int32_t> ids_of_rows) {
    return new WordEncoder(wordpiece, unigram, ids_of_rows);
}

LOUPE_API void loupe_word_encoder_free(WordEncoder* encoder) { delete encoder; }

// The number of ids of a text.
LOUPE_API std::int64_t loupe_word_encoder_encode(WordEncoder* encoder, const TextOptions* options, Array<const Byte> text) {
    encoder->clear();
    return encoder->append(text, *options);
}

// The same for adjacent texts that end at `ends`; writes the number of ids up to the end of each.
LOUPE_API std::int64_t loupe_word_encoder_encode_each(WordEncoder* encoder, const TextOptions* options, Array<const Byte> texts,
                                                      Array<const std::int64_t> ends, Array<std::int64_t> counts) {
    if (counts.size < ends.size) return -1;
    encoder->clear();
    std::int64_t start = 0, count = 0;
    for (std::int64_t index = 0; index < ends.size; ++index) {
        const auto end = ends.data[index];
        if (end < start || end > texts.size) return -1;
        const auto text = items_of(texts).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
        count = encoder->append(text, *options);
        if (count < 0) return count;
        counts.data[index] = count;
        start = end;
    }
    return count;
}

// Copies the ids of the last text to an array of their number.
LOUPE_API void loupe_word_encoder_copy(const WordEncoder* encoder, Array<std::int32_t> ids) {
    std::ranges::copy(encoder->ids().first(static_cast<std::size_t>(ids.size)), ids.data);
}
