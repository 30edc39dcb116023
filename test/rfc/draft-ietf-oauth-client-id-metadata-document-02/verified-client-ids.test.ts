import { describe, expect, test } from '@jest/globals';

import { DEVICE_URI, openDocumentServer } from '../../support/client-documents.js';
import { logInPerson, type Person } from '../../support/person.js';
import { openSite, type Site, type SiteOptions } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';
import { createPkce } from '../../support/tokens.js';

const documents = fixture(() => openDocumentServer());

const queryFor = (clientId: string) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: DEVICE_URI,
  ...createPkce().challenge,
});
const withSite = async (options: SiteOptions, use: (other: Site, person: Person) => Promise<void>) => {
  await using site = await openSite(options);
  const person = await logInPerson(site);
  await use(site, person);
};

describe('a client id in trust.verified (§3, §8.5)', () => {
  test('a verified client_id does not verify other documents of its host', async () => {
    const verified = documents.publish('/app1/client.json', { client_name: 'Inkwell One' });
    const options = {
      clientIdMetadataDocuments: { allowLoopback: true, trust: { verified: [verified] } },
    };
    await withSite(options, async (_other, person) => {
      const page = await person.openAuthorize(queryFor(verified));
      expect(page.text).toContain('Inkwell One');
      expect(page.text).not.toContain('id="client-unverified"');
      for (const path of [
        '/app2/client.json',
        '/app1/client.json2',
        '/app1/client.json?x',
        '/app1/',
        '/APP1/client.json',
      ]) {
        const clientId = documents.publish(path, { client_name: 'Inkwell Two' });
        const { text } = await person.openAuthorize(queryFor(clientId));
        expect(text).toContain('id="client-unverified"');
        expect(text).not.toContain('Inkwell Two');
      }
    });
  });

  test('a verified client_id needs no approval, unlike another document of its host', async () => {
    const verified = documents.publish('/app3/client.json');
    const options = {
      applications: { approval: true },
      clientIdMetadataDocuments: { allowLoopback: true, trust: { verified: [verified] } },
    };
    await withSite(options, async (_other, person) => {
      expect((await person.openAuthorize(queryFor(verified))).status).toBe(200);
      const other = documents.publish('/app4/client.json');
      expect((await person.openAuthorize(queryFor(other))).status).toBe(400);
    });
  });
});
