import type { Request } from 'express';
import onHeaders from 'on-headers';

import { type StrategyOptions, strategyOptions } from '../../settings/options/guard-options.js';
import { parseOptions } from '../../settings/table/parse-options.js';
import { OAuthError } from '../../shared/errors.js';
import { type Admission, createAdmission, type GuardDependencies } from './admission.js';
import { parseRouteOptions } from './parse-route-options.js';

export type { StrategyOptions };

/** The functions that Passport gives a strategy. */
interface PassportActions {
  readonly success: (user: Express.User, info: object) => void;
  readonly fail: (challenge: string, status: number) => void;
  readonly error: (error: unknown) => void;
}

/** The options of `passport.authenticate('oauth', { session: false, scope: 'photos:read' })`. */
interface UseOptions {
  readonly session?: boolean;
  readonly scope?: string | readonly string[];
}

/** A strategy in Passport's format. */
export interface PassportStrategy {
  readonly name: string;
  // Passport's types have any here, too, and pass on the site's options
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  authenticate(this: any, req: Request, options?: any): void;
}

/**
 * Lets in the user of an access token, for Passport. If the token is missing or wrong, Passport tries its next
 * strategy, and answers with the challenges of all strategies if none succeeds. Other refusals (too few scopes, an
 * error of the server) go to `next(error)`, as with the guard.
 *
 * @see RFC 6750 §3
 */
export function createStrategy(dependencies: GuardDependencies, input: StrategyOptions): PassportStrategy {
  const options = parseOptions('strategy', strategyOptions, input);
  const admissionOf = (scopes: readonly string[]) =>
    createAdmission(dependencies, parseRouteOptions({ ...options, scopes, user: true }, dependencies));
  const admission = admissionOf(options.scopes);
  // Passport passes the same object with each request of a route
  const ofRoutes = new WeakMap<object, Admission>();

  return {
    name: 'oauth',
    authenticate(this: PassportActions, req, use: UseOptions = {}) {
      // read at once: if the site reuses one strategy object, Passport replaces these functions at the next request
      const { success, fail, error } = this;
      delete req.auth;
      // Passport would log the user in, and the session would outlive the token, without its scopes
      if (use.session !== false) return error(new Error(SESSION));
      const decide = async (): Promise<void> => {
        let admitted: Awaited<ReturnType<Admission['admit']>>;
        try {
          // an unknown scope of a route throws
          const { scope } = use;
          const ofUse =
            scope === undefined
              ? admission
              : (ofRoutes.get(use) ?? admissionOf([...options.scopes, ...[scope].flat()]));
          ofRoutes.set(use, ofUse);
          admitted = await ofUse.admit(req, req.res!);
        } catch (thrown) {
          if (!(thrown instanceof OAuthError)) return error(thrown);
          const { status } = thrown;
          const challenge = thrown.headers['WWW-Authenticate'];
          // RFC 6750 §3: MUST, unless another strategy succeeds or sets a challenge. Passport itself sets none if it is
          // called with a callback, as in Nest
          const { res } = req;
          if (res !== undefined && challenge !== undefined)
            onHeaders(res, () => {
              const isRefused = res.statusCode === status && (req.user === undefined || req.user === null);
              if (isRefused && !res.hasHeader('WWW-Authenticate'))
                res.setHeader('WWW-Authenticate', challenge);
            });
          return status === 401 ? fail(challenge ?? 'Bearer', 401) : error(thrown);
        }
        if (typeof admitted !== 'object' || admitted.user === undefined)
          throw new Error('no access token let this request in');
        req.auth = admitted.auth;
        success(admitted.user, admitted.auth);
      };
      decide().catch(error);
    },
  };
}

const SESSION =
  "express-authorization-server: a token is no login, and must not become one; write passport.authenticate('oauth', { session: false })";
