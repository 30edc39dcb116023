import { once } from 'node:events';
import { createServer } from 'node:https';

import { handler } from './serverless.mjs';

/*
 * What API Gateway (HTTP API, payload 2.0) does for a function, behind TLS: each request is an event, and each answer is
 * an object. Forms come in base64, texts as they are, unless the test wants it otherwise.
 */
const { PORT, KEY, CERTIFICATE, IS_BASE64 } = process.env;
const server = createServer({ key: KEY, cert: CERTIFICATE }, async (req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  await once(req, 'end');
  const body = Buffer.concat(chunks);
  const { pathname, search } = new URL(req.url, 'https://gateway.example');
  const { cookie, ...headers } = req.headers;
  const isBase64Encoded = body.length > 0 && IS_BASE64 === 'true';
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: decodeURI(pathname),
    rawQueryString: search.slice(1),
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers: {
      ...headers,
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
    },
    ...(search !== '' && { queryStringParameters: Object.fromEntries(new URLSearchParams(search)) }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: req.headers.host,
      http: {
        method: req.method,
        path: pathname,
        protocol: 'HTTP/1.1',
        sourceIp: '203.0.113.9',
        userAgent: 'test',
      },
      requestId: 'request',
      routeKey: '$default',
      stage: '$default',
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch: 1_767_225_600_000,
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
  const answer = await handler(event, {});
  const cookies = answer.cookies ?? [];
  res.writeHead(answer.statusCode, {
    ...answer.headers,
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  });
  res.end(Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8'));
});
server.listen(PORT);
