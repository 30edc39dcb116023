import { en, type MessageKey } from '../../lib/messages/en.js';
import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { staleKeys, stamp } from './source-digests.js';

/** `npm run texts` lists stale translations; `npm run texts -- de KEY…` stamps compared ones. */
const [locale, ...keys] = process.argv.slice(2) as [string?, ...MessageKey[]];
if (locale !== undefined) {
  const unknown = [locale in SHIPPED_MESSAGES ? [] : [locale], keys.filter((key) => !(key in en))].flat();
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`);
  stamp(locale, keys.length > 0 ? keys : staleKeys(locale));
}
for (const [name, texts] of Object.entries(SHIPPED_MESSAGES))
  for (const key of name === 'en' ? [] : staleKeys(name))
    console.log(`${name} ${key}\n  ${en[key]}\n  ${texts[key]}`);
