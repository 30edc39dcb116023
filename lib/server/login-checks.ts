import type {
  AuthorizationParameters,
  RequiredAuthentication,
} from '../core/authorization/authorization-request.js';
import { MAX_HINT_LENGTH } from '../core/authorization/hints.js';
import type { AuthenticatedContext } from '../core/authorization/interaction.js';
import type { RecordedLogin } from '../core/authorization/response-types/response-type.js';
import type { Client } from '../core/clients/client.js';
import { loginTimeOf, noteLoginTime } from '../core/sessions/login-session.js';
import type { CookieContext } from '../core/sessions/signed-cookies.js';
import { readUserAuthentication, type UserAuthentication } from '../core/sessions/user-authentication.js';
import type { Settings } from '../settings/settings.js';
import { invalidRequest, OAuthError, unexpectedCondition } from '../shared/errors.js';
import { lazy } from '../shared/lazy.js';
import { beforeLoginEnds, consumeLoginEnd, isEndingFinal } from './ended-login.js';

/** Seconds that a login may take: a user who logged in because of `max_age` is not sent to the login again for it. */
const TIME_TO_LOG_IN = 300;
/** Seconds that users may take to decide. */
const TIME_TO_DECIDE = 3600;

type Shortfall = 'tooOld' | 'otherUser' | 'acrTooLow' | 'timeUnknown';

/**
 * Compares logins with the requirements of a request, for a `LoginPolicy`.
 *
 * @param isOtherUser whether the request names another user. Default: never
 * @see RFC 9470 §5, OpenID Connect Core §3.1.2.1, §3.1.2.3
 */
export function createLoginChecks(
  settings: Settings,
  isOtherUser: (context: AuthenticatedContext) => boolean = () => false,
) {
  const { stepUp } = settings;
  const isReadBySite = settings.people.authentication !== undefined;
  // the possible classes of logins; undefined if unknown
  const acrValues = stepUp && (stepUp.acrValues.length > 0 || !isReadBySite) ? stepUp.acrValues : undefined;

  const read = (context: CookieContext): UserAuthentication =>
    readUserAuthentication(settings.people, context.req, () => {
      // from the login itself, or from the end of the previous one
      const recorded = loginTimeOf(context.req);
      if (recorded !== undefined) return recorded;
      const earliest = consumeLoginEnd(settings, context);
      if (earliest !== undefined) noteLoginTime(context.req, earliest);
      return earliest;
    });

  const findShortfall = (
    context: AuthenticatedContext,
    login: () => UserAuthentication,
    { needsTime, leeway }: { readonly needsTime: boolean; readonly leeway: number },
  ): Shortfall | undefined => {
    const { req, now, request } = context;
    if (isOtherUser(context)) return 'otherUser';
    if (request.requiredAuthentication === undefined) return undefined;
    const { acr, maxAge, isLoginDone } = request.requiredAuthentication;
    if (acr !== undefined && !acr.includes(login().acr)) return 'acrTooLow';

    // A login with an unknown time is repeated if the time then becomes known: only once if only `req.logIn` would
    // record the new login, because not every site calls it
    const { session } = req as { session?: object };
    const canLearnTime = !isReadBySite && session !== undefined && (isEndingFinal(req) || !isLoginDone);
    const isTimeNeeded = maxAge !== undefined || needsTime;
    if (isTimeNeeded && canLearnTime && login().authTime === undefined) return 'timeUnknown';

    if (maxAge === undefined) return undefined;
    // OpenID Connect Core §3.1.2.1: 0 means prompt=login
    if (maxAge === 0 && !isLoginDone) return 'tooOld';
    const { authTime } = login();
    if (authTime === undefined) throw unknownTime();
    const age = Math.floor(now.getTime() / 1000) - authTime;
    return age <= (isLoginDone ? Math.max(maxAge, leeway) : maxAge) ? undefined : 'tooOld';
  };

  return {
    // the `read` of a `LoginPolicy`
    read,
    /** The requirements of a request on the login. @throws OAuthError invalid_request */
    readRequired(
      { max_age: maxAge, acr_values: acrValues = '', login_done: loginDone }: AuthorizationParameters,
      client: Client,
    ): RequiredAuthentication {
      if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
        throw invalidRequest('the parameter max_age is not a number of seconds', 'parameter_malformed');
      // a longer value would be left out of the address of the login page
      if (stepUp && acrValues.length > MAX_HINT_LENGTH)
        throw invalidRequest(
          `the parameter acr_values is longer than ${MAX_HINT_LENGTH} characters`,
          'request_too_large',
        );
      // voluntary in OpenID Connect, but required with the option `stepUp`: a route with this requirement would refuse
      // the token again (RFC 9470 §5)
      const acr = stepUp ? acrValues.split(' ').filter((value) => value !== '') : [];
      return {
        maxAge: maxAge === undefined ? client.defaultMaxAge : Number(maxAge),
        acr: acr.length === 0 ? undefined : acr,
        isLoginDone: loginDone === 'yes',
      };
    },
    /**
     * @param needsTime whether the time of the login has to be known
     * @throws OAuthError if a new login would not help
     */
    needsAgain(context: AuthenticatedContext, needsTime: boolean): boolean {
      const { request, isFormSubmitted = false } = context;
      const leeway = isFormSubmitted ? TIME_TO_DECIDE : TIME_TO_LOG_IN;
      const login = lazy(() => read(context));
      const shortfall = findShortfall(context, login, { needsTime, leeway });
      if (shortfall === undefined) return false;
      // the GET that follows sends the error to the client
      if (isFormSubmitted) return true;
      const { acr, isLoginDone = false } = request.requiredAuthentication ?? {};
      // nobody has to log in for a class that no login has
      const isUnreachable =
        shortfall === 'acrTooLow' && acrValues?.some((value) => acr?.includes(value)) === false;
      // The user has logged in for this request already, without the required result. An unknown time is the exception:
      // the next login comes after the end of this one, which this server sees, so its time will be known.
      const isUseless = isUnreachable || (isLoginDone && shortfall !== 'timeUnknown');
      if (request.isSilent || isUseless) throw errorOf(shortfall);
      return true;
    },
    /**
     * Reads the login, once the user has decided; the site's function is called only if needed.
     *
     * @throws OAuthError if the login does not meet the request
     */
    require(context: AuthenticatedContext, needsTime: boolean): () => UserAuthentication {
      const login = lazy(() => read(context));
      const shortfall = findShortfall(context, login, { needsTime, leeway: TIME_TO_DECIDE });
      if (shortfall !== undefined) throw errorOf(shortfall);
      if (needsTime && login().authTime === undefined) throw unknownTime();
      return login;
    },
    /** The login in access tokens: none without the option `stepUp`. */
    record: (login: () => UserAuthentication): Pick<RecordedLogin, 'authentication'> =>
      stepUp ? { authentication: login() } : {},
    leave: (context: AuthenticatedContext) =>
      isReadBySite ? undefined : beforeLoginEnds(settings, context, context.now),
  };
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
    'a client asks when the person has logged in: write people: { authentication: (req) => ({ at: … }) }',
  );
}
