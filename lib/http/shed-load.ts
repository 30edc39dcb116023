import type { RequestHandler } from 'express';

/**
 * Refuses a request before anything of it is read while those before it wait too long (`admit` throws then). Of more
 * than a process can do, what is begun is finished soon, and the rest hears at once that it should come back.
 */
export function shedLoad(admit: () => void): RequestHandler {
  return function admitRequest(_req, _res, next) {
    admit();
    next();
  };
}
