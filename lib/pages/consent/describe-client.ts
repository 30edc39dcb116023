import type { Shown } from '../../authorization/shown.js';
import { findShownUri } from '../../clients/shown-uri.js';
import type { Words } from '../../rendering/words.js';

/** What the consent page says of the client. */
export interface ClientDescription {
  readonly clientName: string;
  readonly clientLogo: string | undefined;
  readonly isVerified: boolean;
  /** What it is for. Only if it is verified: otherwise it could say anything to the person who decides. */
  readonly clientDescription: string | undefined;
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
  const { details } = client.registration ?? {};
  const shown = (uri: string | undefined) => findShownUri(uri, redirectUri, isVerified);
  const links = [
    { uri: shown(client.clientUri ?? details?.clientUri), label: text('consent.clientUri') },
    { uri: shown(client.policyUri ?? details?.policyUri), label: text('consent.policyUri') },
    { uri: shown(client.tosUri ?? details?.tosUri), label: text('consent.tosUri') },
  ];
  return {
    clientName: client.name,
    clientLogo: findClientLogo({ client, redirectUri }),
    isVerified,
    clientDescription: isVerified ? client.description : undefined,
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
