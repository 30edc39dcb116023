import type { RequestHandler } from 'express';

/**
 * Warns once if a path of the other router is answered 404 behind this one: the site has mounted one of the two alone,
 * and nothing else says so.
 *
 * @param router the name of the other router
 * @param paths its paths, as browsers see them
 */
export function notifyIfForgotten(router: string, paths: readonly string[]): RequestHandler {
  const known = new Set(paths);
  let isReported = false;
  return (req, res, next) => {
    const path = `${req.baseUrl}${req.path}`;
    if (!isReported && known.has(path))
      res.once('finish', () => {
        if (isReported || res.statusCode !== 404) return;
        isReported = true;
        process.emitWarning(
          `${req.method} ${path} was answered 404: oauth.${router} is not mounted in this app, or not before what answered; write app.use(oauth.${router})`,
          { code: 'EAS_ROUTER_MISSING' },
        );
      });
    next();
  };
}
