import type { RequestHandler } from 'express';

import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import {
  type Form,
  formatForm,
  hasParameter,
  parseForm,
  peekParameter,
} from '../../shared/protocol/parameters.js';
import { queryOf } from '../http/query.js';
import { redirect } from '../http/redirect.js';
import { findReturnTo, type ReturnToSettings } from './return-to.js';

const NAME = 'oauth_way_back';
const DIGEST_LENGTH = 22;
/**
 * Characters of the way back in the address of the login page and in its cookie together. nginx takes 4096 bytes of
 * headers from a site by default (`proxy_buffer_size`), and the site has some of its own.
 */
const MAX_LENGTH = 2_800;
/** What login pages read of a request, and how long it may be to stay in the address. */
const LEGIBLE = ['client_id', 'redirect_uri', 'ui_locales'];
const MAX_LEGIBLE = 200;

/** Whether the path is too long to be in the address of a login page and in the cookie. */
export function needsReference(path: string): boolean {
  return encodeURIComponent(path).length + path.length > MAX_LENGTH;
}

/** A short path that leads to the one that the cookie of this browser has. */
export function referenceTo(saved: string): string {
  const [pathname = '', query = ''] = saved.split('?');
  const form = parseForm(query);
  const name: Record<string, string> = {};
  for (const each of LEGIBLE) {
    const value = peekParameter(form, each);
    if (value !== undefined && value.length <= MAX_LEGIBLE) name[each] = value;
  }
  return `${pathname}?${formatForm({ ...name, [NAME]: digestOf(saved) })}`;
}

/** Whether it is a path of `referenceTo`: unlike a request, it does not say what is asked for. */
export function isReference(query: Form): boolean {
  return (
    peekParameter(query, NAME) !== undefined &&
    !['response_type', 'request', 'request_uri'].some((name) => hasParameter(query, name))
  );
}

/**
 * Sends somebody who comes back by a reference to the path that it stands for.
 *
 * @throws OAuthError invalid_request_uri if this browser does not have it, or has another one since
 */
export function followReference(settings: ReturnToSettings): RequestHandler {
  return function followReferenceBack(req, res, next) {
    const query = queryOf(req);
    if (!isReference(query)) return next();
    const path = findReturnTo(settings, req);
    if (path === undefined || digestOf(path) !== peekParameter(query, NAME))
      throw new OAuthError('invalid_request_uri', 'the request is no longer there', {
        detail:
          'the request was too long for the address of the login page, and the cookie that had it is gone: it is ten minutes old, or another request has taken its place',
      });
    redirect(res, 303, path);
  };
}

function digestOf(path: string): string {
  return hashSecret(path).slice(0, DIGEST_LENGTH);
}
