import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Response } from 'supertest';

import { createUsers, localLogin } from '../../lib/index.js';
import { DEVICE_URI, type DocumentServer, openDocumentServer } from './client-documents.js';
import { openDatabase } from './database.js';
import { mergeOptions } from './merge-options.js';
import { openid } from './openid.js';
import { createPerson, hiddenFields, type Person, unescapeHtml } from './person.js';
import { almost } from './properties.js';
import { register } from './registration.js';
import { openSite, type Site, type SiteOptions } from './site.js';
import { createPkce, redeem } from './tokens.js';

export const REGISTERED = 'https://print.example/callback';
export const AFTER_LOGOUT = 'https://print.example/after?from=logout';
const EVIL = 'https://evil.example/';
export const KINDS = [
  'of the site',
  'trusted',
  'verified',
  'native',
  'of a person',
  'self-registered',
  'document',
  'pending',
  'blocked',
  'unknown',
] as const;
export type Kind = (typeof KINDS)[number];

/** Clients that the site has not verified. */
export const UNVERIFIED: readonly Kind[] = ['of a person', 'self-registered', 'document', 'pending'];

export interface Target {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Absent if this kind of client cannot sign anybody in. */
  readonly idToken?: string | undefined;
}

export interface World {
  readonly site: Site;
  readonly hasLinks: boolean;
  readonly ada: Person;
  readonly nobody: Person;
  readonly csrfToken: string;
  readonly targets: Readonly<Record<Kind, Target>>;
}

export const pkce = createPkce();
const seen = new Map<string, number>();
export const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

/** A property whose runs never reach its case proves nothing. */
export function expectReached(...what: readonly string[]): void {
  expect([...seen.keys()]).toEqual(expect.arrayContaining([...what]));
  seen.clear();
}

/** Two sites; one of them redirects to no unverified client without a click. */
export async function openWorlds(): Promise<{
  readonly worlds: readonly World[];
  readonly close: () => Promise<void>;
}> {
  const documents = await openDocumentServer();
  const database = await openDatabase();
  const users = createUsers(database.connection, { rounds: 4 });
  for (const username of ['ada', 'eve'])
    await users.create({ username, password: `password of ${username}`, name: username });
  const worlds = [
    await openWorld(documents, false, {
      database,
      // every client is trusted as a proxy
      before: (app) => app.set('trust proxy', true),
      mountLogin: (app, passport) =>
        void app.use(
          localLogin({
            passport: passport.unuse('local'),
            users,
          }),
        ),
    }),
    await openWorld(documents, true, {}),
  ];
  return {
    worlds,
    async close() {
      for (const { site } of worlds) await site.close();
      await database.close();
      await documents.close();
    },
  };
}

async function openWorld(documents: DocumentServer, hasLinks: boolean, options: SiteOptions): Promise<World> {
  const defaults: SiteOptions = {
    security: {
      rateLimits: false,
      // without it a request with a foreign Host is refused before anything is read
      dangerouslyAllowInsecureHttp: true,
    },
    pages: { linkToUnverifiedClients: hasLinks },
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    clientIdMetadataDocuments: { allowLoopback: true },
    registration: { open: true },
    people: { findByName: (text) => Promise.resolve({ id: text, name: text }) },
    applications: { isDeveloper: () => true },
    pushedRequests: true,
    openid: { ...openid, sessionManagement: true },
  };
  const site = await openSite(mergeOptions(defaults, options));
  const ada = await logIn(site);
  const form = await ada.agent.get('/oauth/end_session');
  const csrfToken = hiddenFields(form).csrf_token ?? '';
  return {
    site,
    hasLinks,
    ada,
    nobody: createPerson(site),
    csrfToken,
    targets: await targetsOf(site, ada, documents),
  };
}

export async function logIn(site: Site): Promise<Person> {
  const person = createPerson(site);
  const form = hiddenFields(await person.agent.get('/login'));
  const fields = { ...form, username: 'ada', password: 'password of ada' };
  await person.agent
    .post('/login')
    .type('form')
    .send(fields)
    .expect(({ status }) => expect(status).toBe(303));
  return person;
}

async function targetsOf(site: Site, ada: Person, documents: DocumentServer): Promise<World['targets']> {
  const uris = { redirectUris: [REGISTERED], postLogoutRedirectUris: [AFTER_LOGOUT] };
  const made = async (more: object) => {
    const client = await site.client({ type: 'public', ...uris, ...more });
    const [redirectUri = ''] = client.redirectUris;
    const requested = {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      ...pkce.challenge,
    };
    const { searchParams } = await ada.authorize({ client_id: client.clientId, ...requested });
    const proof = { redirect_uri: redirectUri, code_verifier: pkce.code_verifier };
    const { body } = await redeem(site, client, searchParams.get('code') ?? '', proof).expect(200);
    return { clientId: client.clientId, redirectUri, idToken: String(body.id_token) };
  };
  const { body } = await register(site, {
    client_name: 'Lamp Pictures',
    redirect_uris: [REGISTERED],
    post_logout_redirect_uris: [AFTER_LOGOUT],
    token_endpoint_auth_method: 'none',
  });
  const pending = await made({ ownerId: 'eve' });
  await site.database.update('oauth_clients', pending.clientId, {
    $set: { awaitsApprovalSince: new Date() },
  });
  const blocked = await made({});
  await site.oauth.clients.block(blocked.clientId);
  const documentId = documents.publish(`/${site.url.split(':').at(-1)}.json`);
  return {
    'of the site': await made({}),
    trusted: await made({ trusted: true }),
    verified: await made({ ownerId: 'eve', verified: true }),
    native: await made({ redirectUris: ['http://127.0.0.1/callback'] }),
    'of a person': await made({ ownerId: 'eve' }),
    'self-registered': { clientId: String(body.client_id), redirectUri: REGISTERED },
    document: { clientId: documentId, redirectUri: DEVICE_URI },
    pending,
    blocked,
    unknown: { clientId: 'nobody', redirectUri: REGISTERED },
  };
}

/** The destination of a response: by itself, or by a click on a link with the client's name. */
interface Lead {
  readonly by: 'itself' | 'link';
  readonly to: string;
}

const BY_ITSELF = [/<form id="form-post" method="post" action="([^"]*)"/g, /<iframe src="([^"]*)"/g];
const BY_LINK = [
  /id="(?:error-client|end-session-back)" href="([^"]*)"/g,
  /<form method="post" action="(https?:[^"]*)"/g,
];

export function leadsOf({ headers, text = '' }: Response): readonly Lead[] {
  const { location, refresh } = headers as { location?: string; refresh?: string };
  const found = (patterns: readonly RegExp[]) =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, to = '']) => unescapeHtml(to)));
  const itself = [location, refresh?.replace(/^\d+;url=/, '')].filter((to) => to !== undefined);
  return [
    ...[...itself, ...found(BY_ITSELF)].map((to) => ({ by: 'itself' as const, to })),
    ...found(BY_LINK).map((to) => ({ by: 'link' as const, to })),
  ];
}

/** As a browser reads it on a page of the site. */
export const isOnSite = ({ url }: Site, to: string): boolean =>
  URL.canParse(to, `${url}/oauth/page`) && new URL(to, `${url}/oauth/page`).origin === url;

const ANSWERED =
  /^(code|state|iss|error|error_description|error_uri|session_state|access_token|token_type|expires_in|scope|id_token)$/;

/** Whether an address is the registered one, character by character, with nothing but parameters of a response. */
function isExactly(registered: string, to: string): boolean {
  // RFC 8252 §7.3: any port on loopback, also where a port is registered
  const withoutPort = (uri: string) => uri.replace(/^(http:\/\/127\.0\.0\.1):\d+\//, '$1/');
  const isNative = withoutPort(registered).startsWith('http://127.0.0.1/');
  const [expected, address] = isNative ? [withoutPort(registered), withoutPort(to)] : [registered, to];
  if (!address.startsWith(expected)) return false;
  const rest = address.slice(expected.length);
  return (
    /^([?&#]|$)/.test(rest) &&
    [...new URLSearchParams(rest.replace('#', '&').slice(1)).keys()].every((name) => ANSWERED.test(name))
  );
}

/** The facts that decide about a redirect. */
export interface Circumstances {
  readonly kind: Kind;
  readonly registered: string;
  /** Whether the redirect is allowed for a client that the site knows. */
  readonly isDue: boolean;
  /** Whether the user has clicked on a page with the client's name. */
  readonly isAllowed: boolean;
}

export function expectLeads(
  { site, hasLinks }: World,
  response: Response,
  circumstances: Circumstances,
): void {
  const { kind, registered, isDue, isAllowed } = circumstances;
  expect(response.status).toBeLessThan(500);
  for (const { by, to } of leadsOf(response)) {
    if (isOnSite(site, to)) {
      count('to this site');
      continue;
    }
    const where = `${by} to ${to} of the client ${kind}, ${JSON.stringify(circumstances)}`;
    if (!isExactly(registered, to)) throw new Error(`to an address that is not registered: ${where}`);
    if (kind === 'blocked' || kind === 'unknown') throw new Error(`to a client that gets nobody: ${where}`);
    count(`by ${by}, ${UNVERIFIED.includes(kind) ? 'unverified' : 'vouched for'}`);
    if (by === 'link') continue;
    if (!isDue) throw new Error(`before the person was asked: ${where}`);
    if (UNVERIFIED.includes(kind) && !isAllowed && hasLinks) throw new Error(`without a click: ${where}`);
  }
}

const SPOOFED: readonly Readonly<Record<string, string>>[] = [
  {},
  { Host: 'evil.example' },
  { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
  { 'X-Forwarded-Proto': 'javascript' },
  { 'X-Forwarded-Prefix': '//evil.example' },
  { Forwarded: 'for=1.2.3.4;host=evil.example;proto=https' },
  { 'X-Original-URL': '//evil.example/', 'X-Rewrite-URL': '//evil.example/' },
  { Referer: EVIL, Origin: 'https://evil.example' },
];

export const spoofed = () => fc.constantFrom(...SPOOFED);

/** Addresses of an attacker who wants a browser to leave the site. */
export const elsewhere = (right: string): fc.Arbitrary<string> => {
  const { host, origin, pathname } = new URL(right);
  return fc.oneof(
    almost(right),
    fc.constantFrom(
      EVIL,
      '//evil.example/',
      '/\\evil.example/',
      '\\\\evil.example/',
      '/\t/evil.example/',
      'https:evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      `${right}/`,
      `${right}?x=y`,
      `${right}#x`,
      `${right}/../evil`,
      `${right}%2f..%2fevil`,
      right.toUpperCase(),
      right.replace('https:', 'http:'),
      `${origin}.evil.example${pathname}`,
      `${origin}.${pathname}`,
      `${origin}@evil.example${pathname}`,
      `${origin}\\@evil.example${pathname}`,
      `https://evil.example\\@${host}${pathname}`,
      `https://evil.example#@${host}${pathname}`,
      `${origin}:8443${pathname}`,
      'http://127.0.0.1:6666/callback',
      'http://127.0.0.1:6666/other',
      'http://127.0.0.1.evil.example/callback',
      'http://localhost:6666/callback',
      REGISTERED,
      AFTER_LOGOUT,
      DEVICE_URI,
    ),
  );
};
/** The registered address as often as another one. */
export const address = (right: string): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(right) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: elsewhere(right) },
  );
export const mostly = <Value>(right: Value, ...wrong: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

export const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
