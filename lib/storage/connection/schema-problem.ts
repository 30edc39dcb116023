import { isDuplicateKey } from './database.js';

/** Why the site's schema or a unique index of the site refuses a value, and of which field. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Undefined if something else went wrong. */
export function findSchemaProblem(error: unknown): SchemaProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isDuplicateKey(error))
    return { path: duplicateField(error) ?? '', message: 'There is another one with this value already.' };
  const { errors = {}, path, message } = error as Error & Partial<SchemaProblem> & Errors;
  if (error.name === 'ValidationError') return Object.values(errors)[0];
  return error.name === 'CastError' && path !== undefined ? { path, message } : undefined;
}

interface Errors {
  readonly errors?: Readonly<Record<string, SchemaProblem>>;
}

/** The first field of the unique index in which another document has this value; undefined if the server says none. */
export function duplicateField(error: unknown): string | undefined {
  const { keyPattern, message } = error as { readonly keyPattern?: object; readonly message?: unknown };
  if (keyPattern !== undefined) return Object.keys(keyPattern)[0];
  // an index has the name of its fields and their directions, unless somebody has given it another one
  const [, name] = /\bindex:\s+(?:\S+\.\$)?(\S+?)_(?:1|-1|hashed)\b/.exec(String(message)) ?? [];
  return name;
}
