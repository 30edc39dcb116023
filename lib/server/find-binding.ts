import type { ClientRequest } from '../client-authentication/client-request.js';
import type { Binding } from '../proofs/proof.js';

/**
 * What the tokens of a request are bound to, by what it has shown; nothing if it has shown nothing.
 *
 * @throws OAuthError if what they have to be bound to is missing
 */
export type FindBinding = (request: ClientRequest) => Binding | undefined;
