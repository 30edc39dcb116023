import { OAuthError } from '../../../shared/errors.js';
import { authorizationOf } from '../../http/authorization-header.js';
import { missingProof } from '../../proof-of-possession/binding.js';
import type { ProofVerifier } from '../../proof-of-possession/dpop-proof.js';
import { invalidToken } from '../verify-access-token.js';
import { type AuthenticationScheme, formatChallenge } from './scheme.js';

export interface DpopSchemeOptions {
  readonly proofs: ProofVerifier;
  /** Where clients reach the guarded routes, without a path: `https://photos.example`. */
  readonly origins: readonly string[];
  /** What a proxy removes from the beginning of the paths. */
  readonly publicPath: string;
}

/** Whoever holds the key of the token may use it. @see RFC 9449 §7.1 */
export function createDpopScheme({ proofs, origins, publicPath }: DpopSchemeOptions): AuthenticationScheme {
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
        // RFC 9449 §7.2: a token that is not bound is a Bearer token, and must come as one
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
  return new OAuthError(error.error, description, {
    reason,
    detail,
    cause,
    headers,
    status: 401,
  });
}
