import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { CONSTANT, CONSTANT_DESCRIPTION, constantTokens } from './support/constant.js';
import { serve } from './support/serve.js';

/** What Node itself costs: fixed answers, the body read, nothing more. */
await serve(() => ({ ...CONSTANT_DESCRIPTION, version: process.versions.node, listener }));

function listener(req: IncomingMessage, res: ServerResponse): void {
  if (req.method === 'POST') return void answerPost(req, res);
  if (req.url?.startsWith('/oauth/authorize') === true) {
    res.writeHead(302, { location: CONSTANT.redirect }).end();
    return;
  }
  sendJson(res, CONSTANT.api);
}

async function answerPost(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(req));
  sendJson(
    res,
    req.url === '/oauth/introspect'
      ? CONSTANT.introspection
      : constantTokens(form.get('grant_type'), form.has('resource')),
  );
}

function sendJson(res: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  res
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}
