import { OAuthError, unexpectedCondition } from '../errors.js';
import { keepSid, takeSid } from '../http/kept-sid.js';
import { beginSid } from '../http/sign-in-session.js';
import type { SignedCookieSettings } from '../http/signed-cookies.js';
import { keepClaims } from '../openid/claims-request.js';
import { type KnownLogin, loginFactsOf } from '../openid/login-facts.js';
import type { OpenidAuthorization } from '../openid/openid-authorization.js';
import { createSubjects } from '../openid/subjects.js';
import type { OpenidSettings } from '../settings/openid-options.js';
import type { PersonsTurn } from './interaction.js';
import type { Logins } from './logins.js';
import type { OpenidRequest } from './openid-request.js';

/** Seconds that a login may take: whoever was sent to it for `max_age` is not sent there once more for that. */
const TIME_TO_LOG_IN = 300;
/** Seconds that people may take to decide. */
const TIME_TO_DECIDE = 3600;

/** What a request wants of a login beside that there is one. */
type Wanted = 'nothing' | 'newer' | 'other' | 'stronger';

/** Which logins are good enough for a request. @see OpenID Connect Core §3.1.2.1, §3.1.2.3 */
export function createOpenidLogins(openid: OpenidSettings, settings: SignedCookieSettings): Logins {
  const subjectOf = createSubjects(openid);
  return {
    needsAgain({ req, request: { client, openid: asked, isSilent }, userId, now, isDeciding = false }) {
      if (asked === undefined) return false;
      const wanted = wantedOf(asked, {
        subject: () => subjectOf(client, userId),
        now,
        login: () => loginFactsOf(openid, req),
        leeway: isDeciding ? TIME_TO_DECIDE : TIME_TO_LOG_IN,
      });
      // the GET that follows says it to the client
      if (wanted !== 'nothing' && !isDeciding && (asked.isLoginDone || isSilent)) throw refusalOf(wanted);
      return wanted !== 'nothing';
    },
    leave: (turn) => keepSid(settings, turn),
    record({ req, res, request: { client, openid: asked }, userId, now }: PersonsTurn, allowed) {
      if (asked === undefined) return undefined;
      // the host's rules, or the person, may leave nothing to sign in by
      const signsIn = asked.signsIn && allowed.includes('openid');
      const login = signsIn ? loginFactsOf(openid, req) : undefined;
      const wanted = wantedOf(asked, {
        subject: () => subjectOf(client, userId),
        now,
        login: () => login ?? loginFactsOf(openid, req),
        leeway: TIME_TO_DECIDE,
      });
      if (wanted !== 'nothing') throw refusalOf(wanted);
      if (login === undefined) return undefined;
      if (asked.needsAuthTime && login.authTime === undefined) throw unknownTime();
      return {
        ...login,
        ...keptOf(asked, allowed, openid),
        ...sessionOf(req, userId, () => takeSid(settings, { req, res, userId })),
      };
    },
  };
}

/** What ID tokens and userinfo say later because of the request. */
function keptOf(
  { nonce, claims, claimsLocales }: OpenidRequest,
  allowed: readonly string[],
  { scopeClaims }: Pick<OpenidSettings, 'scopeClaims'>,
): Pick<OpenidAuthorization, 'nonce' | 'claims' | 'claimScopes' | 'claimsLocales'> {
  return {
    ...(nonce !== undefined && { nonce }),
    ...(claims && keepClaims(claims, allowed, scopeClaims)),
    ...(claimsLocales.length > 0 && { claimsLocales }),
  };
}

/** As clients know it (OpenID Connect Back-Channel Logout §2.1). */
function sessionOf(...whose: Parameters<typeof beginSid>): { readonly sid?: string } {
  const sid = beginSid(...whose);
  return sid === undefined ? {} : { sid };
}

interface Present {
  /** By what the client knows the person. */
  readonly subject: () => string;
  readonly now: Date;
  /** Asked of the host only if it matters. */
  readonly login: () => KnownLogin;
  /** Seconds that a login is new for, once the person has been there. */
  readonly leeway: number;
}

function wantedOf({ maxAge, hintedSubjects, acr, isLoginDone }: OpenidRequest, present: Present): Wanted {
  if (hintedSubjects?.includes(present.subject()) === false) return 'other';
  if (acr !== undefined && !acr.includes(present.login().acr)) return 'stronger';
  return maxAge === undefined || isNew({ maxAge, isLoginDone }, present) ? 'nothing' : 'newer';
}

function isNew(
  { maxAge, isLoginDone }: { readonly maxAge: number; readonly isLoginDone: boolean },
  { now, login, leeway }: Present,
): boolean {
  // §3.1.2.1: 0 is the same as prompt=login
  if (maxAge === 0 && !isLoginDone) return false;
  const { authTime } = login();
  if (authTime === undefined) throw unknownTime();
  const age = Math.floor(now.getTime() / 1000) - authTime;
  return age <= (isLoginDone ? Math.max(maxAge, leeway) : maxAge);
}

/** §3.1.2.1, §3.1.2.6 */
function refusalOf(wanted: Exclude<Wanted, 'nothing'>): OAuthError {
  // OpenID Connect Core Unmet Authentication Requirements §2
  if (wanted === 'stronger')
    return new OAuthError(
      'unmet_authentication_requirements',
      'the login is not of an acr that the client needs',
      {
        reason: 'login_required',
      },
    );
  const description =
    wanted === 'other'
      ? 'somebody else is logged in than the id_token_hint is about'
      : 'the login is older than max_age allows';
  return new OAuthError('login_required', description, { reason: 'login_required' });
}

function unknownTime(): OAuthError {
  return unexpectedCondition(
    'a client asks when the person has logged in: write openid.authentication: (req) => ({ at: … })',
  );
}
