import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { resourceOwnerOf } from './resource-owner.js';

/** Who makes this server fetch something by a request of a browser: a user, or a visitor who can log in first. */
export function fetchCallerOf(settings: Pick<Settings, 'people'>, req: Request): FetchCaller {
  const person = resourceOwnerOf(settings, req);
  return person === undefined
    ? { ip: req.ip ?? '', isVisitor: true }
    : { userId: settings.people.id(person) };
}
