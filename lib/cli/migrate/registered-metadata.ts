import { DETAIL_FIELDS } from '../../core/clients/about-fields.js';
import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientField, WireField } from '../../core/clients/client-field.js';
import { LeftOut } from './left-out.js';
import type { Difference } from './report.js';
import type { Stored } from './values.js';

/** Why a client with these fields cannot be registered; undefined if it can. */
type FindProblem = (client: Stored) => string | undefined;

/** A member of the old registration that a field of ours stands for. */
interface Registered {
  readonly field: string;
  readonly wire: WireField;
  readonly parsed: { readonly value: unknown } | { readonly problem: string };
}

/** Members of a registration that are decided on elsewhere, or belong to the old server alone. */
const DECIDED = new Set([
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_secret',
  'client_secret_expires_at',
  'grant_types',
  'redirect_uris',
  'registration_access_token',
  'registration_client_uri',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
]);

/**
 * The other metadata that a client was registered with (RFC 7591 §2), as far as there are fields for it here. What is
 * not copied is reported.
 *
 * @param given the fields that were already decided on
 * @throws LeftOut if the client would learn ids of users that the old server hid from it
 */
export function decideMetadata(
  metadata: Stored,
  { given, fields, findProblem }: { given: Stored; fields: readonly ClientField[]; findProblem: FindProblem },
): { readonly value: Partial<ClientMetadata>; readonly differences: readonly Difference[] } {
  const sent = Object.entries(metadata).filter(([name, value]) => !DECIDED.has(name) && isMeant(value));
  const found = fields.flatMap((field) => findRegistered(field, sent));
  const registered = found.filter(({ field }) => given[field] === undefined);
  let value: Stored = {};
  // the second time for what needs a field that comes after it
  for (const { field, parsed } of [...registered, ...registered])
    if ('value' in parsed && findProblem({ ...given, ...value, [field]: parsed.value }) === undefined)
      value = { ...value, [field]: parsed.value };
  const refused = registered
    .filter(({ field }) => !(field in value))
    .map(({ field, wire, parsed }) => ({
      field,
      name: wire.name,
      problem:
        'problem' in parsed ? parsed.problem : findProblem({ ...given, ...value, [field]: parsed.value }),
    }));
  const subject = refused.find(({ field }) => field === 'subjectType');
  if (subject !== undefined) throw new LeftOut(`its users have pairwise subjects: ${subject.problem}`);
  const known = new Set(found.map(({ wire }) => wire.name));
  return {
    value,
    differences: [
      ...refused.map(({ name, problem }) => ({ reason: `without ${name}: ${problem}` })),
      ...sent
        .filter(([name]) => !known.has(name))
        .map(([name]) => ({ reason: `without ${name.slice(0, 80)}, for which there is no field here` })),
      ...(value.subjectType === 'pairwise'
        ? [{ reason: 'its users get another sub, which openid.pairwise makes: switch it on' }]
        : []),
    ],
  };
}

/** What is not said, or said as it is by default. */
function isMeant(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    value !== false &&
    value !== '' &&
    !(Array.isArray(value) && value.length === 0)
  );
}

function findRegistered(
  { name: field, shape, wire: own }: ClientField,
  sent: readonly (readonly [string, unknown])[],
): Registered[] {
  // a client that registers itself says these among its details
  const wire = own ?? DETAIL_FIELDS.find(({ name }) => name === field)?.wire;
  const found = sent.find(([name]) => name === wire?.name);
  if (wire === undefined || found === undefined) return [];
  const { success, data, error } = (wire.shape ?? shape)().safeParse(found[1]);
  const parsed = success
    ? { value: wire.parse === undefined ? data : wire.parse(data as never) }
    : { problem: `it ${error.issues[0]?.message}` };
  return [{ field, wire, parsed }];
}
