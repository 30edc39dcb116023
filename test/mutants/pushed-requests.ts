import { type Mutant, mutantsOf } from './mutant.js';

/** Requests that clients send themselves (RFC 9126). */
export const PUSHED_REQUESTS: readonly Mutant[] = [
  ...mutantsOf(
    'features/pushed-requests/pushed.ts',
    ['rfc/rfc9126/pushed-requests.test.ts'],
    [
      {
        breaks: 'a request_uri is good for the client that has pushed it (RFC 9126 §2.2)',
        from: 'if (found?.clientId !== clientId) throw usedOrExpired();',
        to: 'if (found === null) throw usedOrExpired();',
      },
      {
        breaks: 'a request_uri is used once (RFC 9126 §4, §7.3)',
        from: 'if (!(await store.remove(id))) throw usedOrExpired();',
        to: 'await store.remove(id);',
      },
      {
        breaks: 'no address says by itself that a prompt was answered',
        from: 'return equalText(signed, signPrompts(prompts, requestUri, request)) ? (prompts.split',
        to: 'return signed.length > 0 ? (prompts.split',
      },
    ],
  ),
  ...mutantsOf(
    'storage/other/pushed-requests.ts',
    ['rfc/rfc9126/pushed-requests.test.ts'],
    [
      {
        breaks: 'an expired request_uri is rejected (RFC 9126 §4)',
        from: 'if (found === null || found.expiresAt <= now) return null;',
        to: 'if (found === null) return null;',
      },
    ],
  ),
];
