import type { UserAuthenticationSettings } from '../../settings/features/step-up-options.js';
import type { Settings } from '../../settings/settings.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { lazy } from '../../shared/lazy.js';
import { beforeLoginEnds, isEndingFinal, takeEndOfLoginBefore } from '../sessions/ended-login.js';
import { loginTimeOf, noteLoginTime } from '../sessions/login-session.js';
import type { SignedCookieSettings } from '../sessions/signed-cookies.js';
import { readUserAuthentication, type UserAuthentication } from '../sessions/user-authentication.js';
import type { AuthenticatedContext } from './interaction.js';
import type { RecordedLogin } from './recorded-login.js';
import type { RequiredAuthentication } from './required-authentication.js';

/** Seconds that a login may take: whoever was sent to it because of `max_age` is not sent there again for that. */
const TIME_TO_LOG_IN = 300;
/** Seconds that users may take to decide. */
const TIME_TO_DECIDE = 3600;

/** Why a login does not meet a request. */
type Shortfall = 'tooOld' | 'otherUser' | 'acrTooLow' | 'timeUnknown';

type LoginSettings = Pick<Settings, 'userAuthentication' | 'stepUp'> & SignedCookieSettings;

/**
 * Compares logins with what a request requires; a `LoginPolicy` is made from it.
 *
 * @see RFC 9470 §5, OpenID Connect Core §3.1.2.1, §3.1.2.3
 */
export interface LoginChecks {
  /** When and how the user has logged in, as far as that is known. */
  read(context: LoginContext): UserAuthentication;
  /**
   * Whether the user has to log in again.
   *
   * @param needsTime whether the time of the login has to be known
   * @throws OAuthError if they have just done so, or if that would not help
   */
  needsAgain(context: AuthenticatedContext, needsTime: boolean): boolean;
  /**
   * Reads the login, once the user has decided; the site is asked about it only if it matters.
   *
   * @throws OAuthError if it does not meet the request
   */
  require(context: AuthenticatedContext, needsTime: boolean): () => UserAuthentication;
  /** What access tokens say about the login: nothing without the option `stepUp`. */
  record(read: () => UserAuthentication): Pick<RecordedLogin, 'authentication'>;
  /** Called before the login ends so that the user logs in again. Call the result after the end. */
  leave(context: AuthenticatedContext): (() => void) | undefined;
}

type LoginContext = Pick<AuthenticatedContext, 'req' | 'res' | 'userId'>;

/** @param isOtherUser whether the request names somebody else than the person. Default: it never does */
export function createLoginChecks(
  settings: LoginSettings,
  { isOtherUser = () => false }: { readonly isOtherUser?: (context: AuthenticatedContext) => boolean } = {},
): LoginChecks {
  const userAuthentication = switchedOn(settings.userAuthentication, 'userAuthentication');
  const acrValues = knownAcrValues(settings, userAuthentication);
  const read = (context: LoginContext) =>
    readUserAuthentication(userAuthentication, context.req, () => timeOf(context, settings));

  const isTimeMissing = (
    context: AuthenticatedContext,
    required: RequiredAuthentication,
    login: () => UserAuthentication,
  ): boolean => canLearnTime(userAuthentication, context, required) && login().authTime === undefined;
  const findShortfall = (
    context: AuthenticatedContext,
    login: () => UserAuthentication,
    { needsTime, leeway }: { readonly needsTime: boolean; readonly leeway: number },
  ): Shortfall | undefined => {
    const { requiredAuthentication: required } = context.request;
    if (isOtherUser(context)) return 'otherUser';
    if (required === undefined) return undefined;
    const { acr } = required;
    if (acr !== undefined && !acr.includes(login().acr)) return 'acrTooLow';
    const isTimeNeeded = required.maxAge !== undefined || needsTime;
    if (isTimeNeeded && isTimeMissing(context, required, login)) return 'timeUnknown';
    return isRecentEnough(required, login, { now: context.now, leeway }) ? undefined : 'tooOld';
  };

  return {
    read,
    needsAgain(context, needsTime) {
      const { request, isDeciding = false } = context;
      const { requiredAuthentication: required, isSilent } = request;
      const leeway = isDeciding ? TIME_TO_DECIDE : TIME_TO_LOG_IN;
      const login = lazy(() => read(context));
      const shortfall = findShortfall(context, login, { needsTime, leeway });
      if (shortfall === undefined) return false;
      const isFinal = isSilent || !wouldLoginHelp(shortfall, required, acrValues);
      // the GET that follows tells the client
      if (!isDeciding && isFinal) throw errorOf(shortfall);
      return true;
    },
    require(context, needsTime) {
      const login = lazy(() => read(context));
      const shortfall = findShortfall(context, login, { needsTime, leeway: TIME_TO_DECIDE });
      if (shortfall !== undefined) throw errorOf(shortfall);
      if (needsTime && login().authTime === undefined) throw unknownTime();
      return login;
    },
    record: (login) => (settings.stepUp === false ? {} : { authentication: login() }),
    leave: (context) =>
      userAuthentication.read === undefined ? beforeLoginEnds(settings, context, context.now) : undefined,
  };
}

/** The classes that logins can have; undefined if that is not known. */
function knownAcrValues(
  { stepUp }: Pick<Settings, 'stepUp'>,
  { read }: UserAuthenticationSettings,
): readonly string[] | undefined {
  if (stepUp === false) return undefined;
  return stepUp.acrValues.length > 0 || read === undefined ? stepUp.acrValues : undefined;
}

/** When the login was, if that is known: from the login itself, or from the end of the one before. */
function timeOf(context: LoginContext, cookies: SignedCookieSettings): number | undefined {
  const recorded = loginTimeOf(context.req);
  if (recorded !== undefined) return recorded;
  const earliest = takeEndOfLoginBefore(cookies, context);
  if (earliest !== undefined) noteLoginTime(context.req, earliest);
  return earliest;
}

/** Whether a login whose time is unknown can be repeated so that it becomes known. */
function canLearnTime(
  { read }: UserAuthenticationSettings,
  { req }: AuthenticatedContext,
  { isLoginDone }: RequiredAuthentication,
): boolean {
  const { session } = req as { session?: object };
  if (read !== undefined || session === undefined) return false;
  // only once if a new login would be noticed by nothing but `req.logIn`, which not every site calls
  return isEndingFinal(req) || !isLoginDone;
}

/** Whether the user could meet the request by logging in again. */
function wouldLoginHelp(
  shortfall: Shortfall,
  required: RequiredAuthentication | undefined,
  acrValues: readonly string[] | undefined,
): boolean {
  if (shortfall === 'acrTooLow' && !isReachable(required?.acr, acrValues)) return false;
  // The user has logged in for this request already, and it did not help. An unknown time is the exception: the next
  // login comes after the end of this one, which this server sees, so its time will be known.
  return required?.isLoginDone !== true || shortfall === 'timeUnknown';
}

/** Whether some login can have one of the classes: nobody has to log in for a class that no login has. */
function isReachable(acr: readonly unknown[] | undefined, acrValues: readonly string[] | undefined): boolean {
  return acrValues === undefined || acr === undefined || acrValues.some((value) => acr.includes(value));
}

function isRecentEnough(
  { maxAge, isLoginDone }: RequiredAuthentication,
  login: () => UserAuthentication,
  { now, leeway }: { readonly now: Date; readonly leeway: number },
): boolean {
  if (maxAge === undefined) return true;
  // OpenID Connect Core §3.1.2.1: 0 is the same as prompt=login
  if (maxAge === 0 && !isLoginDone) return false;
  const { authTime } = login();
  if (authTime === undefined) throw unknownTime();
  const age = Math.floor(now.getTime() / 1000) - authTime;
  return age <= (isLoginDone ? Math.max(maxAge, leeway) : maxAge);
}

const LOGIN_REQUIRED = {
  otherUser: 'somebody else is logged in than the id_token_hint is about',
  tooOld: 'the login is older than max_age allows',
  timeUnknown: 'it is not known when the person has logged in',
};

/** OpenID Connect Core §3.1.2.1, §3.1.2.6 */
function errorOf(shortfall: Shortfall): OAuthError {
  // RFC 9470 §5, OpenID Connect Core Unmet Authentication Requirements §2
  if (shortfall === 'acrTooLow')
    return new OAuthError(
      'unmet_authentication_requirements',
      'the login is not of an acr that the client needs',
      { reason: 'login_required' },
    );
  return new OAuthError('login_required', LOGIN_REQUIRED[shortfall], { reason: 'login_required' });
}

function unknownTime(): OAuthError {
  return unexpectedCondition(
    'a client asks when the person has logged in: write openid.authentication, or stepUp.authentication: (req) => ({ at: … })',
  );
}
