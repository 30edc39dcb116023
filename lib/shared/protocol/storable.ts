/**
 * Names with a special meaning in the driver or Mongoose, in each version from 6 to 9: BSON reads an object with
 * `_bsontype` as a value of that type; Mongoose drops `prototype` when it copies, and reads an object with
 * `isMongooseBuffer` as one of its own. The names of `Object.prototype` are special, too: Mongoose reads `constructor`
 * as a class, and the driver reads a list called `toString` or the like back as bytes.
 */
const READ_NAMES: ReadonlySet<string> = new Set(['_bsontype', 'prototype', 'isMongooseBuffer']);

/** A lone half of a surrogate pair: UTF-8, and so BSON, stores U+FFFD instead. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why JSON cannot be stored unchanged. */
export type UnstorableReason = 'name' | 'text' | 'depth';

/** Whether a member of this name is stored and read back unchanged. */
export function isStorableName(name: string): boolean {
  const isRead = READ_NAMES.has(name) || name in Object.prototype;
  return !isRead && !name.startsWith('$') && isStorableText(name);
}

/** Whether a text is stored and read back unchanged. NUL ends a name in BSON, and a text in many libraries. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}

/**
 * Why a JSON value would not be stored unchanged: one rule for all stored JSON from strangers, so that the server
 * stores what it checked and what the user saw.
 *
 * @param depth maximum levels of objects and lists
 */
export function findUnstorable(value: unknown, depth: number): UnstorableReason | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : 'text';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return 'depth';
  if (!Object.keys(value).every(isStorableName)) return 'name';
  for (const member of Object.values(value)) {
    const reason = findUnstorable(member, depth - 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
