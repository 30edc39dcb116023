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
/** Seconds that people may take to decide. */
const TIME_TO_DECIDE = 3600;

/** Why a login does not meet a request; `untimed`: nobody knows when it was. */
type Shortfall = 'older' | 'other' | 'weaker' | 'untimed';

type LoginSettings = Pick<Settings, 'userAuthentication' | 'stepUp'> & SignedCookieSettings;

/** Which logins are good enough for a request. @see RFC 9470 §5, OpenID Connect Core §3.1.2.1, §3.1.2.3 */
export interface LoginRequirements {
  /** When and how the person has logged in, as far as that is known. */
  read(context: Whose): UserAuthentication;
  /**
   * Whether the person has to log in again.
   *
   * @param needsTime whether the time of the login has to be known
   * @throws OAuthError if they have just done so, or if that would not help
   */
  needsAgain(context: AuthenticatedContext, needsTime: boolean): boolean;
  /**
   * Reads the login, once the person has decided; the host is asked about it only if it matters.
   *
   * @throws OAuthError if it does not meet the request
   */
  require(context: AuthenticatedContext, needsTime: boolean): () => UserAuthentication;
  /** What access tokens say of the login: nothing unless routes can ask for it. */
  record(read: () => UserAuthentication): Pick<RecordedLogin, 'authentication'>;
  /** The person leaves this session to log in again; call what it returns once they have. */
  leave(context: AuthenticatedContext): (() => void) | undefined;
}

type Whose = Pick<AuthenticatedContext, 'req' | 'res' | 'userId'>;

/** @param isOther whether the request is about somebody else than the person. Default: it never is */
export function createLoginRequirements(
  settings: LoginSettings,
  { isOther = () => false }: { readonly isOther?: (context: AuthenticatedContext) => boolean } = {},
): LoginRequirements {
  const userAuthentication = switchedOn(settings.userAuthentication, 'userAuthentication');
  const acrValues = knownAcrValues(settings, userAuthentication);
  const read = (context: Whose) =>
    readUserAuthentication(userAuthentication, context.req, () => timeOf(context, settings));

  const isTimeMissing = (
    context: AuthenticatedContext,
    required: RequiredAuthentication,
    login: () => UserAuthentication,
  ): boolean => mayAsk(userAuthentication, context, required) && login().authTime === undefined;
  const findShortfall = (
    context: AuthenticatedContext,
    login: () => UserAuthentication,
    { needsTime, leeway }: { readonly needsTime: boolean; readonly leeway: number },
  ): Shortfall | undefined => {
    const { requiredAuthentication: required } = context.request;
    if (isOther(context)) return 'other';
    if (required === undefined) return undefined;
    const { acr } = required;
    if (acr !== undefined && !acr.includes(login().acr)) return 'weaker';
    const isTimeNeeded = required.maxAge !== undefined || needsTime;
    if (isTimeNeeded && isTimeMissing(context, required, login)) return 'untimed';
    return isNew(required, login, { now: context.now, leeway }) ? undefined : 'older';
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
      const isFinal = isSilent || isLasting(shortfall, required, acrValues);
      // the GET that follows tells the client
      if (!isDeciding && isFinal) throw refusalOf(shortfall);
      return true;
    },
    require(context, needsTime) {
      const login = lazy(() => read(context));
      const shortfall = findShortfall(context, login, { needsTime, leeway: TIME_TO_DECIDE });
      if (shortfall !== undefined) throw refusalOf(shortfall);
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
function timeOf(context: Whose, cookies: SignedCookieSettings): number | undefined {
  const recorded = loginTimeOf(context.req);
  if (recorded !== undefined) return recorded;
  const earliest = takeEndOfLoginBefore(cookies, context);
  if (earliest !== undefined) noteLoginTime(context.req, earliest);
  return earliest;
}

/** Whether a login whose time is unknown can be repeated so that it becomes known. */
function mayAsk(
  { read }: UserAuthenticationSettings,
  { req }: AuthenticatedContext,
  { isLoginDone }: RequiredAuthentication,
): boolean {
  const { session } = req as { session?: object };
  if (read !== undefined || session === undefined) return false;
  // only once, if nothing but `req.logIn` can tell the time
  return isEndingFinal(req) || !isLoginDone;
}

/** Whether another login would not help. */
function isLasting(
  shortfall: Shortfall,
  required: RequiredAuthentication | undefined,
  acrValues: readonly string[] | undefined,
): boolean {
  // a login whose time was not seen is no answer, but the next one will be: it comes after the end of this one
  const isAnswered = required?.isLoginDone === true && shortfall !== 'untimed';
  return isAnswered || (shortfall === 'weaker' && !isReachable(required?.acr, acrValues));
}

/** A class that no login has is refused before anybody logs in for it. */
function isReachable(acr: readonly unknown[] | undefined, acrValues: readonly string[] | undefined): boolean {
  return acrValues === undefined || acr === undefined || acrValues.some((value) => acr.includes(value));
}

function isNew(
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
  other: 'somebody else is logged in than the id_token_hint is about',
  older: 'the login is older than max_age allows',
  untimed: 'it is not known when the person has logged in',
};

/** OpenID Connect Core §3.1.2.1, §3.1.2.6 */
function refusalOf(shortfall: Shortfall): OAuthError {
  // RFC 9470 §5, OpenID Connect Core Unmet Authentication Requirements §2
  if (shortfall === 'weaker')
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
