import { createHash } from 'node:crypto';

import { Router } from 'express';

import { refuseOtherMethods } from '../../core/http/handle.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { BROWSER_STATE_COOKIE } from '../../core/sessions/browser-state.js';
import type { Endpoint } from '../../server/server.js';

/**
 * Computes the value of `formatSessionState`. §3.2: `error` for pages of other clients, `changed` if the value differs.
 */
const SCRIPT = `'use strict';
const stateOf = () => /(?:^|; ?)${BROWSER_STATE_COOKIE}=([^;]*)/.exec(document.cookie)?.[1];
const hash = async (text) => {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes)).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
};
const check = async (data, origin) => {
  const [, clientId, whose, seen, salt] =
    /^([\\x21-\\x7e]+) ([\\w-]{43})\\.([\\w-]{43})\\.([\\w-]{22})$/.exec(data) ?? [];
  if (clientId === undefined || (await hash(clientId + ' ' + origin + ' ' + salt)) !== whose) return 'error';
  const state = stateOf();
  if (state === undefined) return 'changed';
  return (await hash(clientId + ' ' + origin + ' ' + state + ' ' + salt)) === seen ? 'unchanged' : 'changed';
};
addEventListener('message', async ({ data, origin, source }) => {
  if (source === null || source === window || !/^https?:/.test(origin)) return;
  source.postMessage(await check(String(data), origin).catch(() => 'error'), origin);
});
`;
const PAGE = `<!doctype html>
<html lang="en">
<title>Session</title>
<script>${SCRIPT}</script>
`;

/** The page shows nothing, so framing it allows no clickjacking; its script sends no requests. */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ');

/** The page that clients load in a frame. @see OpenID Connect Session Management §3.2 */
export const checkSession: Endpoint = {
  name: 'check_session',
  create({ settings }) {
    const router = Router();
    router.use(secureTransport(settings));
    router.get('/', (_req, res) => {
      // a site may set this header on all its responses
      res.removeHeader('X-Frame-Options');
      res.set({
        'Content-Security-Policy': POLICY,
        'Cache-Control': 'public, max-age=3600',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      });
      res.type('html').send(PAGE);
    });
    router.all('/', refuseOtherMethods('GET'));
    return router;
  },
  metadata: (_server, url) => ({ check_session_iframe: url }),
};
