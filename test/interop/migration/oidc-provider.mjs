/* A site on node-oidc-provider, with an adapter for MongoDB as in its examples; every visitor is ada. */
import express from 'express';
import { MongoClient } from 'mongodb';

import { CLIENT, load, REDIRECT_URI, SCOPES, serve } from './old-server.mjs';

const Provider = await load('oidc-provider');
const snakeCase = (name) => name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();

/** A collection for each model, with its data under `payload`. */
function adapterOn(database) {
  return class {
    constructor(name) {
      this.collection = database.collection(snakeCase(name));
    }

    async upsert(_id, payload, expiresIn) {
      const expiresAt = expiresIn && new Date(Date.now() + expiresIn * 1000);
      await this.collection.updateOne(
        { _id },
        { $set: { payload, ...(expiresAt && { expiresAt }) } },
        { upsert: true },
      );
    }

    async find(_id) {
      return (await this.collection.findOne({ _id }))?.payload;
    }

    async findByUid(uid) {
      return (await this.collection.findOne({ 'payload.uid': uid }))?.payload;
    }

    async destroy(_id) {
      await this.collection.deleteOne({ _id });
    }

    async revokeByGrantId(grantId) {
      await this.collection.deleteMany({ 'payload.grantId': grantId });
    }

    async consume(_id) {
      await this.collection.updateOne(
        { _id },
        { $set: { 'payload.consumed': Math.floor(Date.now() / 1000) } },
      );
    }
  };
}

await serve(async ({ url, databaseUri }) => {
  const database = (await new MongoClient(databaseUri).connect()).db();
  const Adapter = adapterOn(database);
  await new Adapter('Client').upsert(CLIENT.id, {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
  const provider = new Provider(url, {
    adapter: Adapter,
    cookies: { keys: ['of the test'] },
    scopes: SCOPES,
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
  });
  const app = express();
  app.get('/interaction/:uid', async (req, res) => {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === 'login')
      return provider.interactionFinished(req, res, { login: { accountId: 'ada' } });
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    return provider.interactionFinished(
      req,
      res,
      { consent: { grantId: await grant.save() } },
      { mergeWithLastSubmission: true },
    );
  });
  app.get('/api', async (req, res) => {
    const token = await provider.AccessToken.find(req.headers.authorization.slice('Bearer '.length));
    if (!token?.isValid) return void res.sendStatus(401);
    res.json({ user: token.accountId });
  });
  app.use(provider.callback());
  return app;
});
