/** A document as another program has stored it: nothing about it is certain. */
export type Stored = Readonly<Record<string, unknown>>;

/** The value at a path such as `user._id`; undefined if there is none. Does not look into BSON values (ObjectId). */
export function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const name of path.split('.')) {
    if (!isPlain(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value ?? undefined;
}

function isPlain(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('_bsontype' in value);
}

/** A document in a document; an empty one if there is something else. */
export function documentOf(value: unknown): Stored {
  return isPlain(value) ? value : {};
}

/** An id or another single value as text; undefined if it is not one. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  const type = (value as { _bsontype?: unknown } | null | undefined)?._bsontype;
  if (type === 'ObjectId' || type === 'ObjectID') return (value as { toHexString(): string }).toHexString();
  return type === 'Long' || type === 'UUID' ? String(value) : undefined;
}

/** A list of texts, or one text with blanks between them; undefined if it contains anything else. */
export function textValuesOf(value: unknown): readonly string[] | undefined {
  const list: unknown = typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value;
  return Array.isArray(list) && list.every((entry) => typeof entry === 'string') ? list : undefined;
}

/** Reads a date, an ISO 8601 text, or a number of seconds or milliseconds since 1970; undefined if it is not one. */
export function dateOf(value: unknown): Date | undefined {
  const date = typeof value === 'number' ? new Date(value < 1e11 ? value * 1000 : value) : readDate(value);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

function readDate(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value) : undefined;
}

/** When a document was created, if its id tells: an ObjectId contains the second. */
export function madeAt({ _id: id }: Stored): Date | undefined {
  const { getTimestamp } = (id ?? {}) as { getTimestamp?: () => Date };
  return typeof getTimestamp === 'function' ? dateOf(getTimestamp.call(id)) : undefined;
}
