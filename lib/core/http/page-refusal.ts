import type { MessageKey } from '../../messages/index.js';
import { OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';

/** A refusal that only users see, on a page: it names the text that they read in their own language. */
export class PageRefusal extends OAuthError {
  readonly text: MessageKey;

  constructor(description: string, { text, ...options }: OAuthErrorOptions & { readonly text: MessageKey }) {
    super('access_denied', description, options);
    this.text = text;
  }
}
