import type { ClientRequest } from '../client-authentication/client-request.js';
import type { Binding } from '../proofs/proof.js';

/**
 * What the tokens of a request are bound to, going by what it has shown; undefined if it has shown nothing.
 *
 * @throws OAuthError if what they have to be bound to is missing
 */
export type FindBinding = (request: ClientRequest) => Binding | undefined;
