import type { Response } from 'express';

/** What the client is told, by the wire names; what is undefined is left out. */
export type ResponseParameters = Readonly<Record<string, string | undefined>>;

/**
 * One way in which the answer to an authorization request, or its error, reaches the client.
 *
 * @see OAuth 2.0 Multiple Response Type Encoding Practices §2.1
 */
export interface ResponseMode {
  /** As metadata calls it. */
  readonly responseMode: string;
  /** Sends the person on to the redirect URI with the parameters. */
  respond(res: Response, redirectUri: string, parameters: ResponseParameters): void;
  /** The same as an address, for a link that the person may follow. */
  urlOf(redirectUri: string, parameters: ResponseParameters): string;
}

/** `application/x-www-form-urlencoded` (RFC 6749 §4.1.2, §4.2.2, Appendix B). */
export function formatParameters(parameters: ResponseParameters): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.append(name, value);
  return form.toString();
}
