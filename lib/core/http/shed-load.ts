import type { RequestHandler } from 'express';

/**
 * Refuses a request before anything of it is read while earlier ones wait too long (`admit` throws then). If there is
 * more than a process can do, it soon finishes what it has begun, and tells the rest at once to come back later.
 */
export function shedLoad(checkLoad: () => void): RequestHandler {
  return function admitRequest(_req, _res, next) {
    checkLoad();
    next();
  };
}
