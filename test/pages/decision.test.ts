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

describe('the decision that a consent form sends', () => {
  it.each([
    ['all that is ticked', { decision: 'allow', granted_scope: ['read', 'write'] }, ['read', 'write']],
    ['one box, which a form sends as a text', { decision: 'allow', granted_scope: 'read' }, ['read']],
    ['nothing that was not asked for', { decision: 'allow', granted_scope: ['read', 'admin'] }, ['read']],
  ])('allows %s', (_name, form, scopes) => {
    expect(readDecision(form, ['read', 'write'], settings)).toEqual({ decision: 'allow', scopes });
  });

  it('allows what cannot be left out, ticked or not', () => {
    expect(readDecision({ decision: 'allow' }, ['basic', 'write'], settings)).toEqual({
      decision: 'allow',
      scopes: ['basic'],
    });
  });

  it('is a denial where nothing of what was asked for is left', () => {
    expect(readDecision({ decision: 'allow' }, ['read', 'write'], settings)).toEqual({
      decision: 'deny',
      scopes: [],
    });
  });

  it('allows a request that asks for no scope at all', () => {
    expect(readDecision({ decision: 'allow' }, [], settings)).toEqual({ decision: 'allow', scopes: [] });
  });

  it('denies whatever is ticked', () => {
    expect(readDecision({ decision: 'deny', granted_scope: ['read'] }, ['read', 'basic'], settings)).toEqual({
      decision: 'deny',
      scopes: [],
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty form', {}],
    ['another word', { decision: 'Allow' }],
    ['two decisions', { decision: ['allow', 'deny'] }],
    ['a nested one', { decision: { allow: '' } }],
  ])('is none where the form has %s', (_name, form) => {
    expect(readDecision(form, ['read'], settings)).toBeUndefined();
  });

  it('is refused where a scope is nested', () => {
    expect(() => readDecision({ decision: 'allow', granted_scope: [['read']] }, ['read'], settings)).toThrow(
      expect.objectContaining({ error: 'invalid_request' }),
    );
  });

  it('may leave out a scope that the host has taken away or named like a member of every object', () => {
    expect(['gone', 'constructor', 'write'].map((scope) => isOptionalScope(settings, scope))).toEqual([
      true,
      true,
      true,
    ]);
    expect(isOptionalScope(settings, 'basic')).toBe(false);
  });
});

describe('scopes that include others, and scopes that can do harm', () => {
  it.each([
    ['what is ticked includes what is not', ['write'], ['read', 'write'], ['read', 'write']],
    [
      'all the way down',
      ['admin'],
      ['read', 'write', 'charge', 'admin'],
      ['read', 'write', 'charge', 'admin'],
    ],
    ['and nothing that was not asked for', ['write'], ['write'], ['write']],
    ['an included one alone', ['read'], ['read', 'write'], ['read']],
  ])('%s', (_what, ticked, requested, scopes) => {
    expect(readDecision({ decision: 'allow', granted_scope: ticked }, requested, weighed)).toEqual({
      decision: 'allow',
      scopes,
    });
  });

  it.each([[['charge']], [['read', 'charge']], [['admin']]])(
    'to tick nothing of %j is no decision: not all of it was ticked before',
    (requested) => {
      expect(readDecision({ decision: 'allow' }, requested, weighed)).toBe('nothingTicked');
      expect(readDecision({ decision: 'deny' }, requested, weighed)).toEqual({
        decision: 'deny',
        scopes: [],
      });
    },
  );

  it('what includes something that can do harm can do it as well', () => {
    expect(Object.values(weighed.scopes).map(({ risk }) => risk)).toEqual([
      'normal',
      'normal',
      'high',
      'high',
    ]);
  });
});
