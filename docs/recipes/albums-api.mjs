import express from 'express';
import { bearerGuard, errorHandler } from 'express-authorization-server/guard';

const guard = bearerGuard({ issuer: process.env.ISSUER, resource: process.env.ALBUMS_API });
express()
  .use(guard.wellKnown) // metadata that leads clients to the issuer
  .get('/albums', guard('albums:read'), (req, res) =>
    res.json({ albumsOf: req.auth.userId ?? req.auth.clientId }),
  )
  .use(errorHandler)
  .listen(process.env.PORT);
