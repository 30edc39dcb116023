import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { PACKAGED_VIEWS } from '../../lib/pages/rendering/packaged-views.js';
import { deviceClient, openDeviceSite, personOf, startDevice, typeCode } from '../support/device.js';
import { codeQuery, type Person } from '../support/person.js';
import { type Site } from '../support/site.js';

/** Every word in the code of the views: names of values, and names from EJS and JavaScript. */
function termsOfViews(): string[] {
  const texts = [...PACKAGED_VIEWS].flatMap(([name, text]) => (name.endsWith('.ejs') ? [text] : []));
  const code = texts.flatMap((text) => text.match(/<%[^]*?%>/g) ?? []).join('\n');
  const ofEjs = ['escapeFn', 'include', 'rethrow', '__append', '__output', '__line', '__lines', '__filename'];
  return [...new Set([...(code.match(/[A-Za-z_$][\w$]*/g) ?? []), ...ofEjs])];
}

/** Without the parts that are new on each page: the CSRF token, and the request for a developer's trial. */
const withoutToken = (page: string) =>
  page
    .replaceAll(/(?<=name="csrf_token" value=")[^"]+/g, '')
    .replaceAll(/(?<=state=|code_challenge=|code_verifier=)[\w-]{43}/g, '');

describe('values of the host under names of this package', () => {
  let site: Site;
  let ada: Person;
  let terms: string[];
  let isBusy = false;
  let foreignAuth: unknown;

  beforeAll(async () => {
    terms = termsOfViews();
    site = await openDeviceSite({
      before: (app) =>
        app.use((req, res, next) => {
          if (isBusy)
            for (const word of terms) res.locals[word] = { userCode: 'EVIL-CODE', usage: 'of the host' };
          if (foreignAuth !== undefined) (req as { auth?: unknown }).auth = foreignAuth;
          next();
        }),
    });
    ada = await personOf(site);
  });
  afterAll(() => site.close());

  /** The page without and with the locals of a host that uses every name. */
  async function both(path: string, person = ada): Promise<{ quiet: string; busy: string }> {
    const open = async () => {
      const { text, status } = await person.agent.get(path);
      expect(status).toBeLessThan(500);
      // the number of the request and of the form differ each time
      return text.replaceAll(/<code>[\w-]{8,}<\/code>|name="submission" value="[\w-]+"/g, '');
    };
    const quiet = await open();
    isBusy = true;
    const busy = await open().finally(() => (isBusy = false));
    return { quiet, busy };
  }

  test('values of the host in res.locals change no page, and break none', async () => {
    const { clientId } = await site.client({ ownerId: 'ada' });
    const query = new URLSearchParams(codeQuery(clientId, { scope: 'photos:read' })).toString();
    expect(terms).toEqual(expect.arrayContaining(['device', 'notice', 'Object', 'clientName']));
    const frame = await deviceClient(site);
    const { user_code: userCode } = await startDevice(site, frame);
    await typeCode(ada, userCode);
    for (const path of [
      `/oauth/authorize?${query}`,
      `/oauth/authorize?${query}&prompt=select_account`,
      '/oauth/authorize?client_id=nobody',
      '/oauth/device',
      `/oauth/device/request?user_code=${userCode}`,
      '/oauth/authorizations',
      '/oauth/applications',
      '/oauth/applications/new',
      `/oauth/applications/${clientId}`,
      `/oauth/applications/${clientId}/edit`,
      `/oauth/applications/${clientId}/delete`,
    ]) {
      const { quiet, busy } = await both(path);
      expect({ path, text: withoutToken(busy) }).toEqual({ path, text: withoutToken(quiet) });
    }
  });

  test('a foreign req.auth is nobody’s access token at an optional guard', async () => {
    foreignAuth = { userId: 'ada', scopes: ['photos:write'] };
    const { body } = await request(site.server).get('/api/maybe');
    foreignAuth = undefined;
    expect(body).toEqual({ nobody: true });
  });
});
