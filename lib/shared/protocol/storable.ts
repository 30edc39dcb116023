/**
 * Names that the driver or Mongoose reads as something else than a name, in each version from 6 to 9: BSON takes an
 * object with `_bsontype` for a value of that type; of what Mongoose copies, it leaves `prototype` out, and takes an
 * object with `isMongooseBuffer` for one of its own. So are those that every object has: Mongoose takes `constructor`
 * for a class, and the driver gives objects back as bytes from a list that is called `toString` or the like.
 */
const READ_NAMES: ReadonlySet<string> = new Set(['_bsontype', 'prototype', 'isMongooseBuffer']);

/** A lone half of a surrogate pair: UTF-8, and so BSON, has none, and stores U+FFFD in its place. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why JSON cannot be stored as it is. */
export type UnstorableReason = 'name' | 'text' | 'depth';

/** Whether a member of this name is stored, and read back, as what it was. */
export function isStorableName(name: string): boolean {
  const isRead = READ_NAMES.has(name) || name in Object.prototype;
  return !isRead && !name.startsWith('$') && isStorableText(name);
}

/** Whether a text is stored, and read back, as what it was. NUL ends a name in BSON, and a text in many libraries. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}

/**
 * Why a value of JSON would not be stored as it is: the one rule for all JSON that strangers send and we store, so that
 * what was checked, and what a user was shown, is what is stored.
 *
 * @param depth levels of objects and lists that it may have
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
