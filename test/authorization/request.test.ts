import { describe, expect, it } from '@jest/globals';

import {
  type AuthorizationRequest,
  type RefusedRequest,
  type ResolveDependencies,
  serializeRequest,
} from '../../lib/core/authorization/authorization-request.js';
import { ANY_LOGIN } from '../../lib/core/authorization/login-policy.js';
import { PROMPTS } from '../../lib/core/authorization/prompt.js';
import type { RequestSource } from '../../lib/core/authorization/request-source.js';
import { resolveRequest } from '../../lib/core/authorization/resolve-request.js';
import { RESPONSE_MODES } from '../../lib/core/authorization/response-modes/response-mode.js';
import type { ResponseType } from '../../lib/core/authorization/response-types/response-type.js';
import type { Client } from '../../lib/core/clients/client.js';
import type { Settings } from '../../lib/settings/settings.js';
import type { OAuthError } from '../../lib/shared/errors.js';
import { type Form, parseForm } from '../../lib/shared/protocol/parameters.js';

const NOW = new Date(1_700_000_000_000);
const CALLBACK = 'https://print.example/callback';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const client: Client = {
  clientId: 'printing-shop',
  name: 'Printing shop',
  type: 'confidential',
  redirectUris: [CALLBACK],
  scopes: ['photos:read', 'photos:write'],
  grantTypes: ['authorization_code', 'implicit'],
  trusted: false,
  secrets: [],
  createdAt: new Date(0),
  updatedAt: new Date(0),
};
const responseType = (
  name: string,
  grantType: ResponseType['grantType'],
  defaultMode: string,
): [string, ResponseType] => [
  name,
  {
    responseType: name,
    grantType,
    defaultMode,
    usesPkce: name === 'code',
    authenticatesClient: name === 'code',
    issue: () => Promise.resolve({}),
  },
];
const settingsWith = (security: Partial<Settings['security']>) =>
  ({
    security,
    authorizationDetails: new Map(),
    openid: false,
    stepUp: false,
    scopes: {},
    resources: new Map([['https://api.example', { scopes: ['photos:read'] }]]),
  }) as unknown as Settings;
const rules: ResolveDependencies = {
  requestSources: [],
  clientSource: { find: (id) => Promise.resolve(id === client.clientId ? client : null) },
  responseTypes: new Map([
    responseType('code', 'authorization_code', 'query'),
    responseType('token', 'implicit', 'fragment'),
  ]),
  responseModes: RESPONSE_MODES,
  isPushingRequired: () => false,
  isSigningRequired: () => false,
  authorizationParameters: new Set(),
  loginPolicy: ANY_LOGIN,
  prompts: PROMPTS,
  settings: settingsWith({ pkce: 'public', requireResource: false }),
  resolveScopes: (_client, scope) => scope?.split(' ') ?? ['photos:read', 'photos:write'],
};
const base = { client_id: 'printing-shop', redirect_uri: CALLBACK, response_type: 'code', state: 'a b' };

async function accepted(
  form: Form,
  changed: Partial<ResolveDependencies> = {},
): Promise<AuthorizationRequest> {
  const request = await resolveRequest(form, { ...rules, ...changed }, NOW);
  if (request.kind === 'refused') throw request.error;
  return request;
}

async function refused(form: Form): Promise<RefusedRequest & { readonly error: OAuthError }> {
  const request = await resolveRequest(form, rules, NOW);
  if (request.kind !== 'refused') throw new Error('the request is not refused');
  return request as RefusedRequest & { readonly error: OAuthError };
}

describe('an authorization request', () => {
  it('an authorization request is resolved to one record', async () => {
    const form = {
      ...base,
      scope: 'photos:read',
      resource: 'https://api.example/',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      prompt: 'login consent other',
      login_hint: 'ada',
      ui_locales: 'de-AT  en',
    };
    expect(await accepted(form)).toMatchObject({
      client,
      redirectUri: CALLBACK,
      isRedirectUriRequested: true,
      state: 'a b',
      responseType: { responseType: 'code' },
      responseMode: { responseMode: 'query' },
      scopes: ['photos:read'],
      resources: ['https://api.example'],
      codeChallenge: CHALLENGE,
      prompt: new Set(['login', 'consent']),
      loginHint: 'ada',
      uiLocales: ['de-AT', 'en'],
    });
  });

  it('an authorization request has defaults for its optional parameters', async () => {
    expect(await accepted({ client_id: 'printing-shop', response_type: 'code' })).toMatchObject({
      redirectUri: CALLBACK,
      isRedirectUriRequested: false,
      state: undefined,
      scopes: ['photos:read', 'photos:write'],
      resources: [],
      codeChallenge: undefined,
      prompt: new Set(),
      loginHint: undefined,
      uiLocales: [],
    });
  });

  it.each([
    ['a repeated hint', { login_hint: ['ada', 'grace'], ui_locales: ['de', 'en'] }],
    ['an overlong hint', { login_hint: 'a'.repeat(201) }],
    ['an empty hint', { login_hint: '', ui_locales: ' ' }],
  ])('an authorization request is not refused for %s', async (_name, hints) => {
    expect(await accepted({ ...base, ...hints })).toMatchObject({ loginHint: undefined, uiLocales: [] });
  });
});

describe('the checks of an authorization request', () => {
  it.each<[string, Form, string]>([
    ['no client', { ...base, client_id: undefined }, 'invalid_request'],
    ['two clients', { ...base, client_id: ['printing-shop', 'album'] }, 'invalid_request'],
    ['an unknown client', { ...base, client_id: 'constructor' }, 'invalid_client'],
    ['another redirect URI', { ...base, redirect_uri: `${CALLBACK}/` }, 'invalid_request'],
    ['two redirect URIs', { ...base, redirect_uri: [CALLBACK, CALLBACK] }, 'invalid_request'],
    ['an overlong parameter', { ...base, state: 'a'.repeat(7000) }, 'invalid_request'],
  ])('a request with %s is an error page, without a redirect', async (_name, form, error) => {
    await expect(resolveRequest(form, rules, NOW)).rejects.toMatchObject({ error });
  });

  it.each<[string, Form, string]>([
    ['no response type', { ...base, response_type: undefined }, 'invalid_request'],
    ['an unknown response type', { ...base, response_type: 'constructor' }, 'unsupported_response_type'],
    ['an unknown resource', { ...base, resource: 'https://evil.example' }, 'invalid_target'],
    ['a plain challenge', { ...base, code_challenge: CHALLENGE }, 'invalid_request'],
    ['two scope parameters', { ...base, scope: ['a', 'b'] }, 'invalid_request'],
    [
      'a scope outside the resource',
      { ...base, scope: 'photos:write', resource: 'https://api.example' },
      'invalid_scope',
    ],
    ['contradicting prompts', { ...base, prompt: 'none login' }, 'invalid_request'],
  ])('a request with %s is an error for the client, with its state', async (_name, form, error) => {
    expect(await refused(form)).toMatchObject({
      error: { error },
      redirectUri: CALLBACK,
      responseMode: { responseMode: 'query' },
      state: 'a b',
    });
  });

  it.each([
    ['repeated', ['a', 'b']],
    ['malformed', 'a\0b'],
  ])('an error for the client has no state that is %s', async (_name, state) => {
    expect(await refused({ ...base, state })).toMatchObject({
      error: { error: 'invalid_request' },
      state: undefined,
    });
  });

  it('an error goes to the client in the mode of its response type (RFC 6749 §4.2.2.1)', async () => {
    expect(await refused({ ...base, response_type: 'token', scope: ['a', 'b'] })).toMatchObject({
      responseMode: { responseMode: 'fragment' },
    });
  });

  it('an authorization request of a public client needs a challenge (RFC 9700 §2.1.1)', async () => {
    const clientSource = { find: () => Promise.resolve({ ...client, type: 'public' as const }) };
    await expect(accepted(base, { clientSource })).rejects.toMatchObject({ error: 'invalid_request' });
    const forAll = settingsWith({ pkce: 'all', requireResource: false });
    await expect(accepted(base, { settings: forAll })).rejects.toMatchObject({ error: 'invalid_request' });
    const forNone = settingsWith({ pkce: 'optional', requireResource: false });
    expect((await accepted(base, { clientSource, settings: forNone })).codeChallenge).toBeUndefined();
  });
});

describe('the query of an authorization request', () => {
  it('the query of an authorization request is its parameters, unchanged', async () => {
    const text = 'client_id=printing-shop&response_type=code&unknown=1&unknown=2&state=%C3%A4+%2B';
    expect(serializeRequest(await accepted(parseForm(text)))).toBe(text);
  });

  it('the query of an authorization request loses its completed prompts', async () => {
    const request = await accepted({ ...base, prompt: 'login consent' });
    expect(parseForm(serializeRequest(request, ['login', 'select_account'])).prompt).toBe('consent');
    expect(parseForm(serializeRequest(request, ['login', 'consent'])).prompt).toBeUndefined();
    expect(parseForm(serializeRequest(request)).prompt).toBe('login consent');
  });

  it('an authorization request may be an id whose source has the parameters', async () => {
    const pushed: RequestSource = {
      matches: ({ request_uri: uri }) => uri === 'urn:example:1',
      read: (query) => ({
        parameters: { ...base, ...(query.completed === undefined && { prompt: 'login' }) },
        toQuery: (completed) => (completed.length > 0 ? { ...query, completed: 'yes' } : query),
      }),
    };
    const requestSources = [pushed];
    const request = await accepted({ request_uri: 'urn:example:1' }, { requestSources });
    expect(request.prompt).toEqual(new Set(['login']));
    const query = serializeRequest(request, ['login']);
    expect(query).toBe('request_uri=urn%3Aexample%3A1&completed=yes');
    expect((await accepted(parseForm(query), { requestSources })).prompt).toEqual(new Set());
    expect((await accepted(base, { requestSources })).redirectUri).toBe(CALLBACK);
  });
});
