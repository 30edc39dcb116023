import { beforeAll, expect, test } from '@jest/globals';

import { clientIdIn, registerApplication, secretIn } from '../support/applications.js';
import { runCli } from '../support/cli.js';
import { openDocumentServer } from '../support/client-documents.js';
import { fill, migrate, NAMES, oldClient } from '../support/migration.js';
import { codeQuery, logInPerson, pageAfter } from '../support/person.js';
import { register } from '../support/registration.js';
import { fixture, siteFor } from '../support/site-for.js';

/** Each way to make a client accepts and refuses the same values as code; each difference has its reason here. */
interface Fields {
  readonly name: string;
  readonly redirectUri: string;
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
  readonly logoUri?: string;
  readonly tokenEndpointAuthMethod?: string;
}
/** `changed`: the client was made without the value, or with another one. */
type Outcome = 'taken' | 'changed' | 'refused';

const HOST = 'https://print.example';
const DEFAULTS: Fields = {
  name: 'Frames',
  redirectUri: `${HOST}/callback`,
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['photos:read'],
};
const VALUES: Readonly<Record<string, Partial<Fields>>> = {
  'a redirect URI with a query': { redirectUri: `${HOST}/other?x=1` },
  'a redirect URI on loopback': { redirectUri: 'http://127.0.0.1:7777/cb' },
  'a redirect URI on a name of loopback': { redirectUri: 'http://app.localhost:3000/cb' },
  'a private-use scheme': { redirectUri: 'com.example.app:/cb' },
  'a private-use scheme without a dot': { redirectUri: 'myapp://cb' },
  'a redirect URI by http:': { redirectUri: 'http://print.example/cb' },
  'a redirect URI with a fragment': { redirectUri: `${HOST}/cb#x` },
  'a redirect URI with a password': { redirectUri: 'https://user:pw@print.example/cb' },
  'a redirect URI with a wildcard': { redirectUri: 'https://*.print.example/cb' },
  'a redirect URI of a script': { redirectUri: 'javascript:alert(1)' },
  'a relative redirect URI': { redirectUri: '/cb' },
  'a redirect URI with a space': { redirectUri: `${HOST}/a b` },
  'a redirect URI that is too long': { redirectUri: `${HOST}/${'x'.repeat(3000)}` },
  'a name in another script': { name: 'Fotodrücker 写真' },
  'an empty name': { name: ' ' },
  'a name that is too long': { name: 'x'.repeat(300) },
  'a name with a control character': { name: 'a\u0007b' },
  'a name that turns the reading direction': { name: 'a\u202eb' },
  'a name that speaks for the site': { name: 'Official App' },
  'a name with a picture': { name: 'Prints ✓' },
  'a logo by https:': { logoUri: `${HOST}/logo.png` },
  'a logo by http:': { logoUri: 'http://print.example/logo.png' },
  'a logo that is data': { logoUri: 'data:image/png;base64,AAAA' },
  'a relative logo': { logoUri: '/logo.png' },
  'a grant type without a user': { grantTypes: ['authorization_code', 'client_credentials'] },
  'a grant type of a feature that is off': {
    grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
  },
  'a grant type that nobody has': { grantTypes: ['authorization_code', 'nonsense'] },
  'refresh tokens alone': { grantTypes: ['refresh_token'] },
  'a scope of a feature that is off': { scopes: ['photos:read', 'openid'] },
  'a scope that nobody has': { scopes: ['photos:read', 'nonsense'] },
  'a scope that is none': { scopes: ['photos:read', 'a"b'] },
  'the secret in the body': { tokenEndpointAuthMethod: 'client_secret_post' },
  'an authentication method of a feature that is off': { tokenEndpointAuthMethod: 'tls_client_auth' },
  'an authentication method that nobody has': { tokenEndpointAuthMethod: 'nonsense' },
};

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  security: { rateLimits: false },
  registration: { open: true },
  clientIdMetadataDocuments: { allowLoopback: true },
});
const ada = fixture(() => logInPerson(site));
const documents = fixture(() => openDocumentServer());

const fieldsOf = (value: Partial<Fields>): Fields => ({ ...DEFAULTS, ...value });
const wireOf = ({ name, redirectUri, grantTypes, scopes, logoUri, tokenEndpointAuthMethod }: Fields) => ({
  client_name: name,
  redirect_uris: [redirectUri],
  grant_types: grantTypes,
  scope: scopes.join(' '),
  logo_uri: logoUri,
  token_endpoint_auth_method: tokenEndpointAuthMethod,
});
/** Whether the client has the value; undefined: there is no such client. */
async function outcomeOf(
  clientId: string | undefined,
  value: Partial<Fields>,
  more: object = {},
): Promise<Outcome> {
  const client = clientId === undefined ? null : await site.oauth.clients.find(clientId);
  if (client === null) return 'refused';
  const { redirectUri, ...others } = value;
  const desired = { ...others, ...(redirectUri !== undefined && { redirectUris: [redirectUri] }) };
  const stored: Readonly<Record<string, unknown>> = { ...client, ...more };
  const isSame = ([name, field]: [string, unknown]) => JSON.stringify(stored[name]) === JSON.stringify(field);
  return Object.entries(desired).every(isSame) ? 'taken' : 'changed';
}

type Make = (fields: Fields, value: Partial<Fields>, title: string) => Promise<Outcome>;
const create: Make = async ({ redirectUri, ...fields }, value) => {
  const metadata = { ...fields, redirectUris: [redirectUri] } as never;
  const made = await site.oauth.clients.create(metadata).catch(() => undefined);
  return outcomeOf(made?.clientId, value);
};

const WAYS: Readonly<Record<string, Make>> = {
  async registration(fields, value) {
    const { client_id: clientId, logo_uri: logoUri } = (await register(site, wireOf(fields))).body;
    // such a client shows its logo among its data
    return outcomeOf(clientId, value, { logoUri });
  },
  async 'a document'(fields, _value, title) {
    const own = documents.url('');
    const { scopes, redirectUri, ...others } = {
      ...fields,
      redirectUri: fields.redirectUri.replace(HOST, own),
    };
    const document = {
      ...wireOf({ ...others, redirectUri, scopes }),
      token_endpoint_auth_method: fields.tokenEndpointAuthMethod ?? 'none',
    };
    const clientId = documents.publish(`/${encodeURIComponent(title)}.json`, document);
    const requested = {
      redirect_uri: redirectUri,
      scope: 'photos:read',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    };
    return (await ada.openAuthorize(codeQuery(clientId, requested))).status === 200 ? 'taken' : 'refused';
  },
  async 'the page of applications'({ name, redirectUri, grantTypes, scopes, logoUri = '' }, value) {
    const sent = await registerApplication(ada.agent, {
      name,
      redirect_uris: redirectUri,
      scope: scopes,
      grant_type: grantTypes,
      logo_uri: logoUri,
    });
    const page = await pageAfter(ada.agent, sent);
    return outcomeOf(secretIn(page) === undefined ? undefined : clientIdIn(page), value);
  },
  async 'the command line'(
    { name, redirectUri, grantTypes, scopes, logoUri, tokenEndpointAuthMethod: method },
    value,
  ) {
    const others = [
      ...(logoUri === undefined ? [] : ['--logo-uri', logoUri]),
      ...(method === undefined ? [] : ['--token-endpoint-auth-method', method]),
    ];
    const lists = ['--grant-types', grantTypes.join(','), '--scopes', scopes.join(',')];
    const { stdout } = await runCli(
      ['clients', 'create', '--name', name, '--redirect-uri', redirectUri, ...lists, ...others, '--json'],
      { uri: site.database.uri },
    );
    return outcomeOf(/"clientId": "([^"]+)"/.exec(stdout)?.[1], value);
  },
  async migrate({ name, redirectUri, grantTypes, scopes }, value, title) {
    const old = {
      _id: title,
      clientId: title.replaceAll(/\W+/g, '-'),
      redirectUris: [redirectUri],
      grants: grantTypes,
    };
    await site.database.collection(NAMES.clients).deleteMany({});
    await fill(site, NAMES.clients, [oldClient({ ...old, name, scopes })]);
    await migrate(site, 'node-oauth');
    return outcomeOf(old.clientId, value);
  },
};

/** The differences of each way from code, and why. */
const DIFFERENCES: Readonly<Record<string, readonly (readonly [Outcome, readonly string[], string])[]>> = {
  registration: [
    [
      'refused',
      ['a private-use scheme without a dot'],
      'RFC 8252 §7.1: any app can claim one; the site names those it knows',
    ],
    [
      'changed',
      [
        'an empty name',
        'a name that is too long',
        'a name with a picture',
        'a logo by http:',
        'a logo that is data',
        'a relative logo',
        'a grant type without a user',
        'a grant type of a feature that is off',
        'a grant type that nobody has',
        'a scope of a feature that is off',
        'a scope that nobody has',
        'a scope that is none',
      ],
      'RFC 7591 §3.2.1: the server may reject or replace values, and the response says which; programs cannot correct them',
    ],
  ],
  'a document': [
    ['refused', ['a private-use scheme without a dot'], 'as for registration'],
    [
      'refused',
      ['the secret in the body'],
      'OAuth Client ID Metadata Document §4.1: no method with a shared secret',
    ],
    [
      'taken',
      [
        'an empty name',
        'a name that is too long',
        'a name with a control character',
        'a name that turns the reading direction',
        'a name that speaks for the site',
        'a name with a picture',
        'a logo by http:',
        'a logo that is data',
        'a relative logo',
        'a grant type of a feature that is off',
        'a grant type that nobody has',
        'a scope of a feature that is off',
        'a scope that nobody has',
        'a scope that is none',
      ],
      'one document is for all servers: the consent page has the host in place of such a name, and the rest is left out',
    ],
  ],
  'the page of applications': [
    ['refused', ['a private-use scheme without a dot'], 'as for registration'],
    ['refused', ['a grant type without a user'], 'applications.grantTypes has only those that ask a user'],
    [
      'changed',
      [
        'the secret in the body',
        'an authentication method of a feature that is off',
        'an authentication method that nobody has',
      ],
      'the form does not have the field: a client with a secret may send it either way',
    ],
  ],
  'the command line': [
    [
      'taken',
      [
        'a grant type of a feature that is off',
        'a scope of a feature that is off',
        'a scope that nobody has',
      ],
      'it knows the database and not the options of the site',
    ],
  ],
  migrate: [
    [
      'refused',
      ['a private-use scheme without a dot'],
      'as for registration: a stranger may have registered the client',
    ],
    [
      'changed',
      [
        'an empty name',
        'a name that is too long',
        'a name with a control character',
        'a name that turns the reading direction',
        'a grant type that nobody has',
      ],
      'a client that works goes on, and the report says what it lacks',
    ],
    [
      'changed',
      [
        'a logo by https:',
        'a logo by http:',
        'a logo that is data',
        'a relative logo',
        'the secret in the body',
        'an authentication method of a feature that is off',
        'an authentication method that nobody has',
      ],
      'clients of node-oauth have no such field',
    ],
    [
      'taken',
      [
        'a grant type of a feature that is off',
        'a scope of a feature that is off',
        'a scope that nobody has',
      ],
      'as for the command line; with --issuer it knows them',
    ],
  ],
};

const byCode = new Map<string, Outcome>();
beforeAll(async () => {
  for (const [title, value] of Object.entries(VALUES))
    byCode.set(title, await create(fieldsOf(value), value, title));
});

test.each(Object.entries(WAYS))(
  '%s accepts and refuses the same values as code, but for listed differences',
  async (way, make) => {
    const found: Record<string, Outcome> = {};
    for (const [title, value] of Object.entries(VALUES)) {
      const outcome = await make(fieldsOf(value), value, title);
      if (outcome !== byCode.get(title)) found[title] = outcome;
    }
    const expected = (DIFFERENCES[way] ?? []).flatMap(([outcome, titles]) =>
      titles.map((title) => [title, outcome]),
    );
    expect(found).toEqual(Object.fromEntries(expected));
  },
  120_000,
);

test('clients.create accepts exactly the listed values', () => {
  expect([...byCode].filter(([, outcome]) => outcome === 'taken').map(([title]) => title)).toEqual([
    'a redirect URI with a query',
    'a redirect URI on loopback',
    'a redirect URI on a name of loopback',
    'a private-use scheme',
    'a private-use scheme without a dot',
    'a name in another script',
    'a logo by https:',
    'a grant type without a user',
    'the secret in the body',
  ]);
});
