import { findRedirectUriProblem } from '../../shared/protocol/redirect-uri.js';
import type { ClientMetadata } from './client.js';
import type { RegistrationLimits } from './client-field.js';
import { isPlainHttpsUrl, notUsable } from './validation/https-url.js';
import type { ClientProblem } from './validation-error.js';

const MAX_LENGTH = 2000;
const MAX = 20;

/** What is wrong with the addresses for users who have logged out (OpenID Connect RP-Initiated Logout §3.1). */
export function postLogoutRedirectUriProblems(
  { postLogoutRedirectUris = [] }: ClientMetadata,
  { redirectUriRules }: Pick<RegistrationLimits, 'redirectUriRules'>,
): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'postLogoutRedirectUris', problem: text }];
  if (postLogoutRedirectUris.length > MAX) return problem(`There can be ${MAX} of these URIs at most.`);
  const wrong = postLogoutRedirectUris.find(
    // the same rules as for redirect URIs: nobody is sent to a script, or to an address that is not complete
    (uri) => uri.length > MAX_LENGTH || findRedirectUriProblem(uri, redirectUriRules) !== undefined,
  );
  return wrong === undefined
    ? []
    : problem(
        `${wrong.slice(0, 80)} cannot be used: ${findRedirectUriProblem(wrong, redirectUriRules)?.text ?? 'it is too long'}.`,
      );
}

/** What is wrong with the address at which a client is told of a logout (OpenID Connect Back-Channel Logout §2.2). */
export function backchannelLogoutUriProblems({ backchannelLogoutUri: uri }: ClientMetadata): ClientProblem[] {
  return uri === undefined || isPlainHttpsUrl(uri)
    ? []
    : [{ field: 'backchannelLogoutUri', problem: notUsable('backchannelLogoutUri') }];
}

/** What is wrong with the page of a client that logs out (OpenID Connect Front-Channel Logout §2). */
export function frontchannelLogoutUriProblems({
  frontchannelLogoutUri: uri,
  redirectUris,
}: ClientMetadata): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'frontchannelLogoutUri', problem: text }];
  if (uri === undefined) return [];
  if (!isPlainHttpsUrl(uri)) return problem(notUsable('frontchannelLogoutUri'));
  // OpenID Connect Front-Channel Logout §2: the same scheme, host and port as one of its redirect URIs
  const origins = redirectUris.filter((each) => URL.canParse(each)).map((each) => new URL(each).origin);
  return origins.includes(new URL(uri).origin)
    ? []
    : problem('The frontchannelLogoutUri has another origin than all redirect URIs.');
}
