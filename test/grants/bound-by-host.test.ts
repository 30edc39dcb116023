import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';

import type { NewGrantOptions } from '../../lib/index.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, refreshTokens } from '../support/tokens.js';

describe('oauth.grants.create with more than scopes', () => {
  const site = siteFor({
    authorizationDetails: {
      payment: { schema: z.strictObject({ amount: z.string() }), describe: () => ({ title: 'A payment' }) },
    },
    choices: {
      workspace: {
        label: 'Workspace',
        scopes: ['photos:write'],
        list: () => [{ value: 'atelier', label: 'Atelier' }],
      },
      copies: { label: 'Copies', optional: true, number: { min: 1, max: 10 } },
      life: { label: 'How long', optional: true, lifetime: [600, 86_400] },
    },
  });
  const client = fixture(() => site.client({ scopes: ['photos:read', 'photos:write'] }));

  const create = (options: Partial<NewGrantOptions> = {}) =>
    site.oauth.grants.create({
      clientId: client.clientId,
      userId: 'ada',
      scopes: ['photos:read'],
      ...options,
    });
  const detail = { type: 'payment', amount: '12.50' };

  it('grants.create binds all tokens of the grant to its details and choices', async () => {
    const grant = await create({
      scopes: ['photos:read', 'photos:write'],
      authorizationDetails: [detail],
      choices: { workspace: 'atelier', copies: 3 },
      refreshToken: true,
    });
    const bound = { authorizationDetails: [detail], choices: { workspace: 'atelier', copies: 3 } };
    expect(grant).toMatchObject(bound);
    expect((await callApi(site, grant.accessToken)).body).toMatchObject(bound);
    const { body } = await refreshTokens(site, client, String(grant.refreshToken));
    expect(body.authorization_details).toEqual([detail]);
    expect((await callApi(site, body.access_token as string)).body).toMatchObject(bound);
  });

  it('a grant by grants.create ends with the lifetime among its choices', async () => {
    const { expiresIn, endsAt } = await create({ choices: { life: '600' } });
    expect(expiresIn).toBe(600);
    expect(endsAt!.getTime() - Date.now()).toBeLessThanOrEqual(600_000);
  });

  it.each<[string, Partial<NewGrantOptions>]>([
    ['an unknown type', { authorizationDetails: [{ type: 'root' }] }],
    ['an invalid detail', { authorizationDetails: [{ ...detail, amount: 5 }] }],
    ['an unknown field', { authorizationDetails: [{ ...detail, more: 1 }] }],
    ['a detail without a type', { authorizationDetails: [{}] }],
  ])('grants.create refuses %s with invalid_authorization_details', async (_what, options) => {
    await expect(create(options)).rejects.toMatchObject({ error: 'invalid_authorization_details' });
  });

  it.each<[string, Partial<NewGrantOptions>, RegExp]>([
    ['a missing choice', { scopes: ['photos:write'] }, /choices\.workspace.*missing/],
    [
      'a choice for which it lacks the scopes',
      { choices: { workspace: 'atelier' } },
      /choices\.workspace.*nothing of that/,
    ],
    ['an unknown choice', { choices: { folder: 'a' } }, /there are: copies, life/],
    ['a number out of bounds', { choices: { copies: 11 } }, /choices\.copies/],
    ['text for a number', { choices: { copies: 'all' } }, /choices\.copies/],
    ['two of one', { scopes: ['photos:write'], choices: { workspace: ['a', 'b'] } }, /choices\.workspace/],
    ['a lifetime that is not offered', { choices: { life: 601 } }, /choices\.life/],
    ['a choice without a user', { userId: undefined, choices: { copies: 1 } }, /nothing of that/],
    ['an object as a choice', { choices: { copies: {} as never } }, /text, a number or a list/],
  ])('grants.create refuses %s, and makes no grant', async (_what, options, problem) => {
    const before = await site.oauth.models.Grant.countDocuments();
    await expect(create(options)).rejects.toThrow(problem);
    expect(await site.oauth.models.Grant.countDocuments()).toBe(before);
  });

  it('grants.create with remember stores the choices with the consent', async () => {
    await create({ userId: 'grace', choices: { copies: 2 }, remember: true });
    const consent = await site.oauth.models.Consent.findOne({ userId: 'grace' }).lean();
    expect(consent).toMatchObject({ choices: { copies: 2 } });
  });

  it('grants.create with details throws if the server has no types of details', async () => {
    await using plain = await openSite();
    const own = await plain.client();
    const made = plain.oauth.grants.create({
      clientId: own.clientId,
      userId: 'ada',
      authorizationDetails: [detail],
    });
    await expect(made).rejects.toThrow(/names no type/);
    await request(plain.url).get('/api/photos').expect(401);
  });
});
