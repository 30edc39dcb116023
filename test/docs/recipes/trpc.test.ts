import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { fixture } from '../../support/site-for.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe } from './recipe.js';

describeInstalled('docs/recipes: trpc', () => {
  const recipe = fixture(() => openRecipe('trpc'));

  /** A client of tRPC with this token. */
  const clientWith = (token?: string) => {
    const { createTRPCClient, httpBatchLink } = createRequire(join(FOLDER, 'package.json'))('@trpc/client');
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return createTRPCClient({ links: [httpBatchLink({ url: `${recipe.issuer}/trpc`, headers })] });
  };
  const refusalOf = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (thrown: { message: string; data: { code: string; httpStatus: number } }) => thrown,
    );
    return { message: error?.message, code: error?.data.code, status: error?.data.httpStatus };
  };

  test('trpc: each procedure needs its scopes', async () => {
    const token = (await recipe.obtainTokens('photos:read')).access_token;
    const client = clientWith(token);
    const [version, mine] = await Promise.all([client.version.query(), client.photos.query()]);
    expect([version, mine]).toEqual(['1', { photosOf: expect.any(String), photos: ['Sunset'] }]);
    expect(await refusalOf(client.addPhoto.mutate('Moonrise'))).toEqual({
      message: 'insufficient_scope: photos:write',
      code: 'FORBIDDEN',
      status: 403,
    });
    const writing = clientWith(await recipe.obtainOwnToken('photos:write'));
    expect(await writing.addPhoto.mutate('Moonrise')).toBe(2);
    expect(await clientWith().version.query()).toBe('1');
    expect(await refusalOf(clientWith().photos.query())).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  });

  test('trpc: a revoked token is refused with a challenge', async () => {
    const token = (await recipe.obtainTokens('photos:read')).access_token;
    await recipe.revoke(token);
    expect(await refusalOf(clientWith(token).version.query())).toMatchObject({
      code: 'UNAUTHORIZED',
      status: 401,
    });
    const { status, challenge } = await recipe.get('/trpc/photos', token);
    expect([status, challenge]).toEqual([401, expect.stringMatching(/^Bearer .*error="invalid_token"/)]);
  });
});
