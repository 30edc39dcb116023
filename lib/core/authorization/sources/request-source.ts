import type { GetCaller } from '../../../shared/outbound/limit-untrusted-fetch.js';
import type { Form } from '../../../shared/protocol/parameters.js';
import type { Client } from '../../clients/client.js';
import type { Prompt } from '../prompt.js';

/** An authorization request as its source gives it, not checked yet. */
export interface RequestReference {
  readonly parameters: Form;
  /**
   * The name of the same request after people have answered some of its prompts.
   *
   * @param isLoginAsked whether the age of the login matters. Default: if the request itself says so
   */
  referenceAfter(answered: readonly Prompt[], isLoginRequested?: boolean): Form;
  /** Whether its client has sent it directly, not through the browser (RFC 9126). */
  readonly isPushed?: true;
  /** Whether its client has signed it (RFC 9101). */
  readonly isSigned?: true;
  /** The client, if its source had to find it. */
  readonly client?: Client;
  /**
   * Called once the person has decided, before anything comes of it. Absent: the request may be made again.
   *
   * @throws OAuthError if it has been used
   */
  useUp?(): Promise<void>;
}

/** @param getCaller who is charged if a document of the client has to be fetched. Default: the client */
export type FindClient = (id: string, getCaller?: GetCaller) => Promise<Client | null>;

/** What a source reads a request with. */
export interface ReadContext {
  /** For a request that cannot be read without its client. */
  readonly findClient: FindClient;
  /** Who is charged for what has to be fetched. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

/**
 * One way in which an authorization request is named: by its parameters, or by the id of one that was sent before. The
 * name is in the query of the authorization endpoint, in the way back from the login page, and in the forms of the
 * pages.
 */
export interface RequestSource {
  /** Whether the name names a request in this way. */
  isNamed(name: Form): boolean;
  /**
   * Finds the request that is named.
   *
   * @throws OAuthError which is shown to the person; UnreadRequest if it is fetched only for somebody who is logged in
   */
  read(name: Form, now: Date, context: ReadContext): RequestReference | Promise<RequestReference>;
  /**
   * Reads a request that a client pushes in this way. Default: the pushed parameters are the request.
   *
   * @throws OAuthError
   */
  readPushed?(form: Form, client: Client, now: Date): Promise<RequestReference>;
}
