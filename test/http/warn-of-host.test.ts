import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';

import { openSite, type Site } from '../support/site.js';

describe('a request for another host than the issuer says', () => {
  let site: Site;
  let warnings: jest.SpiedFunction<typeof process.emitWarning>;
  beforeEach(async () => {
    site = await openSite({ resources: { 'https://api.example': {} } });
    warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(async () => {
    warnings.mockRestore();
    await site.close();
  });
  const ask = (host: string) => request(site.server).get('/oauth/jwks').set('Host', host);

  test("a request for another host than the issuer's warns once, with both hosts", async () => {
    await ask('photos.example');
    await ask('other.example');
    expect(warnings.mock.calls.map(([text]) => String(text))).toEqual([
      expect.stringMatching(/came for photos\.example, and the issuer is http:\/\/127\.0\.0\.1:\d+/),
    ]);
    expect(warnings.mock.calls[0]?.[1]).toEqual({ code: 'EAS_HOST' });
  });

  test('a request on loopback or at a resource causes no warning about its host', async () => {
    for (const host of ['127.0.0.1', 'localhost:3000', '[::1]', 'api.example', new URL(site.url).host])
      await ask(host);
    expect(warnings).not.toHaveBeenCalled();
  });

  test('the warning about a host contains its name alone, without control characters', async () => {
    await ask('a\u0007b\u001b[31m.example').catch(() => undefined);
    await ask(`${'x'.repeat(300)}.example`);
    for (const [text] of warnings.mock.calls) {
      expect(String(text)).not.toMatch(/\p{Cc}/u);
      expect(String(text)).not.toContain('x'.repeat(101));
    }
  });
});
