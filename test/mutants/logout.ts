import { type Mutant, mutantsOf } from './mutant.js';

/** Logout by OpenID Connect. */
export const LOGOUT: readonly Mutant[] = [
  ...mutantsOf(
    'features/openid/end-session.ts',
    ['rfc/openid-rpinitiated/end-session.test.ts'],
    [
      {
        breaks: 'nobody is logged out by a form of another site (RP-Initiated Logout §2)',
        from: '  verifyCsrfToken(req, userId);\n',
        to: '',
      },
      {
        breaks: 'whoever has shown no ID token sends nobody on without a question (RP-Initiated Logout §3)',
        from: 'redirectTo !== undefined && isHinted && client',
        to: 'redirectTo !== undefined && client',
      },
      {
        breaks: 'nobody who is logged in again is told that they are logged out (RP-Initiated Logout §2)',
        from: 'person === undefined ? NOBODY : settings.people.id(person)',
        to: 'person === undefined ? NOBODY : NOBODY',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/may-redirect-to.ts',
    ['attacks/open-redirector.test.ts'],
    [
      {
        breaks:
          'nobody who has clicked on nothing is sent to a client that nobody has looked at (RFC 9700 §4.11.2)',
        from: '(linkToUnverifiedClients || isUnprompted)',
        to: 'linkToUnverifiedClients',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/may-redirect-to.ts',
    ['attacks/redirects.test.ts'],
    [
      {
        breaks: 'a client that nobody has looked at is reached by a click alone if the host says so',
        from: '!(linkToUnverifiedClients || isUnprompted)',
        to: '!isUnprompted',
      },
      {
        breaks: 'a client that nobody has looked at is never reached without a click (RFC 9700 §4.11.2)',
        from: 'return !isUnverifiedThirdParty(client) || !(linkToUnverifiedClients || isUnprompted);',
        to: 'return true;',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/logout-request.ts',
    ['attacks/redirects.test.ts'],
    [
      {
        breaks: 'after a logout people go exactly where the client has registered (RP-Initiated Logout §3)',
        from: 'client.postLogoutRedirectUris?.includes(redirectUri) !== true',
        to: 'client.postLogoutRedirectUris?.some((uri) => redirectUri.startsWith(uri)) !== true',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/end-session.ts',
    ['attacks/redirects.test.ts'],
    [
      {
        breaks: 'no page of a client that is blocked is loaded in a frame (RFC 9700 §4.11.2)',
        from: 'clients.filter(({ blocked }) => blocked === undefined)',
        to: 'clients',
      },
    ],
  ),
  ...mutantsOf(
    'pages/login/local-login.ts',
    ['attacks/redirects.test.ts'],
    [
      {
        breaks: 'after a login people stay on this site (RFC 9700 §4.11)',
        from: "safeReturnPath(textField(req.body, 'return_to'), context.home)",
        to: "(textField(req.body, 'return_to') || context.home)",
      },
    ],
  ),
  ...mutantsOf(
    'pages/rendering/language-switch.ts',
    ['attacks/redirects.test.ts'],
    [
      {
        breaks: 'after the choice of a language people stay on this site (RFC 9700 §4.11)',
        from: "safeReturnPath(peekParameter(queryOf(req), 'return_to'), home)",
        to: "peekParameter(queryOf(req), 'return_to') ?? home",
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/pending-logout.ts',
    ['rfc/openid-rpinitiated/end-session.test.ts'],
    [
      {
        breaks: 'the answer to one logout request is none to another (RP-Initiated Logout §3)',
        from: 'const hash = hashSecret(name);',
        to: 'const hash = hashSecret(name.slice(0, 0));',
      },
      {
        breaks: 'an answer holds for a minute',
        from: ', life: LIFE',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/logout-request.ts',
    ['rfc/openid-rpinitiated/end-session.test.ts'],
    [
      {
        breaks: 'nobody is sent to an address that is not registered (RP-Initiated Logout §3)',
        from: 'if (client.postLogoutRedirectUris?.includes(redirectUri) !== true)',
        to: "if (redirectUri === '')",
      },
      {
        breaks: 'client_id and id_token_hint are of the same client (RP-Initiated Logout §2)',
        from: 'if (hinted !== undefined && named !== undefined && named !== hinted)',
        to: "if (hinted === '')",
      },
      {
        breaks: 'an address says nothing by itself of an ID token',
        from: "equalText(textOf(form, 'hinted'), tag)",
        to: "parseParameter(form, 'hinted') !== undefined",
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/id-token-hints.ts',
    ['rfc/openid-backchannel/back-channel.test.ts', 'rfc/openid-core/requests.test.ts'],
    [
      {
        breaks: 'a token of this server for something else is no ID token',
        from: "typ: 'JWT',",
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/revoke-steps.ts',
    ['rfc/openid-backchannel/back-channel.test.ts'],
    [
      {
        breaks: 'a logout ends what was given by this session, and nothing else (Back-Channel Logout §2.7)',
        from: "'authorization.openid.sid': sid ?? { $exists: true },",
        to: "'authorization.openid.sid': { $exists: true },",
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/logout-tokens.ts',
    ['rfc/openid-backchannel/back-channel.test.ts'],
    [
      {
        breaks: 'a logout token has a type of its own (Back-Channel Logout §2.4)',
        from: "signingKeys.sign('logout+jwt', claims",
        to: "signingKeys.sign('JWT', claims",
      },
    ],
  ),
];
