import type { Client } from '../../clients/client.js';
import { equalText, hashSecret } from '../../crypto/secrets.js';
import { tagOf } from '../../crypto/tags.js';
import { OAuthError } from '../../errors.js';
import { type Form, parseParameter, requireParameter } from '../../protocol/parameters.js';
import { findUsableClient } from '../find-usable-client.js';
import { type Prompt, withoutPrompts } from '../prompt.js';
import type { OpenRequestObject } from '../request-object.js';
import type { NamedRequest, RequestSource } from './request-source.js';

export interface SignedSourceDependencies {
  readonly open: OpenRequestObject;
  /** Signs what stands in addresses beside the object. */
  readonly secret: string;
}

/** Seconds in which whoever has come with an object logs in and decides; it may end meanwhile. */
const TIME_TO_DECIDE = 3600;

/** When an object came first, and which of its prompts have been answered since. */
interface Progress {
  readonly since: number;
  readonly answered: readonly Prompt[];
}

/**
 * A request that is a JWT of its client, by value. Nothing beside it counts, so that nobody on the way can change what
 * is asked for. (RFC 9101 §5.1, §6.3)
 */
export function createSignedSource({ open, secret }: SignedSourceDependencies): RequestSource {
  return {
    isNamed: ({ request }) => request !== undefined && request !== '',
    async read(name, now, findClient) {
      const clientId = requireParameter({ client_id: parseParameter(name, 'client_id') }, 'client_id');
      const jwt = objectIn(name);
      const client = await findUsableClient(findClient, clientId);
      const progress = progressIn(name, jwt, secret, now);
      const form = await open(jwt, client, new Date(progress.since * 1000));
      return namedBy({ jwt, client, form, progress, secret });
    },
    async readPushed(name, client, now) {
      const form = await open(objectIn(name), client, now);
      return { parameters: form, nameAfter: () => ({}), isPushed: true, isSigned: true };
    },
  };
}

/** @throws OAuthError invalid_request */
function objectIn(name: Form): string {
  // RFC 9101 §5
  if (parseParameter(name, 'request_uri') !== undefined)
    throw new OAuthError('invalid_request', 'a request has a request or a request_uri, not both', {
      reason: 'parameter_malformed',
    });
  return requireParameter({ request: parseParameter(name, 'request') }, 'request');
}

function namedBy({
  jwt,
  client,
  form,
  progress: { since, answered: before },
  secret,
}: {
  readonly jwt: string;
  readonly client: Client;
  readonly form: Form;
  readonly progress: Progress;
  readonly secret: string;
}): NamedRequest {
  const asked = typeof form.prompt === 'string' ? form.prompt.split(' ') : [];
  return {
    parameters: withoutPrompts(form, before),
    nameAfter(answered) {
      const all = [...new Set([...before, ...answered])].filter((prompt) => asked.includes(prompt)).sort();
      const text = [since, ...all].join(' ');
      return { client_id: client.clientId, request: jwt, request_progress: sign(text, jwt, secret) };
    },
    client,
    isSigned: true,
  };
}

/** An address that says by itself what has been answered, or since when it is open, is not believed. */
function progressIn(name: Form, jwt: string, secret: string, now: Date): Progress {
  const arrived = Math.floor(now.getTime() / 1000);
  const signed = parseParameter(name, 'request_progress') ?? '';
  const [text = ''] = signed.split('.');
  if (!equalText(signed, sign(text, jwt, secret))) return { since: arrived, answered: [] };
  const [since, ...answered] = text.split(' ');
  return Number(since) + TIME_TO_DECIDE < arrived
    ? { since: arrived, answered: [] }
    : { since: Number(since), answered: answered as Prompt[] };
}

function sign(text: string, jwt: string, secret: string): string {
  return `${text}.${tagOf(`request ${text} ${hashSecret(jwt)}`, secret)}`;
}
