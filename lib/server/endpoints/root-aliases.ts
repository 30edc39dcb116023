import { type RequestHandler, Router } from 'express';

import { redirect } from '../../core/http/redirect.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Server, ServerRouters } from '../server.js';

/**
 * The endpoints that also answer at the root, but only to their own requests: others at such a path belong to the site.
 *
 * @param taken whether an endpoint is already at its place at the root
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

/** Redirects, because its pages know only one place, where login, forms and language stay. */
function toAuthorize(path: string): RequestHandler {
  return (req, res) => {
    const [, query = ''] = /\?([^]*)/.exec(req.url) ?? [];
    redirect(res, 302, `${path}?${query}`);
  };
}
