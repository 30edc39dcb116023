import { limitName } from '../../shared/protocol/display-name.js';
import { page, shortText } from './validation/schemas.js';

type Wire = Readonly<Record<string, unknown>>;

/** Members that decide nothing, with their shape. */
const INFORMING = [
  [['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'], page],
  [['software_id', 'software_version'], shortText],
] as const;
const MAX_CONTACTS = 10;

/**
 * A registration request without what this server could not keep, and what is only told: it decides nothing, and a
 * program that gets a refusal for it has no other way in. The response shows what is left. Names go on to the rules for
 * names; redirect URIs, keys and everything else that counts is refused if it is wrong.
 *
 * @see RFC 7591 §2, §3.2.1
 */
export function cleanRegistration(request: Wire): Wire {
  const cleaned: Record<string, unknown> = { ...request };
  for (const [names, shape] of INFORMING)
    for (const name of names)
      if (Object.hasOwn(request, name) && !shape().safeParse(request[name]).success) delete cleaned[name];
  const { client_name: clientName, contacts, jwks, response_types: responseTypes } = request;
  // a list, a number or blanks are no name, and a client without one is called by its id
  if (typeof clientName === 'string') cleaned.client_name = limitName(clientName);
  else delete cleaned.client_name;
  if (Object.hasOwn(request, 'contacts')) cleaned.contacts = contactsIn(contacts);
  // who needs keys is told that they are missing
  if (isEmptyKeySet(jwks)) delete cleaned.jwks;
  if (isEmptyList(responseTypes)) delete cleaned.response_types;
  return cleaned;
}

function contactsIn(contacts: unknown): readonly string[] | undefined {
  const list = (Array.isArray(contacts) ? contacts : [contacts]) as readonly unknown[];
  const usable = list.filter((each) => shortText().safeParse(each).success && each !== '') as string[];
  return usable.length === 0 ? undefined : usable.slice(0, MAX_CONTACTS);
}

/** `{}` and `{ keys: [] }`, of programs that write down every member that there is (RFC 7517 §5). */
function isEmptyKeySet(jwks: unknown): boolean {
  if (typeof jwks !== 'object' || jwks === null || Array.isArray(jwks)) return false;
  const { keys = [], ...others } = jwks as { keys?: unknown };
  return isEmptyList(keys) && Object.keys(others).length === 0;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
