#include "pair_rules.h"

#include <memory>

#include "byte_alphabet.h"
#include "token_matcher.h"
#include "utf8.h"

namespace loupe {

namespace {

constexpr std::array<Byte, 3> marked_space{0xE2, 0x96, 0x81};  // U+2581

// Unique for characters of up to four bytes, whether complete or truncated.
std::uint64_t character_key(Bytes symbol) {
    std::uint64_t key = symbol.size();
    for (const Byte byte : symbol) key = key << 8 | byte;
    return key;
}

// Finds the tokens that end or begin at each cut of a long token, all at once, in the time of reading it.
class LongSides {
public:
    static constexpr std::size_t long_token = 256;  // in bytes

    static bool can_take(const StringTable& tokens) {
        return tokens.longest() <= long_token || tokens.strings().data.size() <= TokenMatcher::most_bytes;
    }

    LongSides(const StringTable& tokens, Watch& watch) : strings_(tokens.strings()) {
        if (tokens.longest() <= long_token) return;
        std::vector<std::int32_t> all(strings_.size());
        for (std::size_t token = 0; token < all.size(); ++token) all[token] = static_cast<std::int32_t>(token);
        matcher_ = std::make_unique<TokenMatcher>(strings_, all, watch);
    }

    void begin(std::size_t token) {
        text_ = strings_[token];
        ends_.assign(text_.size(), absent), begins_.resize(text_.size());
        matcher_->find_longest(text_, begins_);
        for (auto prefix = matcher_->shorter(static_cast<std::int32_t>(token)); prefix != absent; prefix = matcher_->shorter(prefix))
            ends_[matcher_->length(prefix)] = prefix;
    }

    std::int32_t left(std::size_t cut) const { return ends_[cut]; }

    std::int32_t right(std::size_t cut) const {
        const auto found = begins_[cut];
        return found != absent && matcher_->length(found) == text_.size() - cut ? found : absent;
    }

private:
    const Strings& strings_;
    Bytes text_;
    std::unique_ptr<TokenMatcher> matcher_;
    std::vector<std::int32_t> ends_, begins_;  // the token that ends at a cut, and the longest that begins there
};

}  // namespace

// Numbers for the symbols that are not tokens, in order of occurrence.
class PairRules::Naming {
public:
    // Address space is reserved for the most that may be needed, to avoid copies; memory is only used for what is needed.
    Naming(const StringTable& tokens, const PairSource& source) : tokens_(tokens) {
        data_.reserve(2 * static_cast<std::size_t>(source.merge_data.size));
        offsets_.reserve(3 * static_cast<std::size_t>(source.merge_offsets.size) + 1);
    }

    // The token with this text, or a provisional number until `resolve`.
    std::int32_t number(Bytes text, std::uint64_t hashed) {
        const auto token = tokens_.find(text, hashed);
        return token != absent ? token : later(text);
    }

    // The number of two concatenated texts. Most lists sort rules in the order of the tokens that they make.
    std::int32_t joined(Bytes left, Bytes right) {
        const auto& tokens = tokens_.strings();
        for (const auto row : {last_joined_, last_joined_ + 1}) {
            if (row >= tokens.size() || tokens[row].size() != left.size() + right.size()) continue;
            if (!std::ranges::equal(tokens[row].first(left.size()), left)) continue;
            if (!std::ranges::equal(tokens[row].subspan(left.size()), right)) continue;
            last_joined_ = row;
            return static_cast<std::int32_t>(row);
        }
        joined_.assign(left.begin(), left.end());
        joined_.insert(joined_.end(), right.begin(), right.end());
        const auto found = number(joined_, tokens_.hash(joined_));
        if (found >= 0) last_joined_ = static_cast<std::size_t>(found);
        return found;
    }

    std::int32_t later(Bytes text) {
        data_.insert(data_.end(), text.begin(), text.end());
        offsets_.push_back(static_cast<std::int64_t>(data_.size()));
        return -static_cast<std::int32_t>(offsets_.size());
    }

    // Give equal texts the same number, and replace the provisional numbers by it.
    void resolve(std::vector<Named>& rules, std::uint64_t secret, PairRules& owner, Watch& watch) {
        if (offsets_.size() == 1) return;
        const Strings texts{data_, offsets_};
        const StringTable table(texts, secret, watch);
        if (watch.has_stopped()) return;
        std::vector<std::int32_t> numbers(texts.size(), absent);
        const auto numbered = [&](std::int32_t& symbol) {
            if (symbol >= 0) return;
            const auto text = texts[static_cast<std::size_t>(-symbol) - 2];
            auto& number = numbers[static_cast<std::size_t>(table.find(text))];
            if (number == absent) {
                number = static_cast<std::int32_t>(owner.n_symbols());
                owner.other_data_.insert(owner.other_data_.end(), text.begin(), text.end());
                owner.other_offsets_.push_back(static_cast<std::int64_t>(owner.other_data_.size()));
            }
            symbol = number;
        };
        for (auto& rule : rules) {
            if (watch.stops(512)) return;
            numbered(rule.left), numbered(rule.right), numbered(rule.made);
        }
    }

private:
    const StringTable& tokens_;
    std::size_t last_joined_ = 0;
    std::vector<Byte> joined_, data_;
    std::vector<std::int64_t> offsets_{0};
};

PairRules::PairRules(const StringTable& tokens, const PairSource& source, Watch& watch)
    : tokens_(tokens),
      n_tokens_(static_cast<std::int32_t>(tokens.strings().size())),
      is_byte_level_(source.is_byte_level),
      marks_spaces_(source.marks_spaces),
      filter_spread_(source.secret << 1 | 1) {
    spell_bytes();
    const auto ranks = items_of(source.token_ranks);
    if (std::ranges::find(ranks, PairSource::stays_whole) != ranks.end())
        for (const auto rank : ranks) stay_whole_.push_back(rank == PairSource::stays_whole);
    is_unused_.assign(items_of(source.is_unused).begin(), items_of(source.is_unused).end());
    Naming naming(tokens, source);
    const bool are_listed = source.merge_offsets.size > 0;
    if (!are_listed && !LongSides::can_take(tokens)) return;
    auto rules = are_listed ? listed_rules(source, naming, watch) : rules_of_cuts(source, naming, watch);
    if (!are_listed && rules.size() > most_cuts) return;
    naming.resolve(rules, source.secret, *this, watch);
    if (watch.has_stopped()) return;
    rules_ = KeyTable<Rule>(rules.size(), source.secret);
    if (source.last_stays) std::ranges::reverse(rules);
    enter(rules, watch);
    find_start_symbols(tokens, watch);
    find_fallbacks(tokens, source);
    find_ambiguous(rules);
    is_complete_ = !watch.has_stopped();
}

void PairRules::spell_bytes() {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto encoded = encode(is_byte_level_ ? codes_of_bytes[byte] : byte);
        spelled_[byte] = {{encoded.bytes[0], encoded.bytes[1], 0}, static_cast<std::uint8_t>(encoded.size)};
        if (!is_byte_level_) spelled_[byte] = {{static_cast<Byte>(byte), 0, 0}, 1};
        lengths_[byte] = static_cast<std::uint8_t>(is_byte_level_ ? 1 : announced_length(static_cast<Byte>(byte)));
    }
    if (marks_spaces_ && !is_byte_level_) spelled_[' '] = {marked_space, 3};
}

Bytes PairRules::symbol_text(std::size_t symbol) const {
    const auto n_tokens = static_cast<std::size_t>(n_tokens_);
    return symbol < n_tokens ? tokens_.strings()[symbol] : Strings{other_data_, other_offsets_}[symbol - n_tokens];
}

// Split at the first separator with text before it; a rule without one has no effect. Batches overlap memory accesses.
std::vector<PairRules::Named> PairRules::listed_rules(const PairSource& source, Naming& naming, Watch& watch) const {
    constexpr std::size_t at_once = 64;
    struct Waiting {
        Bytes left, right;
        std::uint64_t left_hash, right_hash;
        std::uint32_t rank;
    };
    const Strings merges{source.merge_data, source.merge_offsets};
    const auto made_of = [&](Bytes right) { return right.subspan(std::min(right.size(), static_cast<std::size_t>(source.n_dropped))); };
    std::vector<Named> rules;
    rules.reserve(merges.size());
    std::vector<Waiting> waiting;
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const auto text = merges[rank];
        if (watch.stops(512 + text.size())) break;
        const auto space = text.size() < 3 ? text.size() : 1 + find_byte(text.subspan(1), static_cast<Byte>(source.separator));
        if (space + 1 < text.size()) {
            const auto left = text.first(space), right = text.subspan(space + 1);
            waiting.push_back({left, right, tokens_.hash(left), tokens_.hash(right), static_cast<std::uint32_t>(rank)});
            tokens_.fetch(waiting.back().left_hash), tokens_.fetch(waiting.back().right_hash);
        }
        if (waiting.size() < at_once && rank + 1 < merges.size()) continue;
        for (const auto& [left, right, left_hash, right_hash, own_rank] : waiting)
            rules.push_back({naming.number(left, left_hash), naming.number(right, right_hash), naming.joined(left, made_of(right)), own_rank});
        waiting.clear();
    }
    return rules;
}

// All cuts of a token into two symbols, none for a token without a rank. Sides of short tokens are looked up in batches as
// above.
std::vector<PairRules::Named> PairRules::rules_of_cuts(const PairSource& source, Naming& naming, Watch& watch) const {
    constexpr std::size_t at_once = 64;
    struct Waiting {
        std::size_t token, cut;
        std::uint64_t left_hash, right_hash;
    };
    const auto& tokens = tokens_.strings();
    LongSides sides(tokens_, watch);
    std::vector<bool> is_length(tokens_.longest() + 1);
    for (std::size_t token = 0; token < tokens.size(); ++token) is_length[tokens[token].size()] = true;
    const auto symbol_length = [&](Byte first) { return static_cast<std::size_t>(is_byte_level_ ? announced_length(first) : lengths_[first]); };
    const auto is_first_symbol = [&](Bytes text, std::size_t cut) { return cut == symbol_length(text[0]); };
    const auto is_last_symbol = [&](Bytes text, std::size_t cut) { return text.size() - cut <= symbol_length(text[cut]); };
    std::vector<Named> rules;
    rules.reserve(3 * tokens.size());
    const auto add = [&](std::size_t token, std::size_t cut, std::int32_t left, std::int32_t right) {
        const auto text = tokens[token];
        if ((left == absent && !is_first_symbol(text, cut)) || (right == absent && !is_last_symbol(text, cut))) return;
        if (left == absent) left = naming.later(text.first(cut));
        if (right == absent) right = naming.later(text.subspan(cut));
        rules.push_back({left, right, static_cast<std::int32_t>(token), static_cast<std::uint32_t>(source.token_ranks.data[token])});
    };
    std::vector<Waiting> waiting;
    const auto look_up = [&] {
        for (const auto& [token, cut, left_hash, right_hash] : waiting)
            add(token, cut, tokens_.find(tokens[token].first(cut), left_hash), tokens_.find(tokens[token].subspan(cut), right_hash));
        waiting.clear();
    };
    for (std::size_t token = 0; token < tokens.size() && rules.size() <= most_cuts; ++token) {
        const auto text = tokens[token];
        if (watch.stops(256 * (text.size() + 1))) break;
        if (static_cast<std::uint32_t>(source.token_ranks.data[token]) >= no_rank) continue;
        const bool is_long = text.size() > LongSides::long_token;
        if (is_long) look_up(), sides.begin(token);
        for (std::size_t cut = 1; cut < text.size(); ++cut) {
            if (is_byte_level_ && is_continuation(text[cut])) continue;
            if (!(is_length[cut] || is_first_symbol(text, cut)) || !(is_length[text.size() - cut] || is_last_symbol(text, cut))) continue;
            if (is_long) {
                add(token, cut, sides.left(cut), sides.right(cut));
                continue;
            }
            waiting.push_back({token, cut, tokens_.hash(text.first(cut)), tokens_.hash(text.subspan(cut))});
            tokens_.fetch(waiting.back().left_hash), tokens_.fetch(waiting.back().right_hash);
        }
        if (waiting.size() >= at_once) look_up();
    }
    look_up();
    return rules;
}

// Of several rules for one pair, the first stays.
void PairRules::enter(const std::vector<Named>& rules, Watch& watch) {
    const auto n_bits = std::bit_ceil(4 * rules.size() + 64);
    filter_.resize(n_bits / 64);
    filter_shift_ = 64 - std::countr_zero(n_bits);
    constexpr std::size_t ahead = 16;
    for (std::size_t row = 0; row < rules.size(); ++row) {
        if (watch.stops()) return;
        if (row + ahead < rules.size()) fetch(rules[row + ahead].left, rules[row + ahead].right);
        const auto& rule = rules[row];
        const auto key = key_of(rule.left, rule.right);
        rules_.add(key, {rule.rank, rule.made});
        filter_[filter_bit(key) >> 6] |= std::uint64_t{1} << (filter_bit(key) & 63);
    }
}

// Call visit(byte, at, size) for each occurrence of a byte's spelling in a text.
template <class Visit>
void PairRules::for_each_spelled(Bytes text, Visit visit) const {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto rest = text.subspan(at);
        if (is_byte_level_) {
            const auto [code, size] = decode(text, at);
            if (code < n_alphabet_codes && bytes_of_codes[code] >= 0) visit(static_cast<Byte>(bytes_of_codes[code]), at, size);
        } else {
            if (rest[0] != ' ' || !marks_spaces_) visit(rest[0], at, 1);
            if (marks_spaces_ && rest.size() >= 3 && std::ranges::equal(rest.first(3), marked_space)) visit(' ', at, 3);
        }
    }
}

void PairRules::find_start_symbols(const StringTable& tokens, Watch& watch) {
    for (unsigned byte = 0; byte < 256; ++byte) of_byte_[byte] = tokens.find(spelled(static_cast<Byte>(byte)));
    for (auto symbol = n_tokens_; static_cast<std::size_t>(symbol) < n_symbols(); ++symbol) {
        const auto text = symbol_text(static_cast<std::size_t>(symbol));
        if (watch.stops(64 * (text.size() + 1))) return;
        for_each_spelled(text, [&](Byte byte, std::size_t at, std::size_t size) {
            is_in_other_[byte] = true;
            if (at == 0 && size == text.size() && of_byte_[byte] == absent) of_byte_[byte] = symbol;
        });
    }
    of_bytes_.resize(256 * 256);
    for (unsigned left = 0; left < 256; ++left)
        for (unsigned right = 0; right < 256; ++right) of_bytes_[left << 8 | right] = find(of_byte_[left], of_byte_[right]);
    if (is_byte_level_) return;
    const auto is_character = [&](Bytes text) { return text.size() > 1 && text.size() <= lengths_[text[0]]; };
    std::size_t n_characters = 0;
    for (std::size_t symbol = 0; symbol < n_symbols(); ++symbol) n_characters += is_character(symbol_text(symbol));
    characters_ = KeyTable<std::int32_t>(n_characters, filter_spread_);
    for (std::size_t symbol = 0; symbol < n_symbols(); ++symbol)
        if (const auto text = symbol_text(symbol); is_character(text))
            characters_.add(character_key(text), static_cast<std::int32_t>(symbol));
}

std::int32_t PairRules::start_symbol(Bytes symbol) const {
    if (symbol.size() == 1) return of_byte_[symbol[0]];
    const auto* found = characters_.find(character_key(symbol));
    return found ? *found : absent;
}

// llama.cpp omits bytes without a token in BPE and fails in SPM, where we use the unknown token.
void PairRules::find_fallbacks(const StringTable& tokens, const PairSource& source) {
    std::array<std::int32_t, 256> named;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const char* digits = "0123456789ABCDEF";
        const std::array<Byte, 6> name{'<', '0', 'x', static_cast<Byte>(digits[byte >> 4]), static_cast<Byte>(digits[byte & 15]), '>'};
        const std::array<Byte, 1> raw{static_cast<Byte>(byte)};
        named[byte] = is_byte_level_ || source.byte_tokens == PairSource::no_tokens ? absent : tokens.find(name);
        if (named[byte] == absent && (is_byte_level_ || source.byte_tokens == PairSource::named_or_raw)) named[byte] = tokens.find(raw);
        if (named[byte] == absent) named[byte] = source.unknown;
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
        bool leads = true;
        for (const Byte part : spelled(static_cast<Byte>(byte))) {
            if (named[part] != PairSource::none) fallbacks_.push_back({named[part], leads});
            leads = false;
        }
        fallback_offsets_[byte + 1] = static_cast<std::uint32_t>(fallbacks_.size());
        most_fallbacks_ = std::max(most_fallbacks_, fallbacks(static_cast<Byte>(byte)).size());
    }
}

void PairRules::find_ambiguous(const std::vector<Named>& rules) {
    std::vector<bool> is_made(static_cast<std::size_t>(n_tokens_));
    if (!is_byte_level_) {
        for (const auto& rule : rules)
            if (is_token(rule.made)) is_made[static_cast<std::size_t>(rule.made)] = true;
        characters_.for_each([&](std::uint64_t, std::int32_t symbol) {
            if (is_token(symbol)) is_made[static_cast<std::size_t>(symbol)] = true;
        });
    }
    std::vector<bool> is_byte(static_cast<std::size_t>(n_tokens_));
    for (const auto [token, leads] : fallbacks_)
        if (token >= 0 && !is_made[static_cast<std::size_t>(token)]) is_byte[static_cast<std::size_t>(token)] = true;
    for (std::int32_t token = 0; token < n_tokens_; ++token)
        if (is_byte[static_cast<std::size_t>(token)]) byte_tokens_.push_back(token);
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool can_fall_back = is_in_other_[byte] || !is_token(of_byte_[byte]) || (!is_byte_level_ && byte >= 0x80);
        if (!can_fall_back) continue;
        const auto tokens = fallbacks(static_cast<Byte>(byte));
        const bool is_clear = tokens.size() == 1 && tokens[0].token >= 0 && is_byte[static_cast<std::size_t>(tokens[0].token)];
        ambiguous_[byte] = !is_clear;
        has_ambiguous_ |= !is_clear;
    }
}

std::vector<std::int32_t> PairRules::token_lengths(bool of_marked) const {
    std::vector<std::int32_t> lengths(static_cast<std::size_t>(n_tokens_));
    std::vector<Byte> bytes;
    for (std::size_t token = 0; token < lengths.size(); ++token) {
        const auto text = symbol_text(token);
        lengths[token] = static_cast<std::int32_t>(of_marked ? text.size() : unspell(text, bytes) ? bytes.size() : 0);
    }
    if (!is_byte_level_)
        for (const auto token : byte_tokens_) lengths[static_cast<std::size_t>(token)] = 1;
    return lengths;
}

bool PairRules::unspell(Bytes symbol, std::vector<Byte>& bytes) const {
    bytes.clear();
    for (std::size_t at = 0; at < symbol.size();) {
        const auto length = std::min(announced_length(symbol[at]), symbol.size() - at);
        const auto character = symbol.subspan(at, length);
        at += length;
        if (is_byte_level_) {
            const std::size_t code = length == 2 ? (character[0] & 0x1Fu) << 6 | (character[1] & 0x3Fu) : character[0];
            if (length > 2 || code >= n_alphabet_codes || bytes_of_codes[code] < 0) return false;
            bytes.push_back(static_cast<Byte>(bytes_of_codes[code]));
        } else if (marks_spaces_ && std::ranges::equal(character, marked_space)) {
            bytes.push_back(' ');
        } else {
            bytes.insert(bytes.end(), character.begin(), character.end());
        }
    }
    return true;
}

}  // namespace loupe
