import { beforeAll, expect } from '@jest/globals';

import { IS_LONG } from '../support/long-run.js';
import { type Outcome, outcomeOf } from '../support/outcomes.js';
import { type RawRequest } from '../support/raw-http.js';
import {
  encodeFields,
  type Endpoint,
  EVERY_GRANT,
  type Field,
  openEndpoints,
  type RightRequest,
  sendAndFollow,
  storedText,
  toRaw,
} from '../support/right-requests.js';
import { siteFor } from '../support/site-for.js';

export const site = siteFor(EVERY_GRANT);
export let endpoints: readonly Endpoint[];

beforeAll(async () => {
  endpoints = (await openEndpoints(site)).filter(takesFields);
});

const takesFields = ({ single }: Endpoint) => single.length > 0;

export type Change = (right: RightRequest, field: string) => RawRequest;

interface Attacks {
  readonly endpoints?: readonly Endpoint[];
  /** The fields to break, one after the other. Default: those that the endpoint reads once. */
  readonly fieldsOf?: (endpoint: Endpoint, right: RightRequest) => readonly string[];
  readonly changes: Readonly<Record<string, Change>>;
}

const REFUSALS: readonly Outcome[] = ['refused', 'refused by Node'];

/** Each wrong request is refused in a documented form and stores nothing, and the valid one still works after it. */
export async function expectRefusals({
  endpoints: attacked = endpoints,
  fieldsOf = singleFields,
  changes,
}: Attacks): Promise<void> {
  for (const endpoint of attacked) {
    const right = await endpoint.create();
    const before = await storedText(site);
    const fields = fieldsOf(endpoint, right);
    expect(fields.length).toBeGreaterThan(0);
    for (const [what, change, field] of pairs(Object.entries(changes), fields)) {
      const response = await sendAndFollow(site.server, change(right, field));
      const outcome = outcomeOf(endpoint, response);
      // RFC 7009 §2.2: for an invalid token there is nothing to revoke
      if (endpoint.name === 'token: revoke' && outcome === 'accepted') continue;
      // RFC 9700 §4.11.2: anonymous users log in first, and see the error afterwards
      if (outcome === 'sent to the login' && endpoint.outcome === outcome) continue;
      if (!REFUSALS.includes(outcome))
        throw new Error(
          `${what} in ${field} of ${endpoint.name}: ${outcome}, ${response.status} ${response.body.slice(0, 300)}`,
        );
    }
    expect([endpoint.name, (await storedText(site)) === before]).toEqual([endpoint.name, true]);
    expect([endpoint.name, outcomeOf(endpoint, await sendAndFollow(site.server, toRaw(right)))]).toEqual([
      endpoint.name,
      endpoint.outcome,
    ]);
  }
}

/** Each change and each field at least once; in a long run each change in each field. */
function pairs(
  changes: readonly (readonly [what: string, change: Change])[],
  fields: readonly string[],
): (readonly [what: string, change: Change, field: string])[] {
  const all = changes.flatMap((change, row) =>
    fields.map((field, column) => ({ pair: [...change, field] as const, row, column })),
  );
  const isTaken = ({ row, column }: (typeof all)[number]) =>
    changes.length > fields.length ? row % fields.length === column : column % changes.length === row;
  return all.filter((one) => IS_LONG || isTaken(one)).map(({ pair }) => pair);
}

/** The same change with each of the values. */
export const each = <T extends string>(
  values: readonly T[],
  change: (value: T) => Change,
): Record<string, Change> =>
  Object.fromEntries(values.map((value) => [JSON.stringify(value.slice(0, 40)), change(value)]));

const present = ({ fields }: RightRequest, names: readonly string[]) =>
  names.filter((name) => fields.some(([field]) => field === name));
export const singleFields = ({ single }: Endpoint, right: RightRequest) => present(right, single);
export const requiredFields = ({ required }: Endpoint, right: RightRequest) => present(right, required);
// the form of a page may have values that a protocol parameter may not, and a hint may be wrong (RFC 7009 §2.1)
export const strictFields = (endpoint: Endpoint, right: RightRequest) =>
  /^applications|revoke|introspect/.test(endpoint.name)
    ? requiredFields(endpoint, right)
    : singleFields(endpoint, right);
export const wholeRequest = () => ['(all)'];

export const replaceValue = (right: RightRequest, field: string, change: (value: string) => string) =>
  toRaw({
    ...right,
    fields: right.fields.map(([name, value]): Field => [name, name === field ? change(value) : value]),
  });
export const replaceName = (right: RightRequest, field: string, changed: string) =>
  toRaw({
    ...right,
    fields: right.fields.map(([name, value]): Field => [name === field ? changed : name, value]),
  });
export const addField = (right: RightRequest, name: string, value: string) =>
  toRaw({ ...right, fields: [...right.fields, [name, value]] });
/** Appended unencoded to the encoded value. */
export const appendBytes = (right: RightRequest, field: string, bytes: string) =>
  toRaw(
    right,
    right.fields
      .map(([name, value]) => `${encodeFields([[name, value]])}${name === field ? bytes : ''}`)
      .join('&'),
  );
export const withBody = (
  right: RightRequest,
  type: string,
  body: string | Buffer,
  more: readonly Field[] = [],
): RawRequest => ({
  method: 'POST',
  target: right.path,
  headers: [...right.headers, ...more, ['Content-Type', type]],
  body,
});
export const posting = (attacked: readonly Endpoint[]) =>
  attacked.filter(({ name }) => !name.includes('by GET'));
export const asking = () => endpoints.filter(({ name }) => name.includes('by GET'));
export const tokenEndpoints = () => endpoints.filter(({ name }) => name.startsWith('token'));
