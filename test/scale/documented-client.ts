import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import type { Person } from '../support/person.js';
import { resetClock, shiftClock } from '../support/shifted-clock.js';
import { createPkce } from '../support/tokens.js';
import type { Step } from './everything.js';

/** An unregistered client: users allow it, and use it again when its document is out of date. */
export async function doDocumentedClient(step: Step, ada: Person): Promise<void> {
  const documents = await openDocumentServer();
  const clientId = documents.publish('/client.json', {}, { headers: { 'cache-control': 'no-store' } });
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: DEVICE_URI,
    scope: 'photos:read',
    ...createPkce().challenge,
  };
  try {
    await step('authorize: allow a client that nobody has registered', () => ada.authorize(query));
    // documents are fetched again after five minutes
    shiftClock(301_000);
    await step('authorize: allow it once more', () => ada.authorize(query));
    documents.publish('/client.json', { redirect_uris: [DEVICE_URI, `${DEVICE_URI}/other`] });
    shiftClock(602_000);
    await step('document: says something else', () => ada.authorize(query));
  } finally {
    resetClock();
    await documents.close();
  }
}
