import type { Request } from 'express';

import { OAuthError } from '../../../shared/errors.js';
import type { BearerMethod } from '../../../shared/protocol/token-kind.js';
import { authorizationOf } from '../../http/authorization-header.js';
import { fieldOf } from '../../http/form-fields.js';
import { queryOf } from '../../http/query.js';
import { invalidToken } from '../verify-access-token.js';
import { type AuthenticationScheme, formatChallenge, sentTwice, TOKEN68 } from './scheme.js';

/**
 * RFC 8959 §2: a token of this server in the spelling by which tools find secrets; the token itself needs no escapes.
 * The name of a scheme is case-insensitive (RFC 3986 §3.1).
 */
const SECRET_TOKEN = /^secret-token:(?=eas_)/i;

/** Whoever holds the token may use it. (RFC 6750) */
export function createBearerScheme(methods: readonly BearerMethod[]): AuthenticationScheme {
  return {
    read: (req) => readBearerToken(req, methods),
    // RFC 9449 §7.2, RFC 7800 §3: a token that is bound to a key is worth nothing without it; one that is bound only to
    // a certificate comes as Bearer (RFC 8705 §3)
    verifySender(_req, { cnf }) {
      if (cnf === undefined) return;
      const members = Object.keys(cnf);
      if (members.length === 0 || members.some((member) => member !== 'x5t#S256'))
        throw invalidToken('it is bound to a key, and sent as if it were not');
    },
    challenge: (attributes) => formatChallenge('Bearer', attributes),
  };
}

/**
 * The bearer token of a request, undefined if it has none. Its syntax is not checked.
 *
 * @throws OAuthError invalid_request if it is sent in more than one way (RFC 6750 §2)
 */
export function readBearerToken(req: Request, methods: readonly BearerMethod[]): string | undefined {
  let token: string | undefined;
  for (const method of methods) {
    let sent: unknown;
    if (method === 'header') {
      const authorization = authorizationOf(req) ?? '';
      // another scheme is not for us; the word Bearer alone is a malformed request
      const [scheme] = /^bearer(?: +|$)/i.exec(authorization) ?? [];
      if (scheme !== undefined) sent = authorization.slice(scheme.length);
    } else if (method === 'query') {
      // RFC 6750 §2.3
      sent = fieldOf(queryOf(req), 'access_token');
    } else if (req.method !== 'GET' && req.is('application/x-www-form-urlencoded')) {
      // RFC 6750 §2.2: a form body, with a method that gives bodies a meaning. The site's own parser has read it
      sent = fieldOf(req.body, 'access_token');
    }
    if (sent === undefined) continue;
    if (typeof sent !== 'string')
      throw new OAuthError('invalid_request', 'the access token must be given once', {
        reason: 'access_token_malformed',
      });
    if (token !== undefined) throw sentTwice();
    token = sent.replace(SECRET_TOKEN, '');
  }
  return token;
}

/** @throws OAuthError invalid_token if a value has not the form of a Bearer token (RFC 6750 §2.1) */
export function requireBearerToken(value: unknown): string {
  const token = typeof value === 'string' ? value.replace(SECRET_TOKEN, '') : '';
  if (TOKEN68.test(token)) return token;
  throw invalidToken('malformed');
}
