import { type RequestHandler, Router } from 'express';

import { redirect } from '../http/redirect.js';
import type { Server, ServerRouters } from '../server/server.js';
import { pathOf } from '../settings/endpoint-urls.js';

/**
 * The endpoints that answer at the root as well, to what is theirs: the rest of such a path is the site's own.
 *
 * @param taken whether an endpoint is at its place at the root already
 */
export function createRootAliases(
  { settings, rootAliases }: Pick<Server, 'settings' | 'rootAliases'>,
  routers: ServerRouters,
  taken: (name: string) => boolean,
): RequestHandler[] {
  const aliases = Object.entries(rootAliases).filter(([name]) => routers[name] !== undefined && !taken(name));
  if (aliases.length === 0) return [];
  const router = Router();
  for (const [name, isFor] of aliases) {
    const answer = name === 'authorize' ? toAuthorize(pathOf(settings, name)) : routers[name]!;
    router.use(`/${name}`, (req, res, next) => {
      if (req.path === '/' && isFor(req)) return void answer(req, res, next);
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
