import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { logInPerson } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

/** The advice on an error page works for somebody who has only the page. */
const site = siteFor({
  clientIdMetadataDocuments: { allowLoopback: true, trust: { block: ['localhost'] } },
  security: { rateLimits: false },
});
const documents = fixture(() => openDocumentServer());
const ada = fixture(() => logInPerson(site));

const open = (clientId: string) =>
  ada.openAuthorize({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: DEVICE_URI,
    scope: 'photos:read',
    ...createPkce().challenge,
  });
const TRY_AGAIN = 'Go back to it and try again. If it happens again, send its developers the details below.';
const ADD_AGAIN = 'remove the connection in the app and add it again';

describe('the error page of an application', () => {
  test('the page of a failed document advises a new try, which works once the document exists', async () => {
    documents.answer('/away.json', (_req, res) => void res.writeHead(500).end());
    const failed = await open(documents.url('/away.json'));
    expect([failed.status, failed.text.includes(TRY_AGAIN), failed.text.includes(ADD_AGAIN)]).toEqual([
      400,
      true,
      false,
    ]);
    expect((await open(documents.publish('/away.json'))).status).toBe(200);
  });

  test('the page of a forbidden host advises to ask the site, not to add the application again', async () => {
    const { status, text } = await open(documents.publish('/blocked.json', {}, { host: 'localhost' }));
    expect([status, text.includes('Ask the people who run the site.'), text.includes(ADD_AGAIN)]).toEqual([
      400,
      true,
      false,
    ]);
  });

  test('the page of a deleted client advises to add it again, which works with the new id', async () => {
    const client = await site.client({ redirectUris: [DEVICE_URI] });
    await site.oauth.clients.delete(client.clientId);
    expect((await open(client.clientId)).text).toContain(ADD_AGAIN);
    const { clientId } = await site.client({ redirectUris: [DEVICE_URI] });
    expect((await open(clientId)).status).toBe(200);
  });

  test('the page of a large request does not advise to shorten it', async () => {
    const body = { client_id: 'x', state: 'x'.repeat(110_000) };
    const { status, text } = await request(site.server).post('/oauth/authorize').type('form').send(body);
    expect([status, text.includes(TRY_AGAIN), text.includes('shorten')]).toEqual([413, true, false]);
  });
});

test('the page without a database advises a reload, which works once the database is back', async () => {
  const { clientId } = await site.client({ redirectUris: [DEVICE_URI] });
  const { connection, uri } = site.database;
  await connection.close();
  const failed = await open(clientId);
  expect([failed.status, failed.text.includes('reload the page in a few seconds')]).toEqual([503, true]);
  await connection.openUri(uri);
  expect((await open(clientId)).status).toBe(200);
});
