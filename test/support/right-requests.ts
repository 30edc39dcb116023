import { createHash } from 'node:crypto';
import type { Server } from 'node:http';

import { DEVICE_CODE, deviceClient, PAGE as DEVICE_PAGE, startDevice } from './device.js';
import type { Outcome } from './outcomes.js';
import { type RawRequest, type RawResponse, sendRaw } from './raw-http.js';
import { REDIRECT_URI, type Site } from './site.js';
import { basic, createPkce, obtainCode, obtainTokens } from './tokens.js';

export type Field = readonly [name: string, value: string];

/** A valid request, for tests that break it in one place. */
export interface RightRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: readonly Field[];
  /** In the query of GET, in the body of POST. */
  readonly fields: readonly Field[];
}

/** One endpoint as an attacker sees it. */
export interface Endpoint {
  readonly name: string;
  /** Fields without which a request is refused. */
  readonly required: readonly string[];
  /** Fields that may occur only once. */
  readonly single: readonly string[];
  /** The outcome of a valid request. */
  readonly outcome: Outcome;
  /** Makes a new one, after all earlier grants are deleted. */
  create(): Promise<RightRequest>;
  /** Makes one more, and keeps the existing ones. */
  createMore(): Promise<RightRequest>;
}

export const FORM = 'application/x-www-form-urlencoded';

/** Options of a site with all of the endpoints. */
export const EVERY_GRANT = {
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password', DEVICE_CODE],
  security: { rateLimits: false },
  lifetimes: { authorizationCode: 600 },
} as const;

/** Half a surrogate pair, which generated text may contain, cannot be written in UTF-8. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));

export function encodeFields(fields: readonly Field[]): string {
  return fields.map((field) => field.map(encode).join('=')).join('&');
}

export function toRaw(
  { method, path, headers, fields }: RightRequest,
  form = encodeFields(fields),
): RawRequest {
  if (method === 'GET') return { method, target: form === '' ? path : `${path}?${form}`, headers };
  return { method, target: path, headers: [...headers, ['Content-Type', FORM]], body: form };
}

/** The page of a form, which also shows its errors. */
const IS_FORM =
  /^\/oauth\/(authorize\?|applications\/(new|[^/?]+\/(edit|delete))(\?|$)|device(\/request)?(\?|$))/;

/** Sends a request; follows an answer to the GET of a form or an authorization request, with the same cookies. */
export async function sendAndFollow(server: Server, request: RawRequest): Promise<RawResponse> {
  const response = await sendRaw(server, request);
  const [target = ''] = response.headers.location ?? [];
  if (response.status !== 303 || !IS_FORM.test(target)) return response;
  if (request.method !== 'POST') throw new Error(`a ${String(request.method)} is answered by ${target}`);
  const headers = (request.headers ?? []).filter(([name]) => name.toLowerCase() === 'cookie');
  return sendRaw(server, { target, headers });
}

/** The cookie of a logged-in user. */
export async function logIn(site: Site, name = 'ada'): Promise<Field> {
  const response = await sendRaw(
    site.server,
    toRaw({
      method: 'POST',
      path: '/login',
      headers: [],
      fields: [
        ['username', name],
        ['password', `password of ${name}`],
      ],
    }),
  );
  const [cookie = ''] = response.headers['set-cookie'] ?? [];
  return ['Cookie', cookie.split(';')[0] ?? ''];
}

function hiddenField(page: RawResponse, name: string): string {
  const [, value = ''] =
    new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(page.body) ?? [];
  if (value === '') throw new Error(`no field ${name} in ${page.status} ${page.body.slice(0, 500)}`);
  return value.replaceAll('&amp;', '&');
}

const { code_verifier: VERIFIER } = createPkce();
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const AUTHORIZATION_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

type BareEndpoint = Omit<Endpoint, 'createMore'>;

/** Every endpoint and page that takes input from outside, with a valid request to each. */
export async function openEndpoints(site: Site): Promise<readonly Endpoint[]> {
  const cookie = await logIn(site);
  const endpoints: readonly BareEndpoint[] = [
    ...(await authorizeEndpoints(site, cookie)),
    ...(await tokenEndpoints(site)),
    ...(await tokenManagementEndpoints(site)),
    ...applicationsEndpoints(site, cookie),
    authorizationsEndpoint(site, cookie),
    ...(await deviceEndpoints(site, cookie)),
    guardedRoute(site),
  ];
  return endpoints.map((endpoint) => ({
    ...endpoint,
    createMore: () => endpoint.create(),
    async create() {
      await forget(site);
      return endpoint.create();
    },
  }));
}

/** Resets everything: no grants, no consents, no applications of the user. */
async function forget({ database: { connection } }: Site): Promise<void> {
  await connection.collection('oauth_grants').deleteMany({});
  await connection.collection('oauth_consents').deleteMany({});
  await connection.collection('oauth_clients').deleteMany({ ownerId: 'ada' });
}

async function authorizeEndpoints(site: Site, cookie: Field): Promise<readonly BareEndpoint[]> {
  const path = '/oauth/authorize';
  const client = await site.client();
  const fields: readonly Field[] = [
    ['response_type', 'code'],
    ['client_id', client.clientId],
    ['redirect_uri', REDIRECT_URI],
    ['scope', 'photos:read profile'],
    ['state', 'xyz'],
    ['code_challenge', CHALLENGE],
    ['code_challenge_method', 'S256'],
  ];
  const create = (method: 'GET' | 'POST', headers: readonly Field[]) => (): Promise<RightRequest> =>
    Promise.resolve({ method, path, headers, fields });
  const request = {
    required: ['response_type', 'client_id'],
    single: AUTHORIZATION_PARAMETERS,
    outcome: 'accepted',
  } as const;
  return [
    {
      name: 'authorize by GET, nobody logged in',
      ...request,
      outcome: 'sent to the login',
      create: create('GET', []),
    },
    { name: 'authorize by GET', ...request, create: create('GET', [cookie]) },
    { name: 'authorize by POST', ...request, create: create('POST', [cookie]) },
    {
      name: 'the consent form',
      required: ['authorization_request', 'shown', 'csrf_token', 'decision', 'granted_scope'],
      single: ['authorization_request', 'shown', 'csrf_token', 'decision'],
      outcome: 'accepted',
      async create() {
        const page = await sendRaw(site.server, toRaw(await create('GET', [cookie])()));
        const hidden = ['csrf_token', 'shown', 'authorization_request'].map((name): Field => [
          name,
          hiddenField(page, name),
        ]);
        return {
          method: 'POST',
          path,
          headers: [cookie],
          fields: [...hidden, ['granted_scope', 'photos:read'], ['decision', 'allow']],
        };
      },
    },
  ];
}

async function tokenEndpoints(site: Site): Promise<readonly BareEndpoint[]> {
  const path = '/oauth/token';
  const client = await site.client();
  const headers: readonly Field[] = [['Authorization', basic(client.clientId, client.clientSecret ?? '')]];
  const inHeader = (
    name: string,
    required: readonly string[],
    fields: () => Promise<readonly Field[]>,
  ): BareEndpoint => ({
    name: `token: ${name}`,
    required: ['grant_type', ...required],
    single: ['grant_type', 'scope', 'client_id', 'client_secret', ...required],
    outcome: 'accepted',
    create: async () => ({
      method: 'POST',
      path,
      headers,
      fields: [['grant_type', name], ...(await fields())],
    }),
  });
  return [
    inHeader('authorization_code', ['code', 'redirect_uri', 'code_verifier'], async () => {
      const code = await obtainCode(site, client, {
        query: { code_challenge: CHALLENGE, code_challenge_method: 'S256' },
      });
      return [
        ['code', code],
        ['redirect_uri', REDIRECT_URI],
        ['code_verifier', VERIFIER],
      ];
    }),
    inHeader('refresh_token', ['refresh_token'], async () => [
      ['refresh_token', (await obtainTokens(site, client)).refresh_token],
      ['scope', 'profile'],
    ]),
    inHeader('password', ['username', 'password'], () =>
      Promise.resolve([
        ['username', 'ada'],
        ['password', 'password of ada'],
        ['scope', 'profile'],
      ]),
    ),
    {
      name: 'token: client_credentials, with the secret in the body',
      required: ['grant_type', 'client_id', 'client_secret'],
      single: ['grant_type', 'client_id', 'client_secret', 'scope'],
      outcome: 'accepted',
      create: () =>
        Promise.resolve({
          method: 'POST',
          path,
          headers: [],
          fields: [
            ['grant_type', 'client_credentials'],
            ['client_id', client.clientId],
            ['client_secret', client.clientSecret ?? ''],
            ['scope', 'profile'],
          ],
        }),
    },
  ];
}

async function tokenManagementEndpoints(site: Site): Promise<readonly BareEndpoint[]> {
  const client = await site.client({ introspection: true });
  const endpoint = (name: string): BareEndpoint => ({
    name: `token: ${name}`,
    required: ['token'],
    single: ['token', 'token_type_hint', 'client_id', 'client_secret'],
    outcome: 'accepted',
    async create() {
      const { refresh_token: token } = await obtainTokens(site, client);
      return {
        method: 'POST',
        path: `/oauth/${name}`,
        headers: [['Authorization', basic(client.clientId, client.clientSecret ?? '')]],
        fields: [
          ['token', token],
          ['token_type_hint', 'refresh_token'],
        ],
      };
    },
  });
  return [endpoint('revoke'), endpoint('introspect')];
}

function guardedRoute(site: Site): BareEndpoint {
  return {
    name: 'a guarded route',
    required: [],
    single: [],
    outcome: 'accepted',
    async create() {
      const { access_token: token } = await obtainTokens(site, await site.client({ ownerId: 'ada' }));
      return {
        method: 'GET',
        path: '/api/photos',
        headers: [['Authorization', `Bearer ${token}`]],
        fields: [],
      };
    },
  };
}

function applicationsEndpoints(site: Site, cookie: Field): readonly BareEndpoint[] {
  const root = '/oauth/applications';
  const get = (path: string) => sendRaw(site.server, { target: path, headers: [cookie] });
  const form: readonly Field[] = [
    ['name', 'Printing shop'],
    ['type', 'confidential'],
    ['redirect_uris', REDIRECT_URI],
    ['scope', 'photos:read'],
    ['grant_type', 'authorization_code'],
  ];
  const csrf = async (path: string): Promise<Field> => [
    'csrf_token',
    hiddenField(await get(path), 'csrf_token'),
  ];
  const owned = async () => `${root}/${(await site.client({ ownerId: 'ada' })).clientId}`;
  const post = (path: string, fields: readonly Field[]): RightRequest => ({
    method: 'POST',
    path,
    headers: [cookie],
    fields,
  });
  const single = ['csrf_token', 'submission', 'name', 'type', 'redirect_uris', 'secret_of', 'confirmation'];
  return [
    {
      name: 'applications: register',
      required: ['csrf_token', 'submission', 'name', 'type', 'redirect_uris', 'grant_type'],
      single,
      outcome: 'accepted',
      async create() {
        const page = await get(`${root}/new`);
        return post(root, [
          ['csrf_token', hiddenField(page, 'csrf_token')],
          ['submission', hiddenField(page, 'submission')],
          ...form,
        ]);
      },
    },
    {
      name: 'applications: edit',
      required: ['csrf_token', 'name', 'redirect_uris', 'grant_type'],
      single,
      outcome: 'accepted',
      async create() {
        const path = `${await owned()}/edit`;
        return post(path, [await csrf(path), ...form]);
      },
    },
    {
      name: 'applications: rotate the secret',
      required: ['csrf_token'],
      single,
      outcome: 'accepted',
      async create() {
        const path = await owned();
        return post(`${path}/rotate-secret`, [
          await csrf(path),
          ['secret_of', hiddenField(await get(path), 'secret_of')],
        ]);
      },
    },
    {
      name: 'applications: delete',
      required: ['csrf_token', 'confirmation'],
      single,
      outcome: 'accepted',
      async create() {
        const application = await owned();
        const path = `${application}/delete`;
        return post(path, [await csrf(path), ['confirmation', application.split('/').at(-1) ?? '']]);
      },
    },
  ];
}

/** Does not revoke everything, which would end the grants of the other requests. */
function authorizationsEndpoint(site: Site, cookie: Field): BareEndpoint {
  const root = '/oauth/authorizations';
  return {
    name: 'authorizations: revoke',
    required: ['csrf_token'],
    // a disconnection of an unknown client has no effect
    single: ['csrf_token'],
    outcome: 'accepted',
    async create() {
      const client = await site.client({ ownerId: 'ada' });
      await obtainTokens(site, client);
      const page = await sendRaw(site.server, { target: root, headers: [cookie] });
      return {
        method: 'POST',
        path: `${root}/revoke`,
        headers: [cookie],
        fields: [
          ['csrf_token', hiddenField(page, 'csrf_token')],
          ['client_id', client.clientId],
        ],
      };
    },
  };
}

/** The device endpoints, if the site has them. */
async function deviceEndpoints(site: Site, cookie: Field): Promise<readonly BareEndpoint[]> {
  if (site.oauth.endpoints.device === undefined) return [];
  const client = await deviceClient(site, { type: 'confidential' });
  const credentials: readonly Field[] = [
    ['client_id', client.clientId],
    ['client_secret', client.clientSecret ?? ''],
  ];
  const post = (path: string, fields: readonly Field[], headers: readonly Field[] = []): RightRequest => ({
    method: 'POST',
    path,
    headers,
    fields,
  });
  const formOf = async (userCode: string, more: readonly Field[] = []): Promise<RightRequest> => {
    const page = await sendRaw(site.server, { target: DEVICE_PAGE, headers: [cookie] });
    return post(
      DEVICE_PAGE,
      [['csrf_token', hiddenField(page, 'csrf_token')], ['user_code', userCode], ...more],
      [cookie],
    );
  };
  const decisionOn = async (userCode: string): Promise<RightRequest> => {
    await sendRaw(site.server, toRaw(await formOf(userCode)));
    const target = `${DEVICE_PAGE}/request?user_code=${userCode}`;
    const page = await sendRaw(site.server, { target, headers: [cookie] });
    return formOf(userCode, [
      ['shown', hiddenField(page, 'shown')],
      ['granted_scope', 'photos:read'],
      ['decision', 'allow'],
    ]);
  };
  return [
    {
      name: 'token: device authorization, with the secret in the body',
      required: ['client_id', 'client_secret'],
      single: ['client_id', 'client_secret', 'scope'],
      outcome: 'accepted',
      create: () =>
        Promise.resolve(post('/oauth/device_authorization', [...credentials, ['scope', 'profile']])),
    },
    {
      name: 'token: device code, with the secret in the body',
      required: ['grant_type', 'device_code', 'client_id', 'client_secret'],
      single: ['grant_type', 'device_code', 'client_id', 'client_secret'],
      outcome: 'accepted',
      async create() {
        const device = await startDevice(site, client);
        await sendRaw(site.server, toRaw(await decisionOn(device.user_code)));
        return post('/oauth/token', [
          ['grant_type', DEVICE_CODE],
          ['device_code', device.device_code],
          ...credentials,
        ]);
      },
    },
    {
      name: 'device: code',
      required: ['csrf_token'],
      // in the code itself characters outside its alphabet are ignored (RFC 8628 §6.1)
      single: ['csrf_token'],
      outcome: 'accepted',
      create: async () => formOf((await startDevice(site, client)).user_code),
    },
    {
      name: 'device: decision',
      required: ['csrf_token', 'shown'],
      single: ['csrf_token', 'shown'],
      outcome: 'accepted',
      create: async () => decisionOn((await startDevice(site, client)).user_code),
    },
  ];
}

/** All stored documents, as text: a refused request must not change it. */
export async function storedText({ database }: Pick<Site, 'database'>): Promise<string> {
  const names = ['oauth_clients', 'oauth_grants', 'oauth_consents', 'oauth_users', 'oauth_user_codes'];
  return JSON.stringify(
    await Promise.all(names.map((name) => database.collection(name).find().sort({ _id: 1 }).toArray())),
  );
}
