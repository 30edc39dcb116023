import { type Form, parseForm, peekParameter } from '../../shared/protocol/parameters.js';
import { hasField } from '../http/form-fields.js';
import { type Hints, parseHints } from './hints.js';

/** What a login page knows of the request that waits for the login. None of it has been checked. */
export interface PendingRequest extends Hints {
  /** Where its answer goes; undefined if the request leaves that to its client's registration. */
  readonly redirectUri: string | undefined;
}

/**
 * Reads the name of a request in the way back from a login page. A login page may have no database, so it reads only
 * what the name says: parameters say it themselves, and a source whose name is an id says it beside the id.
 *
 * @returns undefined if no request is in it
 */
export function findPendingRequest(returnPath: unknown): PendingRequest | undefined {
  const form = findRequestName(returnPath);
  if (!hasField(form, 'redirect_uri') && !hasField(form, 'client_id')) return undefined;
  return { ...parseHints(form), redirectUri: peekParameter(form, 'redirect_uri') };
}

/**
 * How the way back from a login page names a request. What cannot be read names nothing: the person is told that it is
 * wrong once they come back to it.
 */
export function findRequestName(path: unknown): Form {
  const [, query = ''] = typeof path === 'string' ? (/^[^?#]*\?([^#]*)/.exec(path) ?? []) : [];
  try {
    return parseForm(query);
  } catch {
    return {};
  }
}
