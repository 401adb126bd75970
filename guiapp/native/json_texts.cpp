// Parses the long parts of a tokenizer.json: objects with a number for each text, lists of texts, and lists of pairs of texts.
// And of a tekken.json: a list of objects, each with a rank and a token in base64.
#include <string_view>
#include <utility>

#include "api.h"
#include "base64.h"
#include "strings.h"
#include "utf8.h"

namespace loupe {

namespace {

// Accepts only these forms, and nothing that Python's parser would reject.
class JsonTexts {
public:
    JsonTexts(Bytes text, std::size_t at, std::span<Byte> data, std::span<std::int64_t> offsets, std::span<std::int64_t> numbers)
        : text_(text), at_(at), data_(data), offsets_(offsets), numbers_(numbers) {}

    bool read_object() {
        return take('{') && (take('}') || read_members('}', [&] { return read_text() && take(':') && read_number(); }));
    }

    bool read_ranks() {
        return take('[') && (take(']') || read_members(']', [&] { return read_rank(); }));
    }

    bool read_list() {
        return take('[') && (take(']') || read_members(']', [&] { return peek() == '[' ? read_pair() : read_text(); }));
    }

    std::size_t at() const { return at_; }
    std::size_t n_texts() const { return n_texts_; }
    std::size_t n_pairs() const { return n_pairs_; }

private:
    template <class Read>
    bool read_members(Byte end, Read read) {
        do
            if (!read()) return false;
        while (take(','));
        return take(end);
    }

    bool read_pair() {
        ++n_pairs_;
        return take('[') && read_text() && take(',') && read_text() && take(']');
    }

    // Skips other members of a token.
    bool read_rank() {
        std::int64_t rank = -1;
        bool has_token = false;
        const auto read_member = [&] {
            if (!read_text() || !take(':')) return false;
            const auto key = last_text();
            const bool is_rank = is("rank", key), is_token = is("token_bytes", key);
            drop_text();
            if (is_rank) return rank < 0 && read_number(rank);
            if (!is_token) return pass_value();
            return !std::exchange(has_token, true) && read_text() && decode_text();
        };
        if (!take('{') || !read_members('}', read_member) || rank < 0 || !has_token) return false;
        numbers_[n_texts_ - 1] = rank;
        return true;
    }

    bool pass_value() {
        std::int64_t number;
        if (peek() == 'n') return is("null", text_.subspan(at_, std::min<std::size_t>(4, text_.size() - at_))) && (at_ += 4);
        if (peek() != '"') return read_number(number);
        if (!read_text()) return false;
        drop_text();
        return true;
    }

    static bool is(std::string_view wanted, Bytes text) { return std::ranges::equal(wanted, text); }

    std::span<Byte> last_text() const {
        const auto start = static_cast<std::size_t>(offsets_[n_texts_ - 1]);
        return data_.subspan(start, size_ - start);
    }

    void drop_text() { size_ = static_cast<std::size_t>(offsets_[--n_texts_]); }

    bool decode_text() {
        const auto text = last_text();
        const auto decoded = decode_base64(text, text);
        if (!decoded) return false;
        size_ -= text.size() - *decoded;
        offsets_[n_texts_] = static_cast<std::int64_t>(size_);
        return true;
    }

    Byte peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
        return at_ < text_.size() ? text_[at_] : 0;
    }

    bool take(Byte wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    bool read_number() { return n_texts_ <= numbers_.size() && read_number(numbers_[n_texts_ - 1]); }

    bool read_number(std::int64_t& number) {
        number = 0;
        const auto start = (peek(), at_);
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - start < 10; ++at_) number = 10 * number + (text_[at_] - '0');
        if (at_ == start) return false;
        if (text_[start] == '0' && at_ - start > 1) return false;
        const auto next = peek();
        return next == ',' || next == '}';
    }

    // Append a string with its escapes decoded.
    bool read_text() {
        if (!take('"') || n_texts_ + 1 >= offsets_.size()) return false;
        while (true) {
            const auto start = at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' && text_[at_] >= 0x20) ++at_;
            const auto plain = text_.subspan(start, at_ - start);
            if (at_ == text_.size() || plain.size() > data_.size() - size_) return false;
            std::ranges::copy(plain, data_.begin() + static_cast<std::ptrdiff_t>(size_));
            size_ += plain.size();
            const auto found = text_[at_++];
            if (found == '"') break;
            if (found != '\\' || !read_escape()) return false;
        }
        offsets_[++n_texts_] = static_cast<std::int64_t>(size_);
        return true;
    }

    bool read_escape() {
        if (at_ == text_.size()) return false;
        switch (text_[at_++]) {
        case '"': return put('"');
        case '\\': return put('\\');
        case '/': return put('/');
        case 'b': return put('\b');
        case 'f': return put('\f');
        case 'n': return put('\n');
        case 'r': return put('\r');
        case 't': return put('\t');
        case 'u': return read_code();
        default: return false;
        }
    }

    bool read_code() {
        auto code = hexadecimal();
        if (code >= 0xD800 && code < 0xDC00) {
            if (text_.size() - at_ < 6 || text_[at_] != '\\' || text_[at_ + 1] != 'u') return false;
            at_ += 2;
            const auto low = hexadecimal();
            if (low < 0xDC00 || low >= 0xE000) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code < 0 || (code >= 0xDC00 && code < 0xE000)) {
            return false;
        }
        for (const auto encoded = encode(static_cast<std::uint32_t>(code)); const Byte byte : Bytes(encoded))
            if (!put(byte)) return false;
        return true;
    }

    std::int32_t hexadecimal() {
        std::int32_t number = 0;
        if (text_.size() - at_ < 4) return -1;
        for (const Byte digit : text_.subspan(at_, 4)) {
            const auto lower = digit | 0x20;
            if (digit >= '0' && digit <= '9') number = 16 * number + digit - '0';
            else if (lower >= 'a' && lower <= 'f') number = 16 * number + lower - 'a' + 10;
            else return -1;
        }
        at_ += 4;
        return number;
    }

    bool put(Byte byte) {
        if (size_ == data_.size()) return false;
        data_[size_++] = byte;
        return true;
    }

    Bytes text_;
    std::size_t at_;
    std::span<Byte> data_;
    std::span<std::int64_t> offsets_, numbers_;
    std::size_t size_ = 0, n_texts_ = 0, n_pairs_ = 0;
};

}  // namespace

}  // namespace loupe

using namespace loupe;

// Read an object of texts and numbers, or a list of texts or of pairs, that begins at `at`. Returns the number of texts, or -1
// for another form. Writes the end and the number of pairs.
LOUPE_API std::int64_t loupe_json_texts(Array<const Byte> text, std::int64_t at, Array<Byte> data, Array<std::int64_t> offsets,
                                        Array<std::int64_t> numbers, Array<std::int64_t> ends) {
    if (at < 0 || at >= text.size || offsets.size < 1 || ends.size < 2) return -1;
    JsonTexts reader(text, static_cast<std::size_t>(at), data, offsets, numbers);
    offsets.data[0] = 0;
    if (!(text.data[at] == '{' ? reader.read_object() : reader.read_list())) return -1;
    ends.data[0] = static_cast<std::int64_t>(reader.at());
    ends.data[1] = static_cast<std::int64_t>(reader.n_pairs());
    return static_cast<std::int64_t>(reader.n_texts());
}

// Read a list of objects with a rank and a token in base64 at `at`. Returns their number, or -1 for another form. Writes the
// end.
LOUPE_API std::int64_t loupe_json_ranks(Array<const Byte> text, std::int64_t at, Array<Byte> data, Array<std::int64_t> offsets,
                                        Array<std::int64_t> ranks, Array<std::int64_t> ends) {
    if (at < 0 || at >= text.size || offsets.size < 1 || ranks.size + 1 < offsets.size || ends.size < 1) return -1;
    JsonTexts reader(text, static_cast<std::size_t>(at), data, offsets, ranks);
    offsets.data[0] = 0;
    if (!reader.read_ranks()) return -1;
    ends.data[0] = static_cast<std::int64_t>(reader.at());
    return static_cast<std::int64_t>(reader.n_texts());
}
