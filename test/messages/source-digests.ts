import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

import { en, type MessageKey } from '../../lib/messages/en.js';

const FILE = new URL('../../lib/messages/source-digests.json', import.meta.url);

/** The digest of an English text, then the languages whose translations have been compared with that text. */
type SourceDigests = Partial<Record<MessageKey, string>>;

export const digestOf = (key: MessageKey) => createHash('sha256').update(en[key]).digest('hex').slice(0, 8);

export function readSourceDigests(): SourceDigests {
  return JSON.parse(readFileSync(FILE, 'utf8')) as SourceDigests;
}

/** The texts of a language that nobody has compared with the present English. */
export function staleKeys(locale: string, digests = readSourceDigests()): MessageKey[] {
  return (Object.keys(en) as MessageKey[]).filter((key) => {
    const [digest, ...locales] = digests[key]?.split(' ') ?? [];
    return digest !== digestOf(key) || !locales.includes(locale);
  });
}

/** Records that translations of these texts have been compared with the present English. */
export function stamp(locale: string, keys: readonly MessageKey[]): void {
  const digests = readSourceDigests();
  const rows = (Object.keys(en) as MessageKey[]).map((key) => {
    const [digest, ...locales] = digests[key]?.split(' ') ?? [];
    const compared = digest === digestOf(key) ? locales : [];
    const all = keys.includes(key) ? new Set([...compared, locale]) : compared;
    return [key, [digestOf(key), ...[...all].sort()].join(' ')];
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}
