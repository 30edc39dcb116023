import { describe, expect } from '@jest/globals';
import fc from 'fast-check';

import {
  fromConsent,
  isSameResource,
  parseResources,
  scopesAt,
  toConsent,
} from '../../lib/shared/protocol/resource.js';
import { formatScope, isScopeToken, parseScope, resolveScopes } from '../../lib/shared/protocol/scope.js';
import { accepted, almost, anyText, holds } from '../support/properties.js';

const SCOPES = ['photos:read', 'photos:write', 'profile', 'Profile', 'photos'];
const RESOURCES = ['https://api.example', 'https://api.example/v2', 'https://other.example/'];
const subset = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values));
const token = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  })
  .filter(isScopeToken);

describe('a scope (RFC 6749 §3.3)', () => {
  holds('an arbitrary scope is a list of distinct scope-tokens, or refused', [anyText()], (sent) => {
    const scopes = accepted(() => parseScope(sent));
    if (scopes === undefined) return;
    expect(scopes.length).toBeGreaterThan(0);
    expect(new Set(scopes).size).toBe(scopes.length);
    for (const scope of scopes) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  holds('a formatted scope is parsed to its tokens', [fc.uniqueArray(token, { minLength: 1 })], (scopes) => {
    expect(parseScope(formatScope(scopes))).toEqual(scopes);
  });

  holds(
    'a resolved scope is requested or default, and allowed, with its case',
    [
      fc.oneof(
        fc.constant(undefined),
        anyText(),
        subset(SCOPES).map(formatScope),
        almost('photos:read profile'),
      ),
      subset(SCOPES),
      subset(SCOPES),
    ],
    (scope, allowed, defaults) => {
      const given = accepted(() => resolveScopes({ scope, allowed, defaults }));
      for (const each of given ?? []) {
        expect(allowed).toContain(each);
        expect(scope === undefined ? defaults : scope.split(' ')).toContain(each);
      }
    },
  );
});

describe('resources (RFC 8707)', () => {
  const known = new Map(RESOURCES.map((resource) => [resource, {}]));

  holds(
    'arbitrary resource values are URLs of resources of the site, or refused',
    [
      fc.oneof(
        anyText(),
        ...RESOURCES.map(almost),
        fc.anything(),
        fc.array(fc.oneof(anyText(), ...RESOURCES.map(almost))),
      ),
    ],
    (resource) => {
      const sent = [resource].flat();
      for (const found of accepted(() => parseResources([resource].flat(), known)) ?? [])
        expect(
          sent.some(
            (value) => URL.canParse(String(value)) && new URL(String(value)).href === new URL(found).href,
          ),
        ).toBe(true);
    },
  );

  holds(
    'two resources are the same if and only if their URLs are',
    [almost('https://api.example/v2'), fc.constantFrom(...RESOURCES)],
    (sent, resource) => {
      const same = URL.canParse(sent) && new URL(sent).href === new URL(resource).href;
      expect(isSameResource(sent, resource)).toBe(same);
    },
  );

  holds(
    'a scope of a token belongs to one of its resources',
    [subset(SCOPES), subset(RESOURCES)],
    (scopes, at) => {
      const limited = new Map(
        RESOURCES.map((resource, index) => [resource, { scopes: SCOPES.slice(index) }]),
      );
      for (const scope of accepted(() => scopesAt(scopes, at, limited)) ?? []) {
        expect(scopes).toContain(scope);
        if (at.length > 0)
          expect(at.some((resource) => limited.get(resource)?.scopes.includes(scope))).toBe(true);
      }
    },
  );

  holds(
    'a consent covers its resources, and no other',
    [subset(SCOPES), subset(RESOURCES), subset(RESOURCES)],
    (scopes, allowedAt, requestedAt) => {
      const allowed = fromConsent(toConsent(scopes, allowedAt), requestedAt);
      // no resource means the site's API
      const covered =
        requestedAt.length === 0
          ? allowedAt.length === 0
          : requestedAt.every((resource) => allowedAt.includes(resource));
      expect([...allowed].sort()).toEqual(covered ? [...scopes].sort() : []);
    },
  );
});
