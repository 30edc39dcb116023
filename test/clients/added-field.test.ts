import { expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { assemble } from '../../lib/authorization-server.js';
import { main } from '../../lib/cli/program.js';
import type { ClientField } from '../../lib/core/clients/client-field.js';
import { textSchema } from '../../lib/core/clients/validation/schemas.js';
import { BUILT_IN } from '../../lib/features.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';

const plan: ClientField = {
  name: 'plan',
  shape: textSchema,
  stored: { type: String },
  wire: { name: 'example_plan' },
  flag: { flags: '--plan <plan>', description: 'what it has paid for' },
  printed: { label: 'plan' },
  label: { en: 'Plan' },
};
const parts = { ...BUILT_IN, clientFields: [...BUILT_IN.clientFields, plan] };
const ISSUER = 'http://127.0.0.1:3000';

const database = fixture(() => openDatabase());

it('a row of the client fields suffices for code, registration, the database and the CLI', async () => {
  const oauth = assemble(
    {
      issuer: ISSUER,
      connection: database.connection,
      scopes: { profile: 'See your name' },
      login: '/login',
      registration: { open: true },
    },
    parts,
  );
  await oauth.ready();
  const redirectUris = ['https://shop.example/callback'];
  const created = await oauth.clients.create({ name: 'Shop', redirectUris, plan: 'large' } as never);
  expect(created).toMatchObject({ plan: 'large' });
  expect(await oauth.clients.update(created.clientId, { plan: 'small' } as never)).toMatchObject({
    plan: 'small',
  });
  expect(await oauth.clients.find(created.clientId)).toMatchObject({ plan: 'small' });
  expect(await oauth.models.Client.findById(created.clientId).lean()).toMatchObject({ plan: 'small' });

  const { body, status } = await request(express().use(oauth.router))
    .post('/oauth/register')
    .send({ redirect_uris: redirectUris, example_plan: 'free' });
  expect({ status, body }).toMatchObject({ status: 201, body: { example_plan: 'free' } });
  expect(await oauth.clients.find(body.client_id as string)).toMatchObject({ plan: 'free' });

  let printed = '';
  const stream = { write: (written: string) => (printed += written) };
  const io = { stdout: stream, stderr: stream, stdin: process.stdin, env: {}, cwd: process.cwd() };
  const argv = ['node', 'cli', 'clients', 'create', '--help'];
  expect(await main(argv, io as never, parts)).toBe(0);
  expect(printed).toContain('--plan <plan>');
  await oauth.close();
});
