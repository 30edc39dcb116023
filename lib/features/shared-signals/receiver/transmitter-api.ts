import type { JWTVerifyGetKey } from 'jose';

import { createTrustedKeys } from '../../../core/keys/trusted-keys.js';
import {
  callJson,
  fetchJson,
  type JsonCall,
  type JsonCallAnswer,
} from '../../../shared/outbound/safe-fetch.js';
import { SSF_CONFIGURATION, wellKnownUrls } from '../../../shared/protocol/well-known.js';
import type { TrustedTransmitter } from '../options.js';

/** The members of a transmitter's metadata that a receiver uses. (Shared Signals Framework §7.1) */
export interface TransmitterMetadata {
  readonly issuer: string;
  readonly jwks_uri?: string;
  readonly configuration_endpoint?: string;
  readonly status_endpoint?: string;
  readonly add_subject_endpoint?: string;
  readonly remove_subject_endpoint?: string;
  readonly verification_endpoint?: string;
  readonly critical_subject_members?: readonly string[];
}

export type TransmitterApi = ReturnType<typeof createTransmitterApi>;

/** Milliseconds. */
const TIMEOUT = 10_000;
const MAX_BYTES = 1_048_576;
/** Milliseconds that metadata are cached. */
const METADATA_LIFE = 600_000;
const OPTION = 'sharedSignals.receiver';

/** Calls the API of a transmitter. */
export function createTransmitterApi(transmitter: TrustedTransmitter) {
  const { issuer, jwksUri, accessToken, allowPrivateAddresses } = transmitter;
  const limits = { allowPrivateAddresses, timeout: TIMEOUT, maxBytes: MAX_BYTES };
  let cached: { readonly metadata: Promise<TransmitterMetadata>; readonly until: number } | undefined;
  let cachedKeys: { readonly uri: string; readonly keys: () => Promise<JWTVerifyGetKey> } | undefined;

  const read = async (): Promise<TransmitterMetadata> => {
    // §7.2.1
    const url = wellKnownUrls(issuer, SSF_CONFIGURATION).beforePath;
    const { body } = await fetchJson(url, limits);
    const metadata = (typeof body === 'object' && body !== null ? body : {}) as TransmitterMetadata;
    // §7.2.4: `issuer` MUST be identical to the issuer whose document this is
    if (metadata.issuer !== issuer) throw new Error(`the metadata at ${url} are not those of ${issuer}`);
    const wrong = Object.entries(metadata).find(
      ([name, value]) => /_(uri|endpoint)$/.test(name) && (typeof value !== 'string' || !URL.canParse(value)),
    );
    if (wrong !== undefined) throw new Error(`the metadata of ${issuer} have a ${wrong[0]} that is no URL`);
    return metadata;
  };
  /** @throws Error if the metadata cannot be fetched, or have another issuer */
  const metadata = (): Promise<TransmitterMetadata> => {
    if (cached !== undefined && performance.now() < cached.until) return cached.metadata;
    const entry = { metadata: read(), until: performance.now() + METADATA_LIFE };
    cached = entry;
    // failures are not cached
    entry.metadata.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.metadata;
  };
  const how = { option: OPTION, fetchKeySet: async (url: string) => (await fetchJson(url, limits)).body };

  return {
    metadata,
    /** The public keys of the transmitter. @throws Error if the keys cannot be fetched */
    async keys(): Promise<JWTVerifyGetKey> {
      const uri = jwksUri ?? (await metadata()).jwks_uri;
      if (uri === undefined) throw new Error(`the metadata of ${issuer} have no jwks_uri`);
      if (cachedKeys?.uri !== uri) cachedKeys = { uri, keys: createTrustedKeys({ jwksUri: uri }, how) };
      return cachedKeys.keys();
    },
    /** Calls the management API, or polls, with an access token. */
    async call(call: JsonCall, timeout = TIMEOUT): Promise<JsonCallAnswer> {
      if (accessToken === undefined)
        throw new TypeError(`sharedSignals: ${issuer} is called with an access token; write accessToken`);
      const headers = { ...call.headers, authorization: `Bearer ${await accessToken()}` };
      return callJson({ ...call, headers }, { ...limits, timeout });
    },
  };
}
