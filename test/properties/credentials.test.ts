import { createHash } from 'node:crypto';

import { describe, expect } from '@jest/globals';
import type { Request } from 'express';
import fc from 'fast-check';

import { clientSecretBasic } from '../../lib/core/client-authentication/client-secret-basic.js';
import { readBearerToken, TOKEN68 } from '../../lib/core/guard/schemes.js';
import { invalidToken } from '../../lib/core/guard/verify-access-token.js';
import { createUserCode, parseUserCode } from '../../lib/features/device/user-codes.js';
import { OAuthError } from '../../lib/shared/errors.js';
import { findVerifierMismatch, parseCodeChallenge } from '../../lib/shared/protocol/pkce.js';
import { accepted, almost, anyText, holds } from '../support/properties.js';

const basic = clientSecretBasic.create({} as never, {} as never);
const wellFormed = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !/[\0\ufffd]/.test(text));
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('HTTP Basic (RFC 6749 §2.3.1)', () => {
  holds(
    'HTTP Basic reads encoded credentials unchanged',
    [wellFormed.filter((id) => id !== ''), wellFormed],
    (clientId, clientSecret) => {
      const encoded = formEncoded(clientSecret);
      const authorization = `Basic ${base64(`${formEncoded(clientId)}:${encoded}`)}`;
      expect(basic.read({ authorization, parameters: {}, now: new Date() })).toEqual({
        clientId,
        clientSecret,
        // a client from another server may send its secret unencoded
        ...(encoded !== clientSecret && { rawSecret: encoded }),
      });
    },
  );

  holds(
    'an arbitrary Authorization header is no HTTP Basic credentials, or invalid_client',
    [
      fc.oneof(
        anyText(),
        almost(`Basic ${base64('shop:secret')}`),
        anyText().map((text) => `Basic ${base64(text)}`),
        fc.base64String().map((text) => `basic  ${text}`),
      ),
    ],
    (authorization) => {
      const credentials = accepted(() => basic.read({ authorization, parameters: {}, now: new Date() }));
      if (credentials === null || credentials === undefined) return;
      expect(credentials.clientId).not.toBe('');
      expect(`${credentials.clientId}${credentials.clientSecret ?? ''}`).not.toMatch(/[\0\ufffd]/);
    },
  );
});

describe('the Authorization header of the API (RFC 6750 §2.1)', () => {
  const requestWith = (authorization: string) =>
    ({
      method: 'GET',
      headers: { authorization },
      rawHeaders: ['Authorization', authorization],
    }) as unknown as Request;

  holds(
    'an arbitrary Authorization header has a b64token, or none, or is refused',
    [
      fc.oneof(
        anyText(),
        anyText().map((text) => `Bearer ${text}`),
        almost('Bearer eas_at_abc.def-ghi_jkl'),
      ),
    ],
    (header) => {
      const token = accepted(() => {
        const sent = readBearerToken(requestWith(header), ['header']);
        if (sent !== undefined && !TOKEN68.test(sent)) throw invalidToken('malformed');
        return sent;
      });
      if (token === undefined) return;
      expect(token).toMatch(/^[A-Za-z0-9._~+/-]+=*$/);
      // RFC 9110 §11.4: one space or more
      expect(header.replace(/^bearer +/i, '')).toBe(token);
    },
  );

  holds(
    'two Authorization headers are always refused',
    [fc.array(anyText(), { minLength: 2, maxLength: 3 })],
    (values) => {
      const req = {
        method: 'GET',
        headers: { authorization: values[0] },
        rawHeaders: values.flatMap((value) => ['Authorization', value]),
      } as unknown as Request;
      expect(() => readBearerToken(req, ['header'])).toThrow(OAuthError);
    },
  );
});

describe('user codes (RFC 8628 §6.1)', () => {
  holds('arbitrary input is a user code or null', [anyText()], (typed) => {
    const code = parseUserCode(typed);
    if (code !== null) expect(code.text).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  });

  holds(
    'a user code ignores case, dashes and spaces',
    [
      fc.array(fc.tuple(fc.boolean(), fc.constantFrom('', ' ', '-', '.', '\u2013')), {
        minLength: 9,
        maxLength: 9,
      }),
    ],
    (styles) => {
      const code = createUserCode();
      const typed = [...code.text].map(
        (letter, index) =>
          `${styles[index]?.[0] === true ? letter.toLowerCase() : letter}${styles[index]?.[1] ?? ''}`,
      );
      expect(parseUserCode(typed.join(''))).toEqual(code);
    },
  );

  const letters = fc.string({ unit: fc.constantFrom(...'BCDFGHJKLMNPQRSTVWXZ'), minLength: 8, maxLength: 8 });
  holds('a user code with other letters is a different code', [letters, letters], (one, other) => {
    expect(parseUserCode(one)?.hash === parseUserCode(other)?.hash).toBe(one === other);
  });
});

describe('PKCE (RFC 7636)', () => {
  const verifier = fc.string({ unit: fc.constantFrom(...'ABCxyz019-._~'), minLength: 43, maxLength: 128 });
  const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');

  holds(
    'a code challenge is fulfilled by its verifier alone',
    [verifier, verifier.chain(almost)],
    (one, other) => {
      expect(findVerifierMismatch(one, challengeOf(one))).toBeUndefined();
      if (other !== one) expect(findVerifierMismatch(other, challengeOf(one))).toEqual(expect.any(String));
      expect(findVerifierMismatch(undefined, challengeOf(one))).toEqual(expect.any(String));
      // RFC 9700 §2.1.1: no downgrade
      expect(findVerifierMismatch(one, undefined)).toEqual(expect.any(String));
    },
  );

  const maybe = (values: fc.Arbitrary<string>) => fc.option(values, { nil: undefined });
  holds(
    'a code challenge is 32 bytes in base64url with S256, or refused, or absent if optional',
    [
      maybe(fc.oneof(anyText(), almost(challengeOf('a')))),
      maybe(fc.oneof(anyText(), fc.constantFrom('S256', 's256', 'plain'))),
      fc.boolean(),
    ],
    (challenge, method, required) => {
      const read = () =>
        parseCodeChallenge({ code_challenge: challenge, code_challenge_method: method }, required);
      const taken = accepted(read);
      if (taken !== undefined) expect([taken, method, taken.length]).toEqual([challenge, 'S256', 43]);
      else if (challenge !== undefined || required) expect(read).toThrow(OAuthError);
    },
  );
});
