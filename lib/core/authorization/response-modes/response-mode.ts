import type { Client } from '../../clients/client.js';

/** The parameters of an authorization response by their wire names; undefined values are left out. */
export type ResponseParameters = Readonly<Record<string, string | undefined>>;

/** What a response mode knows about the request. */
export interface ResponseContext {
  readonly client: Client;
  readonly redirectUri: string;
  /** The default mode of its response type (RFC 6749 §4.1.2, §4.2.2). */
  readonly defaultMode: string;
  readonly now: Date;
}

/** An authorization response: the browser goes to an address, or sends a form to one. */
export interface AuthorizationResponse {
  readonly address: string;
  /** The fields of a form, which is sent by POST; absent: the browser is redirected. */
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * One way in which the response to an authorization request, or its error, reaches the client. Those that every server
 * has are in the list of `index.ts`; features bring others (`createResponseModes`).
 *
 * @see OAuth 2.0 Multiple Response Type Encoding Practices §2.1
 */
export interface ResponseMode {
  /** Its name in metadata. */
  readonly responseMode: string;
  /** Whether its responses are signed (JARM). */
  readonly isSigned?: true;
  /** Whether responses whose response type has that default mode may use this one. */
  fits(defaultMode: string): boolean;
  /** Whether it can reach this redirect URI, and return that state as it came. Default: any. */
  reaches?(redirectUri: string, state: string): boolean;
  write(
    parameters: ResponseParameters,
    request: ResponseContext,
  ): AuthorizationResponse | Promise<AuthorizationResponse>;
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
