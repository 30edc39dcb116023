import { answeredOf, type Prompt, withoutPrompts } from '../../core/authorization/prompt.js';
import type { RequestReference } from '../../core/authorization/sources/request-source.js';
import type { Client } from '../../core/clients/client.js';
import { equalText, hashSecret } from '../../shared/crypto/secrets.js';
import { tagOf } from '../../shared/crypto/tags.js';
import { type Form, parseParameter } from '../../shared/protocol/parameters.js';

/** Seconds that people have to log in and decide after they came with an object, even if it expires meanwhile. */
const TIME_TO_DECIDE = 3600;

/** When an object first came, and which of its prompts have been answered since. */
export interface Progress {
  readonly since: number;
  readonly answered: readonly Prompt[];
}

/** A request object that was opened. */
export interface OpenedObject {
  readonly client: Client;
  readonly form: Form;
  /** The parameters that name it in addresses from now on, beside its client. */
  readonly name: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

/** The request that an object is. @param secret signs what stands in addresses beside it */
export function namedByObject(
  { client, form, name, progress: { since, answered: before } }: OpenedObject,
  secret: string,
): RequestReference {
  return {
    parameters: withoutPrompts(form, before, true),
    referenceAfter(answered, isLoginRequested) {
      const all = answeredOf(form, [...before, ...answered], isLoginRequested);
      return nameWith({ client, name, progress: { since, answered: all } }, secret);
    },
    client,
    isSigned: true,
  };
}

/** The request that an object will be once it is fetched; which prompts it has is not known before. */
export function namedByUnread(
  { client, name, progress }: Omit<OpenedObject, 'form'>,
  secret: string,
): RequestReference {
  return {
    parameters: {},
    referenceAfter: (answered) =>
      nameWith(
        { client, name, progress: { ...progress, answered: [...progress.answered, ...answered] } },
        secret,
      ),
    client,
  };
}

function nameWith(
  { client, name, progress: { since, answered } }: Omit<OpenedObject, 'form'>,
  secret: string,
): Form {
  const text = [since, ...answered].join(' ');
  return { client_id: client.clientId, ...name, request_progress: sign(text, textOf(name), secret) };
}

/** Believes no unsigned address about what has been answered, or about when the object came. */
export function progressIn(
  form: Form,
  name: OpenedObject['name'],
  { now, secret }: { readonly now: Date; readonly secret: string },
): Progress {
  const arrived = Math.floor(now.getTime() / 1000);
  const signed = parseParameter(form, 'request_progress') ?? '';
  const [text = ''] = signed.split('.');
  if (!equalText(signed, sign(text, textOf(name), secret))) return { since: arrived, answered: [] };
  const [since, ...answered] = text.split(' ');
  return Number(since) + TIME_TO_DECIDE < arrived
    ? { since: arrived, answered: [] }
    : { since: Number(since), answered: answered as Prompt[] };
}

function textOf(name: OpenedObject['name']): string {
  return Object.values(name).join(' ');
}

function sign(text: string, object: string, secret: string): string {
  return `${text}.${tagOf(`request ${text} ${hashSecret(object)}`, secret)}`;
}
