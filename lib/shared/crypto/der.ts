/** A value of DER: its tag, and the bytes that it has. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

/** The tags of X.690 that certificates need. */
export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
} as const;

/** Bytes of a length that is longer than one byte: certificates are shorter than 16 MB. */
const MAX_LENGTH_BYTES = 3;

/**
 * The values that stand there, one behind the other.
 *
 * @throws RangeError if it is no DER: a length that is indefinite or longer than it has to be, or bytes that are left
 * over
 * @see X.690 §8.1, §10.1
 */
export function readDer(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const { value, size } = readFirst(rest);
    values.push(value);
    rest = rest.subarray(size);
  }
  return values;
}

function readFirst(bytes: Buffer): { readonly value: DerValue; readonly size: number } {
  const tag = bytes.readUInt8(0);
  // tags of several bytes are in no certificate
  if ((tag & 0x1f) === 0x1f) throw new RangeError('DER: a tag of several bytes');
  const { start, length } = readLength(bytes);
  if (bytes.length < start + length) throw new RangeError('DER: a value is cut off');
  return { value: { tag, content: bytes.subarray(start, start + length) }, size: start + length };
}

function readLength(bytes: Buffer): { readonly start: number; readonly length: number } {
  const first = bytes.readUInt8(1);
  if (first < 0x80) return { start: 2, length: first };
  const count = first & 0x7f;
  if (count === 0 || count > MAX_LENGTH_BYTES) throw new RangeError('DER: a length that is not definite');
  const length = bytes.readUIntBE(2, count);
  if (length < 0x80 || length < 2 ** (8 * (count - 1)))
    throw new RangeError('DER: a length that is too long');
  return { start: 2 + count, length };
}
