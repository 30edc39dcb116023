import type { Client } from '../../clients/client.js';

/** What the client is told, under the wire names; undefined values are left out. */
export type ResponseParameters = Readonly<Record<string, string | undefined>>;

/** What a response mode knows about the request that it answers. */
export interface AnsweredRequest {
  readonly client: Client;
  readonly redirectUri: string;
  /** The default mode of its response type (RFC 6749 §4.1.2, §4.2.2). */
  readonly defaultMode: string;
  readonly now: Date;
}

/** An answer on its way: the browser goes to an address, or sends a form to one. */
export interface Delivery {
  readonly address: string;
  /** The fields of a form, which is sent by POST; absent: the browser is redirected. */
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * One way in which the answer to an authorization request, or its error, reaches the client: one file, and one line in
 * the list of what is built in, or in its feature.
 *
 * @see OAuth 2.0 Multiple Response Type Encoding Practices §2.1
 */
export interface ResponseMode {
  /** Its name in metadata. */
  readonly responseMode: string;
  /** Whether its answers are signed (JARM). */
  readonly isSigned?: true;
  /** Whether answers whose response type has that default mode may use this one. */
  fits(defaultMode: string): boolean;
  /** Whether it can reach this redirect URI, and return that state as it came. Default: any. */
  reaches?(redirectUri: string, state: string): boolean;
  write(parameters: ResponseParameters, request: AnsweredRequest): Delivery | Promise<Delivery>;
}

/** The parameters that are not undefined. */
export function given(parameters: ResponseParameters): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** `application/x-www-form-urlencoded` (RFC 6749 §4.1.2, §4.2.2, Appendix B). */
export function formatParameters(parameters: ResponseParameters): string {
  return new URLSearchParams(given(parameters)).toString();
}
