import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import { formatSessionState } from '../../lib/features/openid/session-state.js';

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
const parts = ['shop', 'https://shop.example:443/cb?a=b', 'state'] as const;
const split = (state: string) => state.split('.') as [string, string, string];

describe('OpenID Connect Session Management §2, §3.2 a session state', () => {
  test('a session state consists of client, origin and browser state, with a salt', () => {
    const [whose, what, salt] = split(formatSessionState(...parts));
    // the origin as a browser names it in a message: without the port of its scheme
    expect(whose).toBe(hash(`shop https://shop.example ${salt}`));
    expect(what).toBe(hash(`shop https://shop.example state ${salt}`));
  });

  test('a session state differs each time, so that two cannot be linked', () => {
    const [one, other] = [split(formatSessionState(...parts)), split(formatSessionState(...parts))];
    for (const index of [0, 1, 2] as const) expect(one[index]).not.toBe(other[index]);
  });

  test("§2 a session state has no space, because one precedes it in the client's message", () => {
    expect(formatSessionState('a b', parts[1], parts[2])).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });
});
