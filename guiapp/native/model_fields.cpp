// The fields of a SentencePiece model in its file, a message of Protocol Buffers. Sources:
// https://protobuf.dev/programming-guides/encoding and sentencepiece_model.proto of https://github.com/google/sentencepiece.
#include <bit>

#include "api.h"
#include "strings.h"

namespace loupe {

namespace {

// Reads field after field of a message; the bytes are not trusted.
class FieldReader {
public:
    enum WireType : std::uint32_t { varint, eight_bytes, delimited, four_bytes = 5 };

    explicit FieldReader(Bytes data) : data_(data) {}

    std::uint32_t number = 0, type = 0;
    Bytes content;  // of a field that is delimited or has a fixed size
    std::uint64_t value = 0;  // of a varint

    // False at the end, and if the next bytes are not a field.
    bool next() {
        if (at_ == data_.size()) return false;
        std::uint64_t key = 0;
        if (!read(key) || key >> 3 == 0 || key >> 32) return fail();
        number = static_cast<std::uint32_t>(key >> 3), type = key & 7;
        if (type == varint) return read(value) || fail();
        std::uint64_t size = type == eight_bytes ? 8 : 4;
        if (type == delimited ? !read(size) : type != eight_bytes && type != four_bytes) return fail();
        if (size > data_.size() - at_) return fail();
        content = data_.subspan(at_, size);
        at_ += size;
        return true;
    }

    bool is_broken() const { return is_broken_; }
    std::size_t at() const { return at_; }

private:
    bool fail() { return is_broken_ = true, false; }

    bool read(std::uint64_t& number) {
        number = 0;
        for (unsigned shift = 0; shift < 70 && at_ < data_.size(); shift += 7) {
            const std::uint64_t byte = data_[at_++];
            number |= (byte & 0x7F) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }

    Bytes data_;
    std::size_t at_ = 0;
    bool is_broken_ = false;
};

struct Piece {
    Bytes text;
    float score = 0;
    std::int32_t kind = 1;
    bool is_broken = false;
};

Piece read_piece(Bytes message) {
    constexpr std::uint32_t text = 1, score = 2, kind = 3, least_kind = 1, last_kind = 6;
    Piece piece;
    FieldReader fields(message);
    while (fields.next()) {
        if (fields.number == text && fields.type == FieldReader::delimited) piece.text = fields.content;
        if (fields.number == score && fields.type == FieldReader::four_bytes) std::memcpy(&piece.score, fields.content.data(), 4);
        if (fields.number == kind && fields.type == FieldReader::varint && fields.value >= least_kind && fields.value <= last_kind)
            piece.kind = static_cast<std::int32_t>(fields.value);
    }
    piece.is_broken = fields.is_broken();
    return piece;
}

constexpr std::uint32_t pieces_field = 1;

bool is_piece(const FieldReader& fields) { return fields.number == pieces_field && fields.type == FieldReader::delimited; }

}  // namespace

}  // namespace loupe

using namespace loupe;

// Count the pieces of a model, up to `most` + 1, the bytes of their texts, and the other messages. Returns 0, or -1 - the
// offset up to which the file is valid.
LOUPE_API std::int64_t loupe_model_count(Array<const Byte> data, std::int64_t most, Array<std::int64_t> counts) {
    std::int64_t n_pieces = 0, size = 0, n_others = 0;
    FieldReader fields(data);
    while (n_pieces <= most && fields.next()) {
        if (is_piece(fields)) {
            const auto piece = read_piece(fields.content);
            if (piece.is_broken) return -1 - static_cast<std::int64_t>(fields.at());
            ++n_pieces, size += static_cast<std::int64_t>(piece.text.size());
        } else {
            n_others += fields.type == FieldReader::delimited;
        }
    }
    if (fields.is_broken() || counts.size < 3) return -1 - static_cast<std::int64_t>(fields.at());
    counts.data[0] = n_pieces, counts.data[1] = size, counts.data[2] = n_others;
    return 0;
}

// Write texts, offsets, scores and kinds of all pieces, and number, start and size of other messages, after loupe_model_count.
LOUPE_API std::int64_t loupe_model_read(Array<const Byte> data, Array<Byte> texts, Array<std::int64_t> offsets, Array<float> scores,
                                        Array<std::int32_t> kinds, Array<std::int64_t> others) {
    std::int64_t row = 0, size = 0, n_others = 0;
    FieldReader fields(data);
    while (fields.next()) {
        if (is_piece(fields)) {
            const auto piece = read_piece(fields.content);
            const auto length = static_cast<std::int64_t>(piece.text.size());
            if (row >= scores.size || row >= kinds.size || row + 1 >= offsets.size || length > texts.size - size) return -1;
            std::ranges::copy(piece.text, texts.data + size);
            scores.data[row] = piece.score, kinds.data[row] = piece.kind;
            offsets.data[++row] = size += length;
        } else if (fields.type == FieldReader::delimited) {
            if (n_others + 3 > others.size) return -1;
            others.data[n_others++] = fields.number;
            others.data[n_others++] = fields.content.data() - data.data;
            others.data[n_others++] = static_cast<std::int64_t>(fields.content.size());
        }
    }
    return row;
}
