import { completedPromptsOf, type Prompt, withoutPrompts } from '../../core/authorization/prompt.js';
import type { RequestSource } from '../../core/authorization/request-source.js';
import { equalText, hashSecret, tagOf } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { parseForm, parseParameter, parseRepeated, requireOnce } from '../../shared/protocol/parameters.js';
import type { PushedRequest, PushedRequestStore } from '../../storage/other/pushed-requests.js';

/** The prefix of the `request_uri` of a pushed request, before a secret (RFC 9126 §2.2). */
export const PUSHED_REQUEST_URI = 'urn:ietf:params:oauth:request_uri:';
/** The length of a secret of `createSecret`. */
const REFERENCE = /^[A-Za-z0-9_-]{43}$/;

/**
 * A pushed request, for the `request_uri` of the query. Other parameters of the query are ignored, so that nobody
 * between the client and this server can change the request. (RFC 9126 §4, RFC 9101 §6.3)
 */
export function createPushedSource(store: PushedRequestStore): RequestSource {
  return {
    // also if the parameter is repeated, which `read` refuses
    matches: (query) =>
      parseRepeated(query, 'request_uri').some(
        (value) => typeof value === 'string' && value.startsWith(PUSHED_REQUEST_URI),
      ),
    async read(query, now) {
      const clientId = requireOnce(query, 'client_id');
      const requestUri = parseParameter(query, 'request_uri') ?? '';
      const reference = requestUri.slice(PUSHED_REQUEST_URI.length);
      const id = hashSecret(reference);
      const stored = REFERENCE.test(reference) ? await store.open(id, now) : null;
      // RFC 9126 §2.2: bound to the client that has pushed it
      if (stored?.clientId !== clientId) throw usedOrExpired();
      const pushed = parseForm(stored.parameters);
      // The query lists the completed prompts, which change on the way through the login. A signature protects them:
      // otherwise an edited address could skip a login that the client requires.
      const signed = parseParameter(query, 'answered_prompts') ?? '';
      const [prompts = ''] = signed.split('.');
      const isSigned = equalText(signed, signPrompts(prompts, requestUri, stored));
      const before = isSigned ? (prompts.split(' ') as Prompt[]) : [];
      return {
        parameters: withoutPrompts(pushed, before, true),
        toQuery(completed, isLoginRequested) {
          const all = completedPromptsOf(pushed, [...before, ...completed], isLoginRequested);
          return {
            client_id: clientId,
            request_uri: requestUri,
            ...(all.length > 0 && { answered_prompts: signPrompts(all.join(' '), requestUri, stored) }),
          };
        },
        isPushed: true,
        ...(stored.isSigned === true && { isSigned: true as const }),
        async consume() {
          // RFC 9126 §4, §7.3: one-time use. Of two concurrent requests only one succeeds.
          if (!(await store.remove(id))) throw usedOrExpired();
        },
      };
    },
  };
}

function usedOrExpired(): OAuthError {
  return new OAuthError(
    'invalid_request_uri',
    'the request_uri has expired, has been used, or is not of this client',
    { reason: 'request_uri_invalid' },
  );
}

function signPrompts(prompts: string, requestUri: string, { promptKey }: PushedRequest): string {
  return `${prompts}.${tagOf(`${prompts} ${requestUri}`, promptKey)}`;
}
