import { type GetCaller, LoginNeeded } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type { Client } from '../clients/client.js';
import type { ClientSource } from '../clients/client-store.js';
import { type Prompt, withoutPrompts } from './prompt.js';

/** An authorization request as its source has read it; `checkRequestTarget` checks it. */
export interface UncheckedRequest {
  readonly parameters: Form;
  /**
   * The query of GET /authorize for the same request, after users have completed some of its prompts.
   *
   * @param isLoginRequested whether the age of the login matters. Default: whether the request itself requires it
   */
  toQuery(completed: readonly Prompt[], isLoginRequested?: boolean): Form;
  /** Whether the client sent the request directly, not through the browser (RFC 9126). */
  readonly isPushed?: true;
  /** Whether the client signed the request (RFC 9101). */
  readonly isSigned?: true;
  readonly client?: Client;
  /**
   * Called once the user has decided, before anything is issued. Absent: the request may be made again.
   *
   * @throws OAuthError if the request was used before
   */
  consume?(): Promise<void>;
}

export interface ReadContext {
  /** For a request that cannot be read without its client. */
  readonly clientSource: ClientSource;
  /** The caller whose rate limit a fetch counts against. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

/**
 * One way to send an authorization request: its parameters (`querySource`), the `request_uri` of a pushed one, or a
 * signed object. A source reads the query of GET /authorize; the return path of the login page and the forms of the
 * pages have the same query.
 *
 * Features bring sources (`createRequestSources`); `findSource` tries them in the order of `lib/features.ts`.
 */
export interface RequestSource {
  matches(query: Form): boolean;
  /**
   * Reads the request.
   *
   * @throws OAuthError which is displayed to the user; RequestNeedsLogin if only logged-in users cause a fetch
   */
  read(query: Form, now: Date, context: ReadContext): UncheckedRequest | Promise<UncheckedRequest>;
  /**
   * Reads a request that a client pushes in this form. Default: the pushed parameters are the request.
   *
   * @throws OAuthError
   */
  readPushed?(form: Form, client: Client, now: Date): Promise<UncheckedRequest>;
}

/** Thrown for a request at an address of its client, which is not fetched before the user has logged in. */
export class RequestNeedsLogin extends LoginNeeded {
  constructor(
    readonly client: Client,
    readonly original: UncheckedRequest,
  ) {
    super();
  }
}

/** The parameters of the query are the request (RFC 6749 §4.1.1). */
export const querySource = {
  matches: () => true,
  read: (query: Form): UncheckedRequest => ({
    parameters: query,
    toQuery: (completed, isLoginRequested) => withoutPrompts(query, completed, isLoginRequested),
  }),
} satisfies RequestSource;

/** The first source of a feature that matches the query; otherwise the query's parameters are the request. */
export function findSource(sources: readonly RequestSource[], query: Form): RequestSource {
  return sources.find((source) => source.matches(query)) ?? querySource;
}
