import type { EndpointOf, WellKnownDocumentOf } from './endpoint-of.js';
import type { Server } from './server.js';

/** A path of the authorization server and what answers there. */
export type Endpoint = EndpointOf<Server>;

/** A JSON document that says something about the server, at a well-known path of its own (RFC 8615). */
export type WellKnownDocument = WellKnownDocumentOf<Server>;
