import { z } from 'zod';

import { send } from './http.js';

const metadataShape = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  pushed_authorization_request_endpoint: z.url(),
  introspection_endpoint: z.url(),
  revocation_endpoint: z.url(),
  device_authorization_endpoint: z.url().optional(),
  jwks_uri: z.url().optional(),
  userinfo_endpoint: z.url().optional(),
  end_session_endpoint: z.url().optional(),
});

/** The metadata of the server, which a client finds by the issuer's URL (RFC 8414). */
export type ServerMetadata = z.infer<typeof metadataShape>;

const KEEP = 5 * 60_000;

/** Reads the metadata at first use, and again after some minutes; failures are not cached. */
export function createDiscovery(issuer: string): () => Promise<ServerMetadata> {
  let known: { readonly metadata: ServerMetadata; readonly until: number } | undefined;
  return async () => {
    if (known !== undefined && known.until > Date.now()) return known.metadata;
    const { body } = await send({
      method: 'GET',
      url: new URL('/.well-known/oauth-authorization-server', issuer),
    });
    const metadata = metadataShape.parse(JSON.parse(body));
    // RFC 8414 §3.3: the metadata must be those of the issuer
    if (metadata.issuer !== issuer) throw new Error('the metadata are of another issuer');
    known = { metadata, until: Date.now() + KEEP };
    return metadata;
  };
}
