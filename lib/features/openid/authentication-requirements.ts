import type { PersonsTurn } from '../../core/authorization/interaction.js';
import type { Logins } from '../../core/authorization/logins.js';
import type { OpenidRequest } from '../../core/authorization/openid-request.js';
import { keepClaims } from '../../core/openid/claims-request.js';
import { type KnownLogin, loginFactsOf } from '../../core/openid/login-facts.js';
import type { OpenidAuthorization } from '../../core/openid/openid-authorization.js';
import { createSubjects } from '../../core/openid/subjects.js';
import { beforeLoginEnds, isEndingFinal, takeEndOfLoginBefore } from '../../core/sessions/ended-login.js';
import { keepSid, takeSid } from '../../core/sessions/kept-sid.js';
import { loginTimeOf, noteLoginTime } from '../../core/sessions/login-session.js';
import { beginSid } from '../../core/sessions/sign-in-session.js';
import type { SignedCookieSettings } from '../../core/sessions/signed-cookies.js';
import type { OpenidSettings } from '../../settings/features/openid-options.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';

/** Seconds that a login may take: whoever was sent to it because of `max_age` is not sent there again for that. */
const TIME_TO_LOG_IN = 300;
/** Seconds that people may take to decide. */
const TIME_TO_DECIDE = 3600;

/** What a request wants of a login, beyond its existence; `timed`: that its time is known. */
type Wanted = 'nothing' | 'newer' | 'other' | 'stronger' | 'timed';

/** Which logins are good enough for a request. @see OpenID Connect Core §3.1.2.1, §3.1.2.3 */
export function createOpenidLogins(openid: OpenidSettings, settings: SignedCookieSettings): Logins {
  const subjectOf = createSubjects(openid);
  const factsOf = (turn: PersonsTurn) => loginFactsOf(openid, turn.req, () => timeOf(turn, settings));
  return {
    needsAgain(turn) {
      const { request, userId, now, isDeciding = false } = turn;
      const { client, openid: asked, isSilent } = request;
      if (asked === undefined) return false;
      const wanted = wantedOf(asked, {
        subject: () => subjectOf(client, userId),
        now,
        login: () => factsOf(turn),
        mayAsk: mayAskFor(openid, turn, asked),
        leeway: isDeciding ? TIME_TO_DECIDE : TIME_TO_LOG_IN,
      });
      if (wanted === 'nothing') return false;
      // a login whose time was not seen is no answer, but the next one will be: it comes after the end of this one
      const isAnswered = asked.isLoginDone && wanted !== 'timed';
      // the GET that follows tells the client
      if (!isDeciding && (isAnswered || isSilent)) throw refusalOf(wanted);
      return true;
    },
    isHinted({ request: { client, openid: asked }, userId }) {
      return asked?.isHinted === true && asked.hintedSubjects?.includes(subjectOf(client, userId)) === true;
    },
    leave(turn) {
      keepSid(settings, turn);
      return openid.authentication === undefined ? beforeLoginEnds(settings, turn, turn.now) : undefined;
    },
    record(turn, allowed) {
      const { req, res, request, userId, now } = turn;
      const { client, openid: asked } = request;
      if (asked === undefined) return undefined;
      // the host's rules, or the person, may have removed `openid`
      const signsIn = asked.signsIn && allowed.includes('openid');
      const login = signsIn ? factsOf(turn) : undefined;
      const wanted = wantedOf(
        { ...asked, signsIn },
        {
          subject: () => subjectOf(client, userId),
          now,
          login: () => login ?? factsOf(turn),
          mayAsk: mayAskFor(openid, turn, asked),
          leeway: TIME_TO_DECIDE,
        },
      );
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

/** When the login was, if that is known: from the login itself, or from the end of the one before. */
function timeOf(turn: PersonsTurn, settings: SignedCookieSettings): number | undefined {
  const noted = loginTimeOf(turn.req);
  if (noted !== undefined) return noted;
  const earliest = takeEndOfLoginBefore(settings, turn);
  if (earliest !== undefined) noteLoginTime(turn.req, earliest);
  return earliest;
}

/** Whether a login whose time is unknown can be repeated so that it becomes known. */
function mayAskFor(
  { authentication }: Pick<OpenidSettings, 'authentication'>,
  { req }: PersonsTurn,
  { isLoginDone }: OpenidRequest,
): boolean {
  const { session } = req as { session?: object };
  if (authentication !== undefined || session === undefined) return false;
  // only once, if nothing but `req.logIn` can tell the time
  return isEndingFinal(req) || !isLoginDone;
}

/** The parts of the request that decide what ID tokens and userinfo say later. */
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

/** The session as clients know it (OpenID Connect Back-Channel Logout §2.1). */
function sessionOf(...whose: Parameters<typeof beginSid>): { readonly sid?: string } {
  const sid = beginSid(...whose);
  return sid === undefined ? {} : { sid };
}

interface Present {
  /** The name by which the client knows the person. */
  readonly subject: () => string;
  readonly now: Date;
  /** The host is asked only if it matters. */
  readonly login: () => KnownLogin;
  /** Whether to ask for a login whose time is known. */
  readonly mayAsk: boolean;
  /** Seconds for which a login counts as new, once the person has been there. */
  readonly leeway: number;
}

function wantedOf(asked: OpenidRequest, present: Present): Wanted {
  const { maxAge, hintedSubjects, acr, isLoginDone } = asked;
  if (hintedSubjects?.includes(present.subject()) === false) return 'other';
  if (acr !== undefined && !acr.includes(present.login().acr)) return 'stronger';
  // §2: the ID token has auth_time if max_age is requested, or if auth_time is essential
  if (isTimeMissing(asked, present)) return 'timed';
  return maxAge === undefined || isNew({ maxAge, isLoginDone }, present) ? 'nothing' : 'newer';
}

function isTimeMissing(
  { maxAge, needsAuthTime, signsIn }: OpenidRequest,
  { mayAsk, login }: Present,
): boolean {
  const isNeeded = maxAge !== undefined || (needsAuthTime && signsIn);
  return mayAsk && isNeeded && login().authTime === undefined;
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

const LOGIN_REQUIRED = {
  other: 'somebody else is logged in than the id_token_hint is about',
  newer: 'the login is older than max_age allows',
  timed: 'it is not known when the person has logged in',
};

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
  return new OAuthError('login_required', LOGIN_REQUIRED[wanted], { reason: 'login_required' });
}

function unknownTime(): OAuthError {
  return unexpectedCondition(
    'a client asks when the person has logged in: write openid.authentication: (req) => ({ at: … })',
  );
}
