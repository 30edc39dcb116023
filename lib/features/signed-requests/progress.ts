import { completedPromptsOf, type Prompt, withoutPrompts } from '../../core/authorization/prompt.js';
import type { UncheckedRequest } from '../../core/authorization/request-source.js';
import type { Client } from '../../core/clients/client.js';
import { equalText, hashSecret, tagOf } from '../../shared/crypto/secrets.js';
import { type Form, parseParameter } from '../../shared/protocol/parameters.js';

/** Seconds for the login and the decision after an object arrives, even if it expires meanwhile. */
const TIME_TO_DECIDE = 3600;

/** When an object first arrived, and its prompts that have been completed since. */
export interface Progress {
  readonly since: number;
  readonly completed: readonly Prompt[];
}

/** A request object, by value or by reference. */
export interface ReferencedObject {
  readonly client: Client;
  /** The parameters that carry it in this site's addresses, beside `client_id`. */
  readonly query: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

/** The request in an object. @param secret signs the progress in addresses */
export function requestOfObject(
  { client, query, progress: { since, completed: before } }: ReferencedObject,
  form: Form,
  secret: string,
): UncheckedRequest {
  return {
    parameters: withoutPrompts(form, before, true),
    toQuery(completed, isLoginRequested) {
      const all = completedPromptsOf(form, [...before, ...completed], isLoginRequested);
      return queryWith({ client, query, progress: { since, completed: all } }, secret);
    },
    client,
    isSigned: true,
  };
}

/** The request of an object that is not fetched yet, whose prompts are therefore unknown. */
export function requestNotFetched(
  { client, query, progress }: ReferencedObject,
  secret: string,
): UncheckedRequest {
  return {
    parameters: {},
    toQuery: (completed) =>
      queryWith(
        { client, query, progress: { ...progress, completed: [...progress.completed, ...completed] } },
        secret,
      ),
    client,
  };
}

function queryWith(
  { client, query, progress: { since, completed } }: ReferencedObject,
  secret: string,
): Form {
  const text = [since, ...completed].join(' ');
  return { client_id: client.clientId, ...query, request_progress: sign(text, textOf(query), secret) };
}

/** The progress in the query; none without a valid signature, because anybody can write an address. */
export function progressIn(
  form: Form,
  name: ReferencedObject['query'],
  { now, secret }: { readonly now: Date; readonly secret: string },
): Progress {
  const arrived = Math.floor(now.getTime() / 1000);
  const signed = parseParameter(form, 'request_progress') ?? '';
  const [text = ''] = signed.split('.');
  if (!equalText(signed, sign(text, textOf(name), secret))) return { since: arrived, completed: [] };
  const [since, ...answered] = text.split(' ');
  if (Number(since) + TIME_TO_DECIDE < arrived) return { since: arrived, completed: [] };
  return { since: Number(since), completed: answered as Prompt[] };
}

function textOf(name: ReferencedObject['query']): string {
  return Object.values(name).join(' ');
}

function sign(text: string, object: string, secret: string): string {
  return `${text}.${tagOf(`request ${text} ${hashSecret(object)}`, secret)}`;
}
