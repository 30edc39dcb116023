import { parseHints } from '../../core/authorization/hints.js';
import { hasField } from '../../core/http/form-fields.js';
import { type Form, parseForm, peekParameter } from '../../shared/protocol/parameters.js';

/**
 * Reads the request in the return path of a login page. A login page may have no database, so it reads only what the
 * query says: the parameters of the request, or what a source has written beside its id.
 *
 * @returns undefined if no request is in it
 */
export function findPendingRequest(returnPath: unknown) {
  const query = parseReturnPath(returnPath);
  if (!hasField(query, 'redirect_uri') && !hasField(query, 'client_id')) return undefined;
  // nothing of it has been checked; without a redirect URI the request leaves it to its client's registration
  return { ...parseHints(query), redirectUri: peekParameter(query, 'redirect_uri') };
}

/**
 * The query in the return path of a login page. Empty if it cannot be read: the authorization endpoint reports the
 * error when the user comes back to it.
 */
export function parseReturnPath(path: unknown): Form {
  const [, query = ''] = typeof path === 'string' ? (/^[^?#]*\?([^#]*)/.exec(path) ?? []) : [];
  try {
    return parseForm(query);
  } catch {
    return {};
  }
}
