import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import request from 'supertest';

import { assemble } from '../../lib/authorization-server.js';
import { BUILT_IN, type BuiltIn } from '../../lib/features.js';
import type { Feature } from '../../lib/server/server.js';
import { openDatabase } from '../support/database.js';
import { openSite } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { callApi, clientRequest, obtainTokens, refreshTokens } from '../support/tokens.js';

const LIB = fileURLToPath(new URL('../../lib/', import.meta.url));
/** The importers of a feature: the lists, the composition roots, the exported types, and its command of the CLI. */
const MAY_NAME = [
  'features.ts',
  'authorization-server.ts',
  'guard.ts',
  'index.ts',
  join('cli', 'webhooks.ts'),
  join('cli', 'access-tokens.ts'),
];

describe('the server without one of its features', () => {
  const database = fixture(() => openDatabase());

  test.each(BUILT_IN.features.map(({ name }) => name))(
    'without %s a client gets tokens, calls the API, refreshes and revokes',
    async (name) => {
      const features = BUILT_IN.features.filter((feature) => feature.name !== name);
      await using site = await openSite({ database, builtIn: { ...BUILT_IN, features } });
      const client = await site.client();
      const tokens = await obtainTokens(site, client);
      expect((await callApi(site, tokens.access_token)).status).toBe(200);
      const { body: refreshed } = await refreshTokens(site, client, tokens.refresh_token).expect(200);
      expect((await callApi(site, refreshed.access_token as string)).status).toBe(200);
      await clientRequest(site, client, '/oauth/revoke', { token: refreshed.refresh_token }).expect(200);
      expect((await callApi(site, refreshed.access_token as string)).status).toBe(401);
      await request(site.server).get('/.well-known/oauth-authorization-server').expect(200);
    },
  );
});

describe('the options without a feature', () => {
  const site = { issuer: 'https://photos.example', scopes: {}, login: '/login' };
  const connection = mongoose.createConnection();
  const start = (features: BuiltIn['features'], option: object) =>
    assemble({ ...site, connection, ...option }, { ...BUILT_IN, features });
  const optionsOfFeatures = BUILT_IN.features.flatMap(({ options = {} }: Feature) => Object.keys(options));

  test.each([...new Set(optionsOfFeatures)])('without its feature option %s is unknown', (option) => {
    const others = BUILT_IN.features.filter(({ options = {} }: Feature) => !(option in options));
    expect(others.length).toBeLessThan(BUILT_IN.features.length);
    expect(() => start(others, {})).not.toThrow();
    expect(() => start(others, { [option]: true })).toThrow(`unknown option '${option}'`);
  });
});

test('no file outside a feature imports from it, except the lists and the composition roots', () => {
  const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const featureOf = (file: string) => /^features[\\/]([^\\/]+)[\\/]/.exec(file)?.[1];
  const intruders = files.flatMap((file) =>
    [...readFileSync(join(LIB, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
      .map(([, path = '']) => relative(LIB, join(LIB, dirname(file), path)))
      .filter((target) => featureOf(target) !== undefined && featureOf(target) !== featureOf(file))
      .map((target) => `${file} → ${target}`.replaceAll(sep, '/')),
  );
  expect(intruders.filter((line) => !MAY_NAME.some((name) => line.startsWith(`${name} `)))).toEqual([]);
});
