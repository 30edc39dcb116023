import type { EndpointOf } from './endpoint-of.js';
import type { Server } from './server.js';

/** A path of the authorization server and what answers there. */
export type Endpoint = EndpointOf<Server>;
