import { afterAll, afterEach, expect, it, jest } from '@jest/globals';

import { closePagesApps, startPagesApp } from '../support/pages-app.js';

afterEach(() => void jest.restoreAllMocks());
afterAll(closePagesApps);

const behindTls = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.7' };

it('a missing trust proxy behind TLS is explained on the page and once in the terminal', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const app = await startPagesApp();
  const open = () => app.agent().get('/login').set(behindTls).set('Accept-Language', 'en').expect(400);
  const { text } = await open();
  expect(text).toContain('<h1>This page needs a secure connection</h1>');
  expect(text).toContain('the mistake is this site’s');
  expect(text).toContain('this endpoint requires TLS (https)');
  await open();
  await app.agent().get('/logout').set(behindTls).expect(400);
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining("app.set('trust proxy', 1)"), { code: 'EAS_TRUST_PROXY' }],
  ]);
});

it('a plain HTTP request without a TLS proxy causes no warning about trust proxy', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const app = await startPagesApp({ before: (host) => host.set('trust proxy', 'loopback') });
  await app
    .agent()
    .get('/login')
    .set({ ...behindTls, 'X-Forwarded-Proto': 'http' })
    .expect(400);
  await app.agent().get('/login').set(behindTls).expect(200);
  expect(warn).not.toHaveBeenCalled();
});
