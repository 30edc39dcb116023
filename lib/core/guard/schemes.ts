import type { Request } from 'express';

import { invalidRequest, OAuthError } from '../../shared/errors.js';
import type { BearerMethod } from '../../shared/protocol/token-kind.js';
import { authorizationOf } from '../http/authorization-header.js';
import { fieldOf } from '../http/form-fields.js';
import { queryOf } from '../http/query.js';
import { missingProof } from '../proof-of-possession/binding.js';
import type { ProofVerifier } from '../proof-of-possession/dpop-proof.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/** RFC 9110 §11.2: token68, which RFC 6750 §2.1 calls b64token. */
export const TOKEN68 = /^[A-Za-z0-9._~+/-]+=*$/;

export type ChallengeAttributes = Readonly<Record<string, string>>;

/** A way to present an access token: an authentication scheme of RFC 9110 §11. `admission.ts` lists them. */
export interface AuthenticationScheme {
  /**
   * The token that a request presents by this scheme; undefined if there is none. The syntax is not checked.
   *
   * @throws OAuthError invalid_request if the request presents a token in more than one way
   */
  readonly read: (req: Request) => string | undefined;
  /** Verifies that the sender of a valid token may use the token. @throws OAuthError otherwise */
  readonly verifySender: (req: Request, auth: AccessToken, now: Date) => void | Promise<void>;
  readonly challenge: (attributes: ChallengeAttributes) => string;
}

/**
 * RFC 9110 §11.6.1: a scheme and its attributes. The values are ASCII without quotes and backslashes (see
 * OAuthError).
 */
function formatChallenge(scheme: string, attributes: ChallengeAttributes): string {
  const list = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `${scheme} ${list.join(', ')}`;
}

/** RFC 6750 §2, §3.1: it must not be a guess which of two tokens counts. */
export function sentTwice(): OAuthError {
  return invalidRequest('the access token is sent in more than one way', 'access_token_malformed');
}

/**
 * RFC 8959 §2: a token of this server in the spelling by which tools find secrets; the token itself needs no escapes.
 * The name of a scheme is case-insensitive (RFC 3986 §3.1).
 */
export const SECRET_TOKEN_PREFIX = /^secret-token:(?=eas_)/i;

/** Any sender may use the token. (RFC 6750) */
export function createBearerScheme(methods: readonly BearerMethod[]): AuthenticationScheme {
  return {
    read: (req) => readBearerToken(req, methods),
    // RFC 9449 §7.2, RFC 7800 §3: a token that is bound to a key needs its proof; a token that is bound only to a
    // certificate is presented as Bearer (RFC 8705 §3)
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
 * The bearer token of a request; undefined if there is none. The syntax is not checked.
 *
 * @throws OAuthError invalid_request if the token is sent in more than one way (RFC 6750 §2)
 */
export function readBearerToken(req: Request, methods: readonly BearerMethod[]): string | undefined {
  let token: string | undefined;
  for (const method of methods) {
    let sent: unknown;
    if (method === 'header') {
      const authorization = authorizationOf(req) ?? '';
      // another scheme is ignored; the word Bearer alone is a malformed token
      const [scheme] = /^bearer(?: +|$)/i.exec(authorization) ?? [];
      if (scheme !== undefined) sent = authorization.slice(scheme.length);
    } else if (method === 'query') {
      // RFC 6750 §2.3
      sent = fieldOf(queryOf(req), 'access_token');
    } else if (req.method !== 'GET' && req.is('application/x-www-form-urlencoded')) {
      // RFC 6750 §2.2: a form body, with a method that gives bodies a meaning. The site's parser has read it
      sent = fieldOf(req.body, 'access_token');
    }
    if (sent === undefined) continue;
    if (typeof sent !== 'string')
      throw invalidRequest('the access token must be given once', 'access_token_malformed');
    if (token !== undefined) throw sentTwice();
    token = sent.replace(SECRET_TOKEN_PREFIX, '');
  }
  return token;
}

/**
 * The sender must prove the key of the token.
 *
 * @param origins the origins of the guarded routes for clients: `https://photos.example`
 * @param publicPath the path that a proxy removes from the beginning
 * @see RFC 9449 §7.1
 */
export function createDpopScheme(
  proofs: ProofVerifier,
  origins: readonly string[],
  publicPath: string,
): AuthenticationScheme {
  return {
    read(req) {
      const authorization = authorizationOf(req) ?? '';
      const [scheme] = /^dpop(?: +|$)/i.exec(authorization) ?? [];
      return scheme === undefined ? undefined : authorization.slice(scheme.length);
    },
    async verifySender(req, { token, cnf }, now) {
      const { dpop } = req.headers;
      if (typeof dpop !== 'string') throw asRefusal(missingProof());
      try {
        const [path = ''] = req.originalUrl.split('?');
        const paths = publicPath === '' ? [path] : [path, `${publicPath}${path}`];
        const urls = origins.flatMap((origin) => paths.map((each) => `${origin}${each}`));
        const proof = await proofs.verify(dpop, { method: req.method, urls, accessToken: token, now });
        // RFC 9449 §7.2: a token that is not bound is a Bearer token, and must be presented as one
        if (cnf?.jkt !== proof.jkt) throw invalidToken('it is not bound to the key of the proof');
        await proof.use();
      } catch (error) {
        throw error instanceof OAuthError ? asRefusal(error) : error;
      }
      req.res?.set(proofs.headers(now));
    },
    challenge: (attributes) => formatChallenge('DPoP', { ...attributes, algs: proofs.algorithms.join(' ') }),
  };
}

/** RFC 9449 §7.1, §9: a resource server answers 401 where the token endpoint answers 400. */
function asRefusal(error: OAuthError): OAuthError {
  if (error.status !== 400) return error;
  const { description, reason, detail, cause, headers } = error;
  return new OAuthError(error.error, description, { reason, detail, cause, headers, status: 401 });
}
