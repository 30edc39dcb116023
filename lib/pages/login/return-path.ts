import { parseHints } from '../../core/authorization/hints.js';
import { hasField } from '../../core/http/form-fields.js';
import { type Form, parseForm, peekParameter } from '../../shared/protocol/parameters.js';

/**
 * Reads the request in the return path of a login page. Login pages may have no database, so only the query counts: the
 * parameters of the request, or those that its source has written beside its id.
 *
 * @returns undefined if the path has no request
 */
export function findPendingRequest(returnPath: unknown) {
  const query = parseReturnPath(returnPath);
  if (!hasField(query, 'redirect_uri') && !hasField(query, 'client_id')) return undefined;
  // unchecked; without a redirect URI the client's registration decides
  return { ...parseHints(query), redirectUri: peekParameter(query, 'redirect_uri') };
}

/**
 * The query in the return path of a login page. Empty if it cannot be parsed: the authorization endpoint reports the
 * error when the user comes back.
 */
export function parseReturnPath(path: unknown): Form {
  const [, query = ''] = typeof path === 'string' ? (/^[^?#]*\?([^#]*)/.exec(path) ?? []) : [];
  try {
    return parseForm(query);
  } catch {
    return {};
  }
}
