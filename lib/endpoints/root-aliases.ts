import { type Request, type RequestHandler, Router } from 'express';

import { queryOf } from '../http/query.js';
import { redirect } from '../http/redirect.js';
import type { Server, ServerRouters } from '../server/server.js';
import { pathOf } from '../settings/endpoint-urls.js';

/** Where clients look that read no metadata, and what of it is ours: the rest of that path is the site's own. */
const ALIASES: Readonly<Record<string, (req: Request) => boolean>> = {
  authorize: (req) => req.method === 'GET' && queryOf(req).client_id !== undefined,
  token: (req) => isCall(req, 'application/x-www-form-urlencoded'),
  register: (req) => isCall(req, 'application/json'),
};

function isCall(req: Request, type: string): boolean {
  if (req.method === 'OPTIONS') return req.get('Access-Control-Request-Method') === 'POST';
  return req.method === 'POST' && req.is(type) !== false;
}

/**
 * The endpoints at the root, for clients that know no other place (Model Context Protocol 2025-03-26, Fallbacks for
 * Servers without Metadata Discovery).
 *
 * @param taken whether an endpoint is at its place at the root already
 */
export function createRootAliases(
  { settings }: Pick<Server, 'settings'>,
  routers: ServerRouters,
  taken: (name: string) => boolean,
): RequestHandler[] {
  const names = Object.keys(ALIASES).filter((name) => routers[name] !== undefined && !taken(name));
  if (!settings.rootAliases || names.length === 0) return [];
  const router = Router();
  for (const name of names) {
    const answer = name === 'authorize' ? toAuthorize(pathOf(settings, name)) : routers[name]!;
    router.use(`/${name}`, (req, res, next) => {
      if (req.path === '/' && ALIASES[name]!(req)) return void answer(req, res, next);
      next();
    });
  }
  return [router];
}

/** Its pages know one place of their own, so that login, forms and language stay there. */
function toAuthorize(path: string): RequestHandler {
  return (req, res) => {
    const [, query = ''] = /\?([^]*)/.exec(req.url) ?? [];
    redirect(res, 302, `${path}?${query}`);
  };
}
