import { describe, expect, it } from '@jest/globals';

import { isOptionalScope, readDecision } from '../../lib/pages/consent/decision.js';
import { resolveScopeSettings } from '../../lib/settings/options/scopes.js';
import type { ScopeSettings } from '../../lib/settings/options/site-options.js';

function plain(description: string, more: Partial<ScopeSettings>): ScopeSettings {
  return {
    description,
    details: undefined,
    group: undefined,
    risk: 'normal',
    optional: true,
    implies: [],
    ...more,
  };
}

const rulesOf = (scopes: Parameters<typeof resolveScopeSettings>[0]) => ({
  ...resolveScopeSettings(scopes),
  authorizationDetails: new Map(),
});
const settings = rulesOf({
  read: 'See it',
  write: 'Change it',
  basic: plain('Know that it is you', { optional: false }),
});
const weighed = rulesOf({
  read: 'See it',
  write: plain('Change it', { implies: ['read'] }),
  charge: plain('Charge your card', { risk: 'high' }),
  admin: plain('Do all of it', { implies: ['write', 'charge'] }),
});

describe('the decision in a consent form', () => {
  it.each([
    ['all ticked scopes', { decision: 'allow', granted_scope: ['read', 'write'] }, ['read', 'write']],
    ['one ticked scope, a text in the form', { decision: 'allow', granted_scope: 'read' }, ['read']],
    ['no scope outside the request', { decision: 'allow', granted_scope: ['read', 'admin'] }, ['read']],
  ])('a consent form allows %s', (_name, form, scopes) => {
    expect(readDecision(form, ['read', 'write'], settings)).toEqual({ decision: 'allow', scopes });
  });

  it('a consent form allows a required scope, ticked or not', () => {
    expect(readDecision({ decision: 'allow' }, ['basic', 'write'], settings)).toEqual({
      decision: 'allow',
      scopes: ['basic'],
    });
  });

  it('a consent form without ticked scopes is a denial', () => {
    expect(readDecision({ decision: 'allow' }, ['read', 'write'], settings)).toEqual({
      decision: 'deny',
      scopes: [],
    });
  });

  it('a consent form allows a request without scopes', () => {
    expect(readDecision({ decision: 'allow' }, [], settings)).toEqual({ decision: 'allow', scopes: [] });
  });

  it('a denial counts whatever is ticked', () => {
    expect(readDecision({ decision: 'deny', granted_scope: ['read'] }, ['read', 'basic'], settings)).toEqual({
      decision: 'deny',
      scopes: [],
    });
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty form', {}],
    ['a capitalized Allow', { decision: 'Allow' }],
    ['two decisions', { decision: ['allow', 'deny'] }],
    ['a nested decision', { decision: { allow: '' } }],
  ])('a consent form decides nothing by %s', (_name, form) => {
    expect(readDecision(form, ['read'], settings)).toBeUndefined();
  });

  it('a nested scope in a consent form is refused', () => {
    expect(() => readDecision({ decision: 'allow', granted_scope: [['read']] }, ['read'], settings)).toThrow(
      expect.objectContaining({ error: 'invalid_request' }),
    );
  });

  it('a removed scope, or one with the name of an object’s member, is optional', () => {
    expect(['gone', 'constructor', 'write'].map((scope) => isOptionalScope(settings, scope))).toEqual([
      true,
      true,
      true,
    ]);
    expect(isOptionalScope(settings, 'basic')).toBe(false);
  });
});

describe('scopes that include others, and high-risk scopes', () => {
  it.each([
    ['the scopes that a ticked one includes', ['write'], ['read', 'write'], ['read', 'write']],
    [
      'transitively included scopes',
      ['admin'],
      ['read', 'write', 'charge', 'admin'],
      ['read', 'write', 'charge', 'admin'],
    ],
    ['only scopes of the request', ['write'], ['write'], ['write']],
    ['an included scope without the wider one', ['read'], ['read', 'write'], ['read']],
  ])('a consent form grants %s', (_what, ticked, requested, scopes) => {
    expect(readDecision({ decision: 'allow', granted_scope: ticked }, requested, weighed)).toEqual({
      decision: 'allow',
      scopes,
    });
  });

  it.each([[['charge']], [['read', 'charge']], [['admin']]])(
    'a form for %j without a ticked scope is no decision, since not all were ticked before',
    (requested) => {
      expect(readDecision({ decision: 'allow' }, requested, weighed)).toBe('nothingTicked');
      expect(readDecision({ decision: 'deny' }, requested, weighed)).toEqual({
        decision: 'deny',
        scopes: [],
      });
    },
  );

  it('a scope that includes a high-risk scope is high-risk', () => {
    expect(Object.values(weighed.scopes).map(({ risk }) => risk)).toEqual([
      'normal',
      'normal',
      'high',
      'high',
    ]);
  });
});
