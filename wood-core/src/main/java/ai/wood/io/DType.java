package ai.wood.io;

import java.nio.ByteBuffer;

/**
 * The element types of a safetensors file, under the names the format gives them.
 *
 * <p>All of them can be opened; {@link #toFloat} knows the real-valued ones of at least one byte.
 */
enum DType {
    BOOL(8),
    U8(8),
    I8(8),
    F8_E5M2(8),
    F8_E4M3(8),
    F8_E8M0(8),
    I16(16),
    U16(16),
    F16(16),
    BF16(16),
    I32(32),
    U32(32),
    F32(32),
    I64(64),
    U64(64),
    F64(64),
    C64(64),
    F4(4),
    F6_E2M3(6),
    F6_E3M2(6);

    private final int bits;

    DType(int bits) {
        this.bits = bits;
    }

    /** Bits of one element; types below 8 bits are packed. */
    public int bits() {
        return bits;
    }

    /** Whether {@link #toFloat} knows this type. */
    public boolean isReal() {
        return bits >= 8 && this != C64;
    }

    /**
     * The element at a byte position of a little-endian buffer, rounded to the nearest float.
     *
     * @throws IllegalArgumentException for a type that {@link #isReal()} excludes
     */
    public float toFloat(ByteBuffer bytes, int position) {
        return switch (this) {
            case BOOL, U8 -> bytes.get(position) & 0xFF;
            case I8 -> bytes.get(position);
            case F8_E5M2 -> half((short) (bytes.get(position) << 8));
            case F8_E4M3 -> e4m3(bytes.get(position));
            case F8_E8M0 -> e8m0(bytes.get(position) & 0xFF);
            case I16 -> bytes.getShort(position);
            case U16 -> bytes.getShort(position) & 0xFFFF;
            case F16 -> half(bytes.getShort(position));
            case BF16 -> Float.intBitsToFloat(bytes.getShort(position) << 16);
            case I32 -> bytes.getInt(position);
            case U32 -> bytes.getInt(position) & 0xFFFFFFFFL;
            case F32 -> bytes.getFloat(position);
            case I64 -> bytes.getLong(position);
            case U64 -> unsigned(bytes.getLong(position));
            case F64 -> (float) bytes.getDouble(position);
            case C64, F4, F6_E2M3, F6_E3M2 ->
                throw new IllegalArgumentException(this + " elements cannot be read as floats");
        };
    }

    /** IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. */
    private static float half(short bits) {
        int exponent = (bits >> 10) & 0x1F;
        int fraction = bits & 0x3FF;
        float magnitude = switch (exponent) {
            case 0 -> fraction * 0x1p-24f;
            case 0x1F -> fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
            default -> Math.scalb(1024f + fraction, exponent - 25);
        };
        return bits < 0 ? -magnitude : magnitude;
    }

    /** The 8-bit float without infinities ("fn"): 1 sign, 4 exponent and 3 fraction bits; all ones is NaN. */
    private static float e4m3(byte bits) {
        int exponent = (bits >> 3) & 0xF;
        int fraction = bits & 0x7;
        float magnitude = (bits & 0x7F) == 0x7F
                ? Float.NaN
                : exponent == 0 ? fraction * 0x1p-9f : Math.scalb(8f + fraction, exponent - 10);
        return bits < 0 ? -magnitude : magnitude;
    }

    /** A power of two: the exponent alone, biased by 127; 255 is NaN. */
    private static float e8m0(int bits) {
        return bits == 0xFF ? Float.NaN : (float) Math.scalb(1.0, bits - 127);
    }

    private static float unsigned(long bits) {
        return bits >= 0 ? bits : (float) ((bits >>> 1 | (bits & 1)) * 2.0);
    }
}
