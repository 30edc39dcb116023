import { OAuthError } from '../../shared/errors.js';

interface Requested {
  readonly clientId: string;
  readonly name: string;
  readonly ownerId?: string | undefined;
  readonly coOwnerIds?: readonly string[] | undefined;
}

/** Which client asked, and for what, so that its developer can see on the page what is wrong. */
export class UnregisteredRedirectUri extends OAuthError {
  readonly client: Requested;
  readonly redirectUri: string;

  constructor(redirectUri: string, client: Requested & { readonly redirectUris: readonly string[] }) {
    const displayed = redirectUri.slice(0, 200);
    super('invalid_request', 'the redirect_uri is not registered for this client', {
      reason: 'redirect_uri_mismatch',
      detail: `redirect_uri ${displayed}, registered: ${client.redirectUris.join(' ')}`,
    });
    this.client = client;
    this.redirectUri = displayed;
  }
}
