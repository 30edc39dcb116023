import { OAuthError } from '../errors.js';

/**
 * Nobody is logged in, and what a request needs is fetched only for somebody: a user in a browser logs in first, and
 * then comes back to the same request.
 *
 * @see RFC 9101 §10.4.1, OAuth Client ID Metadata Document §8.6
 */
export class LoginNeeded extends OAuthError {
  constructor() {
    super(
      'login_required',
      'this site has to ask the application, and does so only for users who are logged in',
      {
        reason: 'login_required',
      },
    );
  }
}
