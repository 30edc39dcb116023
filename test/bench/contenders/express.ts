import express from 'express';

import { CONSTANT, CONSTANT_DESCRIPTION, constantTokens } from './support/constant.js';
import { serve, versionOf } from './support/serve.js';

/** The cost of Express: bare routes with fixed answers; forms are parsed, since every token endpoint has to. */
await serve(() => {
  const app = express();
  const form = express.urlencoded({ extended: false });
  app.post('/oauth/token', form, (req, res) => {
    const { grant_type, resource } = req.body as Record<string, unknown>;
    res.json(constantTokens(grant_type, resource !== undefined));
  });
  app.post('/oauth/introspect', form, (_req, res) => void res.json(CONSTANT.introspection));
  app.get('/oauth/authorize', (_req, res) => void res.redirect(CONSTANT.redirect));
  app.get('/api/photos', (_req, res) => void res.json(CONSTANT.api));
  return { ...CONSTANT_DESCRIPTION, version: versionOf('express'), listener: app as never };
});
