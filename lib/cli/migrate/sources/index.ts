import type { Source } from '../source.js';
import { nodeOauth } from './node-oauth.js';
import { oauth2orize } from './oauth2orize.js';
import { oidcProvider } from './oidc-provider.js';

/** The sources of `migrate`: a new one is one file and one line here. */
export const SOURCES: readonly Source[] = [nodeOauth, oauth2orize, oidcProvider];
