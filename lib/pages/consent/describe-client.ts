import type { ConsentClient } from '../../core/authorization/consent-client.js';
import { findDisplayedUri } from '../../core/clients/page-uri.js';
import type { Translator } from '../rendering/translator.js';

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
  readonly client: ConsentClient;
  readonly redirectUri?: string | undefined;
}

export function describeClient(
  { client, redirectUri }: Asking,
  { text }: Pick<Translator, 'text'>,
): ClientDescription {
  const { isVerified } = client;
  const displayed = (uri: string | undefined) => findDisplayedUri(uri, redirectUri, isVerified);
  const links = [
    { uri: displayed(client.clientUri), label: text('consent.clientUri') },
    { uri: displayed(client.policyUri), label: text('consent.policyUri') },
    { uri: displayed(client.tosUri), label: text('consent.tosUri') },
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
  return findDisplayedUri(client.logoUri, redirectUri, client.isVerified);
}
