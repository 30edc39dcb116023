import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { Client } from '../../lib/core/clients/client.js';
import type { NewClient } from '../../lib/index.js';
import { withClientLogos } from '../../lib/pages/consent/client-logos.js';
import { UNLIMITED } from '../../lib/shared/outbound/limit-untrusted-fetch.js';
import { runCli } from '../support/cli.js';
import { openDocumentServer } from '../support/client-documents.js';
import { codeQuery, hiddenFields, logInPerson, postForm } from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { until } from '../support/until.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const DAY = 86_400_000;

let count = 0;
const site = siteFor({
  security: { rateLimits: false },
  registration: { open: true },
  clientIdMetadataDocuments: { allowLoopback: true },
  clientAuthentication: { allowPrivateAddresses: true },
});
const host = fixture(() => openDocumentServer());
const ada = fixture(() => logInPerson(site));

type Answer = readonly [body: string | Buffer, type: string, status?: number];
/** The address of a picture at the server of the client, which is the host of its redirect URI. */
function publishLogo([body, type, status = 200]: Answer = [PNG, 'image/png']): string {
  return host.answer(`/logo-${(count += 1)}`, (_req, res) =>
    res.writeHead(status, { 'content-type': type, location: '/logo-1' }).end(body),
  );
}
const callback = () => host.url('/callback');
const fetches = (logoUri: string) =>
  host.requests.filter((path) => path === new URL(logoUri).pathname).length;
const clientWith = (logoUri: string, more: Partial<NewClient> = {}) =>
  site.client({ redirectUris: [callback()], logoUri, ...more });
const stored = (clientId: string) =>
  site.database
    .collection<{ _id: string; url: string; type?: string; expiresAt: Date }>('oauth_client_logos')
    .findOne({ _id: clientId });
const isFetched = (clientId: string, url: string) => until(async () => (await stored(clientId))?.url === url);
/** The address of the logo on the consent page, which is not opened. */
async function logoOn(clientId: string): Promise<string> {
  const { headers, text } = await ada.openAuthorize(
    codeQuery(clientId, {
      redirect_uri: callback(),
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }),
  );
  expect(headers['content-security-policy']).toContain("img-src 'self';");
  return (/<img src="([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
}
const get = (path: string) => request(site.server).get(path);

/** Every way in which a client can have a logo; resolves to its id. */
const WAYS: Readonly<Record<string, (logoUri: string) => Promise<string>>> = {
  'clients.create': async (logoUri) => (await clientWith(logoUri)).clientId,
  async 'clients.update'(logoUri) {
    const { clientId } = await clientWith(publishLogo());
    await site.oauth.clients.update(clientId, { logoUri });
    return clientId;
  },
  async 'the page of an application'(logoUri) {
    const { clientId } = await site.client({ redirectUris: [callback()], ownerId: 'ada' });
    const edit = `/oauth/applications/${clientId}/edit`;
    await postForm(ada.agent, edit, {
      ...hiddenFields(await ada.agent.get(edit)),
      name: 'Prints',
      redirect_uris: callback(),
      scope: 'photos:read',
      grant_type: 'authorization_code',
      logo_uri: logoUri,
    }).expect(303);
    return clientId;
  },
  async 'a registration'(logoUri) {
    const metadata = { ...METADATA, redirect_uris: [callback()], logo_uri: logoUri };
    return String((await register(site, metadata).expect(201)).body.client_id);
  },
  async 'a change of a registration'(logoUri) {
    const metadata = { ...METADATA, redirect_uris: [callback()] };
    const { body } = await register(site, metadata).expect(201);
    const { client_id: clientId, client_secret: secret } = body as Record<string, string>;
    await manage(site, 'put', body as never, {
      ...metadata,
      client_id: clientId,
      client_secret: secret,
      logo_uri: logoUri,
    }).expect(200);
    return String(clientId);
  },
  async 'its document, once a user has allowed it'(logoUri) {
    const redirectUri = host.url('/callback');
    const clientId = host.publish(`/client-${(count += 1)}.json`, {
      redirect_uris: [redirectUri],
      logo_uri: logoUri,
    });
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    await logoOn(clientId);
    expect(fetches(logoUri)).toBe(0);
    await ada.authorize(
      codeQuery(clientId, {
        redirect_uri: redirectUri,
        scope: 'photos:read',
        prompt: 'consent',
        ...challenge,
      }),
    );
    return clientId;
  },
};

describe('the logo of a client', () => {
  test.each(Object.entries(WAYS))(
    'the logo of a client from %s is fetched once and served from this site',
    async (_way, name) => {
      const logoUri = publishLogo();
      const clientId = await name(logoUri);
      await isFetched(clientId, logoUri);
      const path = await logoOn(clientId);
      expect(path).toMatch(/^\/oauth\/client-logo\?client_id=[^&]+&v=[\w-]{16}$/);
      const { body, headers } = await get(path).expect(200);
      expect(PNG.equals(body as Buffer)).toBe(true);
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-disposition': 'attachment',
        'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(fetches(logoUri)).toBe(1);
    },
  );

  test.each<[string, Answer, string | undefined]>([
    ['a PNG of another type', [PNG, 'text/html'], 'image/png'],
    ['a JPEG', [Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'], 'image/jpeg'],
    ['a GIF', ['GIF89a;', 'image/gif'], 'image/gif'],
    ['a WebP', ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'image/webp'], 'image/webp'],
    ['an SVG', [SVG, 'image/svg+xml; charset=utf-8'], 'image/svg+xml'],
    ['an SVG with the type of a page', [SVG, 'text/html'], undefined],
    [
      'a page with the type of an SVG',
      ['<!doctype html><script>alert(1)</script>', 'image/svg+xml'],
      undefined,
    ],
    ['a page with the type of a PNG', ['<!doctype html>', 'image/png'], undefined],
    ['more than 128 KiB', [Buffer.concat([PNG, Buffer.alloc(131_072)]), 'image/png'], undefined],
    ['an empty body', ['', 'image/png'], undefined],
    ['a redirect', ['', 'image/png', 302], undefined],
    ['a picture with status 404', [PNG, 'image/png', 404], undefined],
  ])('a logo is served with its true type, or as 404: %s', async (_what, answer, type) => {
    const logoUri = publishLogo(answer);
    const { clientId } = await clientWith(logoUri);
    await isFetched(clientId, logoUri);
    const { status, headers } = await get(await logoOn(clientId));
    expect([status, headers['content-type']]).toEqual(type === undefined ? [404, undefined] : [200, type]);
    expect(headers['cache-control']).toMatch(type === undefined ? /^no-store$/ : /immutable/);
  });

  test('viewing a page never fetches a logo, whether its fetch has failed or not begun', async () => {
    const failing = publishLogo(['', 'image/png', 500]);
    const client = await clientWith(failing);
    await isFetched(client.clientId, failing);
    // stored by a process that ended before it fetched the logo
    const earlier = publishLogo();
    const { clientId } = await site.client({ redirectUris: [callback()] });
    await site.database.update('oauth_clients', clientId, { $set: { logoUri: earlier } });
    for (const id of [client.clientId, clientId]) await get(await logoOn(id)).expect(404);
    await ada.agent.get('/oauth/authorizations').expect(200);
    expect([fetches(failing), fetches(earlier)]).toEqual([1, 0]);
    await ada.authorize(codeQuery(clientId, { redirect_uri: callback(), scope: 'photos:read' }));
    await isFetched(clientId, earlier);
    await get(await logoOn(clientId)).expect(200);
    for (const path of ['/oauth/authorizations', `/oauth/authorizations/${clientId}`])
      expect((await ada.agent.get(path)).text).toContain('<img src="/oauth/client-logo?');
    expect(fetches(earlier)).toBe(1);
  });

  test('a logo on the site’s network is not fetched, unless allowPrivateAddresses is on', async () => {
    await using elsewhere = await openSite();
    const logoUri = publishLogo();
    const { clientId } = await elsewhere.client({ redirectUris: [callback()], logoUri });
    const logos = elsewhere.database.collection<{ _id: string }>('oauth_client_logos');
    await until(async () => (await logos.countDocuments({ _id: clientId })) === 1);
    expect(await logos.findOne({ _id: clientId })).not.toHaveProperty('type');
    expect(fetches(logoUri)).toBe(0);
  });

  test('a logo is deleted when the client changes it, removes it, or is deleted', async () => {
    const [first, second] = [publishLogo(), publishLogo()];
    const { clientId } = await clientWith(first);
    await isFetched(clientId, first);
    const before = await logoOn(clientId);
    await site.oauth.clients.update(clientId, { logoUri: second });
    await isFetched(clientId, second);
    await get(before).expect(404);
    await get(await logoOn(clientId)).expect(200);
    await site.oauth.clients.update(clientId, { logoUri: undefined });
    await until(async () => (await stored(clientId)) === null);
    expect(await logoOn(clientId)).toBe('');
    await site.oauth.clients.update(clientId, { logoUri: first });
    await isFetched(clientId, first);
    await site.oauth.clients.delete(clientId);
    await until(async () => (await stored(clientId)) === null);
    await get(before).expect(404);
  });

  test('a self-registered client’s logo is stored for a day, and longer after its first grant', async () => {
    const logoUri = publishLogo();
    const clientId = await WAYS['a registration']!(logoUri);
    await isFetched(clientId, logoUri);
    const life = async () => Number((await stored(clientId))?.expiresAt) - Date.now();
    expect(Math.abs((await life()) - DAY)).toBeLessThan(DAY / 24);
    await ada.authorize(codeQuery(clientId, { redirect_uri: callback(), scope: 'photos:read' }));
    await until(async () => (await life()) > 100 * DAY);
    expect(fetches(logoUri)).toBe(1);
  });

  test.each([
    ['clients delete', (clientId: string) => ['clients', 'delete', clientId]],
    ['people end', () => ['people', 'end', 'grace', '--applications', 'delete']],
  ])('the command `%s` deletes the logos of clients that it deletes', async (_command, parametersFor) => {
    const logoUri = publishLogo();
    const { clientId } = await clientWith(logoUri, { ownerId: 'grace' });
    await isFetched(clientId, logoUri);
    await runCli([...parametersFor(clientId), '--yes'], { uri: site.database.uri });
    expect(await site.oauth.clients.find(clientId)).toBeNull();
    expect(await stored(clientId)).toBeNull();
  });

  test('the fetch of a logo is tried again after a failure of the database', async () => {
    const client = { clientId: 'prints', logoUri: publishLogo(), type: 'confidential' } as Client;
    let reads = 0;
    const worker = withClientLogos({
      clients: { prolong: () => Promise.resolve(true), find: () => Promise.resolve(client) } as never,
      logos: {
        findState: () => Promise.reject(new Error(`no database: ${(reads += 1)}`)),
      } as never,
      limits: { allowPrivateAddresses: true } as never,
      limitUntrustedFetch: UNLIMITED,
      onError: () => undefined,
    });
    await worker.clients.prolong(client, new Date());
    await until(() => Promise.resolve(reads >= 1));
    await new Promise(setImmediate);
    await worker.clients.prolong(client, new Date());
    await new Promise(setImmediate);
    expect(reads).toBe(2);
    worker.close();
  });

  test.each([
    ['no client', ''],
    ['an unknown client', 'client_id=nobody&v=x'],
    ['several clients', 'client_id=a&client_id=b&v=x'],
  ])('the address of a logo with %s is answered with 404', async (_what, query) => {
    await get(`/oauth/client-logo?${query}`).expect(404);
  });
});
