import { beforeAll, describe, expect, it } from '@jest/globals';

import { runCli } from '../support/cli.js';
import { type PagesApp, startPagesApp } from '../support/pages-app.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

let ada: Agent;
let adaId: string;
const app = fixture(() => startPagesApp({ security: { rateLimits: false } }));

beforeAll(async () => {
  ada = await app.personOf('ada');
  adaId = await app.idOf('ada');
});

/** A client with a rotated secret, and changes to the stored current and old secret. */
async function rotated(old: object, current: object = {}) {
  const { clientId, clientSecret = '' } = await app.clients.create({
    name: 'Prints',
    ownerId: adaId,
    redirectUris: ['https://print.example/callback'],
  });
  const next = await app.clients.rotateSecret(clientId);
  const fields = (at: number, set: object) =>
    Object.entries(set).map(([name, value]) => [`secrets.${at}.${name}`, value]);
  await app.database.update('oauth_clients', clientId, {
    $set: Object.fromEntries([...fields(0, { ...current }), ...fields(1, old)]) as object,
  });
  return { clientId, oldEnding: clientSecret.slice(-4), ending: next!.clientSecret!.slice(-4) };
}

const pageOf = async (clientId: string) =>
  (await ada.get(`/oauth/applications/${clientId}`).expect(200)).text;
const plain = (html: string) => html.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
const secretsIn = (page: string) =>
  [...(/<ul class="eas-secrets">[^]*?<\/ul>/.exec(page)?.[0] ?? '').matchAll(/<li>([^]*?)<\/li>/g)].map(
    ([, item = '']) => plain(item),
  );
const oldSecretIn = (page: string) =>
  plain(/<p id="application-old-secret">([^]*?)<\/p>/.exec(page)?.[1] ?? '');

describe('the secrets on the page of an application', () => {
  it('the page shows the last characters and the day of the last use of each secret', async () => {
    const lastUsedOn = new Date('2026-11-22T00:00:00Z');
    const { clientId, oldEnding, ending } = await rotated({ lastUsedOn });
    const page = await pageOf(clientId);
    const [current = '', old = ''] = secretsIn(page);
    expect(current).toContain(`ends in …${ending}`);
    expect(current).toContain('not used yet');
    expect(old).toContain(`ends in …${oldEnding}`);
    expect(old).toContain('last used 22 November 2026');
    expect(oldSecretIn(page)).toMatch(/^The old secret was last used on 22 November 2026\./);
  });

  it('the page says that the old secret was never used', async () => {
    const { clientId } = await rotated({});
    expect(oldSecretIn(await pageOf(clientId))).toMatch(/^The old secret was never used\./);
  });

  it('the page says that the last use of a secret without data is unknown', async () => {
    const { clientId } = await rotated({ ending: null }, { ending: null });
    const collection = app.database.collection('oauth_clients');
    await collection.updateOne(
      { _id: clientId as never },
      { $unset: { 'secrets.0.ending': 1, 'secrets.1.ending': 1 } },
    );
    const page = await pageOf(clientId);
    for (const secret of secretsIn(page)) expect(secret).toMatch(/last use unknown/);
    expect(page).not.toContain('ends in');
    expect(oldSecretIn(page)).toMatch(/^When the old secret was last used is not known\./);
  });
});

describe('`clients show`', () => {
  it('`clients show` lists the endings and last uses of secrets', async () => {
    const { clientId, oldEnding, ending } = await rotated({ lastUsedOn: new Date('2026-11-22T00:00:00Z') });
    const { stdout } = await runCli(['clients', 'show', clientId], { uri: app.database.uri });
    expect(stdout).toContain(`ending in ${ending} (not used yet)`);
    expect(stdout).toContain(`ending in ${oldEnding} (last used on 2026-11-22)`);
    const { stdout: json } = await runCli(['clients', 'show', clientId, '--json'], { uri: app.database.uri });
    expect(JSON.parse(json)).toMatchObject({
      secrets: [{ ending }, { ending: oldEnding, lastUsedOn: '2026-11-22T00:00:00.000Z' }],
    });
  });
});
