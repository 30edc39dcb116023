import express from 'express';
import mongoose from 'mongoose';

import { authorizationServer } from '../../../../dist/index.cjs';
import { serve } from '../support/serve.js';
import { photosOf, SCOPE } from '../support/setup.js';
import { describeFunction } from './describe-function.js';

/** A function as docs/recipes/serverless.md has it, without its pages for people. */
await serve(async ({ url, databaseUri, joins }) => {
  const isDeployment = joins === undefined;
  const { connection } = await mongoose.connect(databaseUri, { maxPoolSize: 3, autoIndex: false });
  const oauth = authorizationServer({
    issuer: joins?.url ?? url,
    connection,
    scopes: { [SCOPE]: 'See your photos' },
    login: '/login',
  });
  if (isDeployment) await oauth.ready();
  const app = express();
  app.get('/api/photos', oauth.guard(SCOPE), (req, res) => void res.json(photosOf(req.auth?.clientId ?? '')));
  app.use(oauth.router);
  return describeFunction(app, joins?.client ?? (await createClient(oauth)));
});

async function createClient(oauth: ReturnType<typeof authorizationServer>) {
  const { clientId, clientSecret = '' } = await oauth.clients.create({
    name: 'Printing shop',
    grantTypes: ['client_credentials'],
  });
  return { id: clientId, secret: clientSecret };
}
