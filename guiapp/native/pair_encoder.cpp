#include "pair_encoder.h"

#include "spaced_words.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::array<Byte, 1> one_space{' '};

// Whether the text between special tokens, which may be bytes, begins and ends with whole characters.
bool is_whole(const Part& part, Bytes text) {
    const auto is_inside = [&](std::int64_t at) { return at < static_cast<std::int64_t>(text.size()) && is_continuation(text[static_cast<std::size_t>(at)]); };
    return !is_inside(part.raw_start) && !is_inside(part.raw_end);
}

}  // namespace

std::int32_t PairModel::whole_token(Bytes piece) const {
    if (whole_pieces == WholePieces::none || piece.size() > tokens.longest()) return absent;
    if (whole_pieces == WholePieces::newlines && piece[0] != '\n') return absent;
    std::vector<Byte> text;
    text.reserve(3 * piece.size());
    for (const Byte byte : piece) {
        const auto spelled = rules.spelled(byte);
        text.insert(text.end(), spelled.begin(), spelled.end());
    }
    const auto token = tokens.find(text);
    return token != absent && whole_pieces == WholePieces::as_ranked && !rules.stays_whole(token) ? absent : token;
}

PairModel::Trouble PairModel::trouble_in(Bytes text) const {
    if (rules.has_ambiguous() && std::ranges::any_of(text, [&](Byte byte) { return rules.is_ambiguous(byte); }))
        return Trouble::has_ambiguous_byte;
    return has_marked_space(text) ? Trouble::has_marked_space : Trouble::none;
}

bool PairModel::has_marked_space(Bytes text) const {
    if (!rules.marks_spaces()) return false;
    for (std::size_t at = 0; at < text.size();) {
        at += ascii_prefix(text.subspan(at));
        if (at == text.size()) break;
        auto length = announced_length(text[at]);
        const auto end = std::min(at + length, text.size());
        if (end == at + 3 && text[at] == 0xE2 && text[at + 1] == 0x96 && text[at + 2] == 0x81) return true;
        for (auto place = at + 1; place < end; ++place) {
            if (text[place] == ' ') return true;
            if (text[place] >= 0xC0) length = std::min(length, place - at);  // another text may begin here
        }
        at += length;
    }
    return false;
}

PairEncoder::PairEncoder(const PairModel& model, std::int32_t* short_ids) : model_(model), short_ids_(short_ids), merger_(model.rules) {
    if (model.splitter) splitting_ = std::make_unique<Splitting>(*model.splitter);
}

std::int64_t PairEncoder::encode(Bytes text, const TextOptions& options, bool is_plain, Ids ids) {
    options.partition(text, parts_);
    spaced_.clear();
    forget_pending();
    std::size_t count = 0;
    const bool are_many = parts_.size() > 1, is_changed = options.adds_space || options.marks_spaces;
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        const auto& part = parts_[index];
        const auto segment = part.text_in(text);
        const bool is_recalled = are_many && options.adds_space_to(part) == options.adds_space && cache_.may_recall_segment(segment);
        if (is_recalled) count = encode_pending(ids, count);
        if (!segment.empty() && !(is_recalled && cache_.recall_segment(segment, ids, count))) {
            const auto start = is_changed ? spaced_.size() : static_cast<std::size_t>(part.raw_start);
            if (is_changed) put_spaces(segment, options.adds_space_to(part), options.marks_spaces);
            pending_text_ = is_changed ? Bytes(spaced_) : text;
            const auto size = is_changed ? spaced_.size() - start : segment.size();
            const auto trouble = trouble_in(pending_text_.subspan(start, size), segment, options, is_plain && is_whole(part, text));
            if (trouble != PairModel::Trouble::none) return static_cast<std::int64_t>(trouble);
            const auto first = count;
            if (!are_many || model_.cuts_short) count += fast(pending_text_.subspan(start), size, {}, ids.subspan(count));
            else count = add_pieces(start, size, ids, count);
            if (is_recalled) {
                count = encode_pending(ids, count);
                cache_.store_segment(segment, ids.subspan(first, count - first));
            }
        }
        if (part.token != absent) count = add_token(static_cast<std::int32_t>(part.token), parts_[index + 1].raw_start, ids, count);
    }
    return static_cast<std::int64_t>(encode_pending(ids, count));
}

// Add the pieces of pending_text_[start : start + size], a text of its own, so that cached pieces are fetched together.
std::size_t PairEncoder::add_pieces(std::size_t start, std::size_t size, Ids ids, std::size_t count) {
    const auto own = pending_text_.subspan(start);
    if (splitting_) splitting_->begin(0, size);
    for (std::size_t done = 0; done < size;) {
        if (n_pending_ == PieceCache::block) count = encode_pending(ids, count);
        if (n_pending_ == 0) pending_start_ = start + done;
        Ends more{std::span(ends_).subspan(n_pending_)};
        if (splitting_) splitting_->next(own, more);
        else model_.cuts.next_parts(own.first(size), done, more);
        done = more.last(), n_pending_ += more.count;
        for (auto& end : more.room.first(more.count)) end += static_cast<std::int64_t>(start);
    }
    return count;
}

// Add a special token, with the white space that it removes, as a pending piece that ends where the following text begins.
std::size_t PairEncoder::add_token(std::int32_t token, std::int64_t text_end, Ids ids, std::size_t count) {
    if (n_pending_ == PieceCache::block) count = encode_pending(ids, count);
    if (n_pending_ == 0) {
        ids[count] = token;
        return count + 1;
    }
    pending_tokens_.push_back(token);
    others_.push_back(static_cast<std::uint32_t>(n_pending_));
    ends_[n_pending_++] = spaced_.empty() ? text_end : static_cast<std::int64_t>(spaced_.size());
    return count;
}

std::size_t PairEncoder::encode_pending(Ids ids, std::size_t count) {
    if (n_pending_ == 0) return count;
    const auto kind = splitting_ ? PieceCache::Kind::whole : PieceCache::Kind::part;
    const auto ends = std::span(ends_).first(n_pending_);
    count = encode_words({pending_text_, pending_start_, ends, {}, kind, std::span(keys_).first(n_pending_), others_}, ids, count);
    forget_pending();
    return count;
}

// Append a text to `spaced_`, with a space in front, or all spaces marked, if asked for. A few more bytes may be read after it.
void PairEncoder::put_spaces(Bytes text, bool adds_space, bool marks_spaces) {
    const auto space = marks_spaces ? Bytes(space_symbol) : Bytes(one_space);
    const auto put = [&](Bytes bytes) { spaced_.insert(spaced_.end(), bytes.begin(), bytes.end()); };
    if (adds_space) put(space);
    for (std::size_t at = 0; at < text.size();) {
        const auto end = marks_spaces ? at + find_byte(text.subspan(at), ' ') : text.size();
        put(text.subspan(at, end - at));
        if (end < text.size()) put(space);
        at = end + 1;
    }
}

// `given` is the original of `text`.
PairModel::Trouble PairEncoder::trouble_in(Bytes text, Bytes given, const TextOptions& options, bool is_plain) const {
    if (model_.splitter && !is_plain && plain_prefix(text) < text.size()) return PairModel::Trouble::is_broken;
    const auto seen = options.marks_spaces ? given : text;
    if (options.excluded && (!is_valid(seen) || options.excluded->are_in(seen))) return PairModel::Trouble::has_excluded;
    return model_.trouble_in(text);
}

std::size_t PairEncoder::fast(Bytes text, std::size_t size, std::span<const std::int64_t> ends, Ids ids) {
    std::size_t count = 0, start = 0;
    const auto encode = [&](std::span<const std::int64_t> block) {
        count = encode_words({text, start, block, {}, PieceCache::Kind::whole, std::span(keys_).first(block.size())}, ids, count);
        start = static_cast<std::size_t>(block.back());
    };
    if (ends.empty() && !splitting_) return encode_parts(text, 0, size, ids, 0);
    if (ends.empty()) splitting_->begin(0, size);
    for (std::size_t first = 0; start < size; first += PieceCache::block) {
        if (!ends.empty()) {
            encode(ends.subspan(first, std::min(PieceCache::block, ends.size() - first)));
            continue;
        }
        Ends block{ends_};
        splitting_->next(text, block);
        encode(block.room.first(block.count));
    }
    return count;
}

void PairEncoder::merge_each(Bytes text, std::span<const std::int64_t> ends, Merging merging, bool takes_whole, TokenOutput& output) {
    std::size_t start = 0;
    for (const auto offset : ends) {
        const auto end = static_cast<std::size_t>(offset);
        const auto token = takes_whole ? model_.whole_token(text.subspan(start, end - start)) : absent;
        if (token != absent) output.add(token, start, end);
        else if (merging == Merging::scan) merger_.scan(text, start, end, output);
        else merger_.heap(text, start, end, output);
        start = end;
    }
}

void PairEncoder::merge_symbols(std::span<const std::int32_t> symbols, std::span<const std::int64_t> ends, Merging merging,
                                TokenOutput& output) {
    std::size_t start = 0;
    for (const auto offset : ends) {
        const auto end = static_cast<std::size_t>(offset);
        merger_.merge_symbols(symbols.subspan(start, end - start), start, merging == Merging::heap, output);
        start = end;
    }
}

std::size_t PairEncoder::encode_words(const PieceCache::Block& block, Ids ids, std::size_t count) {
    const auto text = block.text;
    const auto ends = block.ends;
    if (model_.cuts_short && ends.size() * PieceCache::short_bytes < static_cast<std::size_t>(ends.back()) - block.start) {
        for (std::size_t index = 0; index < ends.size(); ++index) {
            const auto piece = block.piece(index);
            if (const auto token = model_.whole_token(piece); token != absent) ids[count++] = token;
            else count = encode_parts(text, block.start_of(index), static_cast<std::size_t>(ends[index]), ids, count);
        }
        return count;
    }
    return cache_.encode(block, ids, count, [&](std::size_t index, std::size_t count) {
        const auto piece = block.piece(index);
        const bool is_text = n_taken_ == block.others.size() || block.others[n_taken_] != index;
        const auto token = !is_text ? pending_tokens_[n_taken_++] : block.kind == PieceCache::Kind::part ? absent : model_.whole_token(piece);
        if (token != absent) {
            ids[count] = token;
            return count + 1;
        }
        if (block.kind == PieceCache::Kind::part || piece.size() <= PieceCache::short_bytes) return merge(piece, ids, count);
        return encode_parts(text, block.start_of(index), static_cast<std::size_t>(ends[index]), ids, count);
    });
}

std::size_t PairEncoder::encode_parts(Bytes text, std::size_t start, std::size_t end, Ids ids, std::size_t count) {
    while (start < end) {
        Ends parts{part_ends_};
        model_.cuts.next_parts(text.first(end), start, parts);
        const auto ends = parts.room.first(parts.count);
        const PieceCache::Block block{text, start, ends, {}, PieceCache::Kind::part, std::span(part_keys_).first(ends.size())};
        count = cache_.encode(block, ids, count, [&](std::size_t index, std::size_t count) { return merge(block.piece(index), ids, count); });
        start = parts.last();
    }
    return count;
}

std::size_t PairEncoder::merge(Bytes piece, Ids ids, std::size_t count) {
    TokenOutput output{ids, {}, {}, count};
    merger_.merge(piece, 0, piece.size(), output);
    return output.count;
}

}  // namespace loupe

using namespace loupe;

// The tables must outlive the model; the splitter may be NULL. NULL if sizes of arrays do not match or there are too many
// rules.
LOUPE_API PairModel* loupe_pairs_new(const StringTable* tokens, const PairSource* source, const Splitter* splitter,
                                     std::int32_t whole_pieces, std::int32_t cuts_short, MayGoOn may_go_on) {
    const bool are_sound_rules = source->merge_offsets.size == 0
                                     ? static_cast<std::size_t>(source->token_ranks.size) == tokens->strings().size()
                                     : are_sound({source->merge_data, source->merge_offsets});
    const auto n_unused = static_cast<std::size_t>(source->is_unused.size);
    if (!are_sound_rules || (n_unused != 0 && n_unused != tokens->strings().size())) return nullptr;
    Watch watch(may_go_on);
    auto model = std::make_unique<PairModel>(*tokens, *source, splitter, static_cast<WholePieces>(whole_pieces), cuts_short != 0, watch);
    return model->rules.is_complete() ? unless_stopped(std::move(model), watch) : nullptr;
}

LOUPE_API void loupe_pairs_free(PairModel* model) { delete model; }

// `short_ids` is the output of loupe_encode_short: four ids for each byte, and `spare_ids`.
LOUPE_API PairEncoder* loupe_pair_encoder_new(const PairModel* model, std::int32_t* short_ids) { return new PairEncoder(*model, short_ids); }

LOUPE_API void loupe_pair_encoder_free(PairEncoder* encoder) { delete encoder; }

// rank << 32 | made of the rule for two symbols, or -1.
LOUPE_API std::int64_t loupe_pairs_find(const PairModel* model, std::int32_t left, std::int32_t right) {
    const auto rule = model->rules.find(left, right);
    return rule.rank == no_rank ? -1 : std::int64_t{rule.rank} << 32 | rule.made;
}

// Write left, right, rank and made of all rules, in no order; returns the count of these numbers.
LOUPE_API std::int64_t loupe_pairs_rules(const PairModel* model, Array<std::int32_t> to) {
    std::int64_t count = 0;
    model->rules.for_each([&](std::int32_t left, std::int32_t right, const Rule& rule) {
        for (const auto number : {left, right, static_cast<std::int32_t>(rule.rank), rule.made}) {
            if (count < to.size) to.data[count] = number;
            ++count;
        }
    });
    return count;
}

LOUPE_API std::int64_t loupe_pairs_start_symbol(const PairModel* model, Array<const Byte> symbol) {
    return model->rules.start_symbol(symbol);
}

LOUPE_API std::int64_t loupe_pairs_n_symbols(const PairModel* model) {
    return static_cast<std::int64_t>(model->rules.n_symbols());
}

// Write the texts of all symbols, as spelled or as the bytes they stand for, and their offsets; returns the number of bytes.
LOUPE_API std::int64_t loupe_pairs_symbols(const PairModel* model, std::int32_t is_spelled, Array<Byte> data, Array<std::int64_t> offsets) {
    std::vector<Byte> bytes;
    std::int64_t size = 0;
    for (std::size_t symbol = 0; symbol < model->rules.n_symbols(); ++symbol) {
        auto text = model->rules.symbol_text(symbol);
        if (!is_spelled) text = model->rules.unspell(text, bytes) ? Bytes(bytes) : Bytes();
        if (size + static_cast<std::int64_t>(text.size()) <= data.size) std::ranges::copy(text, data.data + size);
        size += static_cast<std::int64_t>(text.size());
        if (static_cast<std::int64_t>(symbol) + 1 < offsets.size) offsets.data[symbol + 1] = size;
    }
    return size;
}

// Write the tokens that stand for each byte: for byte b, those from offsets[b] to offsets[b + 1]; returns their number.
LOUPE_API std::int64_t loupe_pairs_fallbacks(const PairModel* model, Array<std::int32_t> offsets, Array<std::int32_t> ids, Array<Byte> leads) {
    std::int64_t count = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        for (const auto [token, is_first] : model->rules.fallbacks(static_cast<Byte>(byte))) {
            if (count < ids.size && count < leads.size) ids.data[count] = token, leads.data[count] = is_first;
            ++count;
        }
        if (byte + 1 < offsets.size) offsets.data[byte + 1] = static_cast<std::int32_t>(count);
    }
    return count;
}

// Write how many bytes of a text each token stands for; `of_marked`: of a text whose spaces are U+2581 already.
LOUPE_API std::int64_t loupe_pairs_lengths(const PairModel* model, std::int32_t of_marked, Array<std::int32_t> to) {
    const auto lengths = model->rules.token_lengths(of_marked != 0);
    if (lengths.size() <= items_of(to).size()) std::ranges::copy(lengths, to.data);
    return static_cast<std::int64_t>(lengths.size());
}

LOUPE_API std::int64_t loupe_pairs_last_cut(const PairModel* model, Array<const Byte> text, std::int64_t end) {
    return static_cast<std::int64_t>(model->cuts.last_cut(text, static_cast<std::size_t>(end)));
}

LOUPE_API std::int64_t loupe_pairs_first_cut(const PairModel* model, Array<const Byte> text, std::int64_t position) {
    return static_cast<std::int64_t>(model->cuts.first_cut(text, static_cast<std::size_t>(position)));
}

LOUPE_API std::int64_t loupe_pairs_has_marked_space(const PairModel* model, Array<const Byte> text) {
    return model->has_marked_space(text);
}

// Encode a text as given by the user.
LOUPE_API std::int64_t loupe_encode_text(PairEncoder* encoder, const TextOptions* options, const Byte* data, std::int64_t size,
                                         bool is_plain, Array<std::int32_t> ids) {
    return encoder->encode({data, static_cast<std::size_t>(size)}, *options, is_plain, ids);
}

// The same into `short_ids`: a call with fewer arguments, for texts so short that this matters.
LOUPE_API std::int64_t loupe_encode_short(PairEncoder* encoder, const TextOptions* options, const Byte* data, std::int32_t size) {
    const auto room = 4 * static_cast<std::size_t>(size) + PieceCache::spare_ids;
    return encoder->encode({data, static_cast<std::size_t>(size)}, *options, false, {encoder->short_ids(), room});
}

// The same for concatenated texts, up to the first one with some trouble; returns the number of encoded texts.
LOUPE_API std::int64_t loupe_encode_each(PairEncoder* encoder, const TextOptions* options, Array<const Byte> texts,
                                         Array<const std::int64_t> text_ends, Array<std::int32_t> ids, Array<std::int64_t> counts) {
    std::size_t start = 0, first = 0;
    for (std::int64_t index = 0; index < text_ends.size; ++index) {
        const auto end = static_cast<std::size_t>(text_ends.data[index]);
        const auto count = encoder->encode(items_of(texts).subspan(start, end - start), *options, false, items_of(ids).subspan(first));
        if (count < 0) return index;
        counts.data[index] = count;
        first += static_cast<std::size_t>(count), start = end;
    }
    return text_ends.size;
}

// Write the start and end of each token that loupe_encode_text gave; -1 if the ids cannot be those of the text. `lengths` has
// the number of bytes of each token.
LOUPE_API std::int64_t loupe_tile_spans(const TextOptions* options, Array<const Byte> text, Array<const std::int32_t> lengths,
                                        Array<const std::int32_t> ids, Array<std::int64_t> spans) {
    std::vector<Part> parts;
    if (spans.size != 2 * ids.size) return -1;
    options->partition(text, parts);
    std::int64_t index = 0;
    const auto add = [&](std::int64_t start, std::int64_t end) { spans.data[2 * index] = start, spans.data[2 * index++ + 1] = end; };
    for (const auto& part : parts) {
        auto at = part.raw_start - (part.has_text() && options->adds_space_to(part));
        while (at < part.raw_end && index < ids.size) {
            const auto length = lengths.data[ids.data[index]];
            if (length <= 0 || length > part.raw_end - at) return -1;
            add(std::max(at, part.raw_start), at + length);
            at += length;
        }
        if (index + (part.token != absent) > ids.size || at < part.raw_end) return -1;
        if (part.token != absent) add(part.start, part.end);
    }
    return index == ids.size ? index : -1;
}

// The same for a repaired text whose pieces end at `ends`. Its spaces may be U+2581 already.
LOUPE_API std::int64_t loupe_encode_pieces(PairEncoder* encoder, std::int32_t may_have_marked_spaces, Array<const Byte> text,
                                           Array<const std::int64_t> ends, Array<std::int32_t> ids) {
    const auto trouble = encoder->model().trouble_in(text);
    const bool is_none = trouble == PairModel::Trouble::none || (may_have_marked_spaces && trouble == PairModel::Trouble::has_marked_space);
    return is_none ? static_cast<std::int64_t>(encoder->fast(text, items_of(text).size(), ends, ids)) : static_cast<std::int64_t>(trouble);
}

// Merge each piece, and write the spans, too; returns the number of tokens. There must be room for three tokens a byte.
LOUPE_API std::int64_t loupe_merge_pieces(PairEncoder* encoder, std::int32_t merging, std::int32_t takes_whole, Array<const Byte> text,
                                          Array<const std::int64_t> piece_ends, Array<std::int32_t> ids, Array<std::int64_t> starts,
                                          Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    encoder->merge_each(text, piece_ends, static_cast<PairEncoder::Merging>(merging), takes_whole != 0, output);
    return static_cast<std::int64_t>(output.count);
}

// Merge each piece of start symbols, all of them tokens; returns the number of tokens. Ends and spans count symbols.
LOUPE_API std::int64_t loupe_merge_symbols(PairEncoder* encoder, std::int32_t merging, Array<const std::int32_t> symbols,
                                           Array<const std::int64_t> piece_ends, Array<std::int32_t> ids, Array<std::int64_t> starts,
                                           Array<std::int64_t> ends) {
    TokenOutput output{ids, starts, ends};
    encoder->merge_symbols(items_of(symbols), items_of(piece_ends), static_cast<PairEncoder::Merging>(merging), output);
    return static_cast<std::int64_t>(output.count);
}
