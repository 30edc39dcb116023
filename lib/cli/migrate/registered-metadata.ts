import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { DETAIL_FIELDS } from '../../core/clients/client-fields.js';
import { isOmitted, readWireField, RESPONSE_ONLY } from '../../core/clients/wire-metadata.js';
import { LeftOut } from './left-out.js';
import type { Difference } from './report.js';
import type { Stored } from './values.js';

/** Which fields are decided on already, and why a client with these and others cannot be registered. */
interface Decisions {
  readonly given: Stored;
  /** Undefined if it can. */
  readonly findProblem: (client: Stored) => string | undefined;
}

/** A field, and what the old server has registered for it under the name on the wire. */
interface Registered {
  readonly field: string;
  readonly name: string;
  readonly read: { readonly value: unknown } | { readonly problem: string };
}

/** Members of a registration that are decided on elsewhere, or belong to the old server alone. */
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
 * The other metadata that a client was registered with (RFC 7591 §2), as far as there are fields for it here. What is
 * not copied is reported.
 *
 * @throws LeftOut if the client would learn ids of users that the old server hid from it
 */
export function decideMetadata(
  metadata: Stored,
  fields: readonly ClientField[],
  decisions: Decisions,
): { readonly value: Partial<ClientMetadata>; readonly differences: readonly Difference[] } {
  const members = Object.entries(metadata).filter(([name, value]) => !DECIDED.has(name) && !isDefault(value));
  const found = findRegistered(Object.fromEntries(members), fields);
  const registered = found.filter(({ field }) => decisions.given[field] === undefined);
  const value = takeFitting(registered, decisions);
  const refused = registered
    .filter(({ field }) => !(field in value))
    .map((each) => ({ ...each, problem: problemOf(each, value, decisions) }));
  const subject = refused.find(({ field }) => field === 'subjectType');
  if (subject !== undefined) throw new LeftOut(`its users have pairwise subjects: ${subject.problem}`);
  const unknown = members.filter(([name]) => !found.some((each) => each.name === name));
  return {
    value,
    differences: [
      ...refused.map(({ name, problem }) => ({ reason: `without ${name}: ${problem}` })),
      ...unknown.map(([name]) => ({
        reason: `without ${name.slice(0, 80)}, for which there is no field here`,
      })),
      ...(value.subjectType === 'pairwise'
        ? [{ reason: 'its users get another sub, which openid.pairwise makes: switch it on' }]
        : []),
    ],
  };
}

/** Servers that store every member store most of them without a value. */
function isDefault(value: unknown): boolean {
  return isOmitted(value) || value === false || (Array.isArray(value) && value.length === 0);
}

function findRegistered(metadata: Stored, fields: readonly ClientField[]): Registered[] {
  return fields.flatMap(({ name: field, shape, wire: own }) => {
    // a client that registers itself says these among its details
    const wire = own ?? DETAIL_FIELDS.find(({ name }) => name === field)?.wire;
    const read = wire && readWireField({ shape, wire }, metadata);
    return wire === undefined || read === undefined ? [] : [{ field, name: wire.name, read }];
  });
}

function takeFitting(registered: readonly Registered[], decisions: Decisions): Stored {
  let taken: Stored = {};
  // the second time for what needs a field that comes after it
  for (const each of [...registered, ...registered])
    if ('value' in each.read && problemOf(each, taken, decisions) === undefined)
      taken = { ...taken, [each.field]: each.read.value };
  return taken;
}

function problemOf(
  { field, read }: Registered,
  taken: Stored,
  { given, findProblem }: Decisions,
): string | undefined {
  return 'problem' in read ? `it ${read.problem}` : findProblem({ ...given, ...taken, [field]: read.value });
}
