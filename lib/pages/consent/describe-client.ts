import type { Shown } from '../../authorization/shown.js';
import { findShownUri } from '../../clients/shown-uri.js';
import type { Words } from '../../rendering/words.js';

/** What the consent page says of the client. */
export interface ClientDescription {
  readonly clientName: string;
  readonly clientLogo: string | undefined;
  readonly isVerified: boolean;
  /** Its pages, as far as they may be believed (RFC 7591 §2, §5). */
  readonly clientLinks: readonly { readonly uri: string; readonly label: string }[];
}

/** A client and where its answer goes; undefined if a device waits for it. */
interface Asking {
  readonly client: Shown['client'];
  readonly redirectUri?: string | undefined;
}

export function describeClient(
  { client, redirectUri }: Asking,
  { text }: Pick<Words, 'text'>,
): ClientDescription {
  const isVerified = isShownAsVerified(client);
  const { clientUri, policyUri, tosUri } = client.registration?.details ?? {};
  const shown = (uri: string | undefined) => findShownUri(uri, redirectUri, isVerified);
  const links = [
    { uri: shown(clientUri), label: text('consent.clientUri') },
    { uri: shown(policyUri), label: text('consent.policyUri') },
    { uri: shown(tosUri), label: text('consent.tosUri') },
  ];
  return {
    clientName: client.name,
    clientLogo: findClientLogo({ client, redirectUri }),
    isVerified,
    clientLinks: links.flatMap(({ uri, label }) => (uri === undefined ? [] : [{ uri, label }])),
  };
}

export function findClientLogo({ client, redirectUri }: Asking): string | undefined {
  const logoUri = client.logoUri ?? client.registration?.details.logoUri;
  return findShownUri(logoUri, redirectUri, isShownAsVerified(client));
}

export function isShownAsVerified({ verified, trusted }: Shown['client']): boolean {
  return verified === true || trusted === true;
}
