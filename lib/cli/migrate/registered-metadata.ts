import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { DETAIL_FIELDS } from '../../core/clients/client-fields.js';
import { isOmitted, readWireField, RESPONSE_ONLY } from '../../core/clients/wire-metadata.js';
import { type Difference, LeftOut } from './report.js';
import type { Stored } from './values.js';

/** Members of a registration that other code decides, or that only matter to the old server. */
const DECIDED = new Set([
  ...RESPONSE_ONLY,
  'client_id',
  'client_name',
  'client_secret',
  'grant_types',
  'redirect_uris',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
]);

/**
 * The other registered metadata of a client (RFC 7591 §2), if there are fields for it. Values that are not copied are
 * reported.
 *
 * @param decided the fields that are decided already
 * @param findProblem the problem of a client with these and other fields; otherwise undefined
 * @throws LeftOut if the client would learn ids of users that the old server hid from it
 */
export function decideMetadata(
  metadata: Stored,
  fields: readonly ClientField[],
  decided: Stored,
  findProblem: (client: Stored) => string | undefined,
) {
  // some servers store every member, most of them without a value
  const members = Object.entries(metadata).filter(
    ([name, value]) =>
      !DECIDED.has(name) &&
      !isOmitted(value) &&
      value !== false &&
      !(Array.isArray(value) && value.length === 0),
  );
  const readable = fields.flatMap(({ name: field, shape, wire: fieldWire }) => {
    // a self-registered client has these among its details
    const wire = fieldWire ?? DETAIL_FIELDS.find(({ name }) => name === field)?.wire;
    const read = wire && readWireField({ shape, wire }, Object.fromEntries(members));
    return wire === undefined || read === undefined ? [] : [{ field, name: wire.name, read }];
  });
  const registered = readable.filter(({ field }) => decided[field] === undefined);
  let value: Stored & Partial<ClientMetadata> = {};
  const problemOf = ({ field, read }: (typeof readable)[number]) =>
    'problem' in read ? `it ${read.problem}` : findProblem({ ...decided, ...value, [field]: read.value });
  // twice, for fields that depend on later ones
  for (const each of [...registered, ...registered])
    if ('value' in each.read && problemOf(each) === undefined)
      value = { ...value, [each.field]: each.read.value };

  const differences: Difference[] = [];
  for (const each of registered.filter(({ field }) => !(field in value))) {
    const problem = problemOf(each);
    if (each.field === 'subjectType') throw new LeftOut(`its users have pairwise subjects: ${problem}`);
    differences.push({ reason: `without ${each.name}: ${problem}` });
  }
  for (const [name] of members.filter(([member]) => !readable.some((each) => each.name === member)))
    differences.push({ reason: `without ${name.slice(0, 80)}, for which there is no field here` });
  if (value.subjectType === 'pairwise')
    differences.push({
      reason: 'its users get another sub, which openid.pairwiseSalt makes: set it',
    });
  return { value, differences };
}
