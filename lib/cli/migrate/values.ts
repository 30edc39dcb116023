/** A document of another program, whose members are uncertain. */
export type Stored = Readonly<Record<string, unknown>>;

/** The value at a path such as `user._id`; undefined if there is none. Does not look into BSON values (ObjectId). */
export function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const name of path.split('.')) {
    if (!isDocument(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value ?? undefined;
}

export function isDocument(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('_bsontype' in value);
}

/** An id or another single value as text; otherwise undefined. */
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

/** Parses a date, an ISO 8601 text, or a number of seconds or milliseconds since 1970; otherwise undefined. */
export function dateOf(value: unknown): Date | undefined {
  let date: Date | undefined;
  if (typeof value === 'number') date = new Date(value < 1e11 ? value * 1000 : value);
  else if (value instanceof Date) date = value;
  else if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) date = new Date(value);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}
