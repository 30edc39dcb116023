import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { createSessionFlash } from '../../lib/core/sessions/session-flash.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const ADA = { name: '/form', userId: 'ada' };
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);
const requestWith = (session: object) => ({ session }) as unknown as Request;
const forms = createSessionFlash<string>({ member: 'oauthRefusedForms', max: 3, maxBytes: 100 });

describe('what is kept for the next GET', () => {
  it('is given once, through the JSON of a session store', () => {
    const session = {};
    expect(forms.keep(requestWith(session), ADA, { value: 'typed', now: NOW })).toBe(true);
    const stored = JSON.parse(JSON.stringify(session)) as object;
    expect(forms.take(requestWith(stored), ADA, NOW)).toBe('typed');
    expect(forms.take(requestWith(stored), ADA, NOW)).toBeUndefined();
    expect(stored).toEqual({});
  });

  it('is given as often as it is looked at, to its own person, for as long as it is said to live', () => {
    const session = {};
    const req = requestWith(session);
    forms.keep(req, ADA, { value: 'typed', now: NOW, life: 3_600_000 });
    const stored = JSON.stringify(session);
    expect(forms.peek(req, ADA, NOW)).toBe('typed');
    expect(forms.peek(req, ADA, later(3_599_999))).toBe('typed');
    expect(forms.peek(req, ADA, later(3_600_000))).toBeUndefined();
    expect(forms.peek(req, { ...ADA, userId: 'grace' }, NOW)).toBeUndefined();
    expect(forms.peek(req, { ...ADA, name: '/other' }, NOW)).toBeUndefined();
    expect(JSON.stringify(session)).toBe(stored);
  });

  it.each([
    ['another form', { ...ADA, name: '/other' }],
    ['no form', { ...ADA, name: '' }],
  ])('is not for %s, and stays for its own', (_what, of) => {
    const req = requestWith({});
    forms.keep(req, ADA, { value: 'typed', now: NOW });
    expect(forms.take(req, of, NOW)).toBeUndefined();
    expect(forms.take(req, ADA, NOW)).toBe('typed');
  });

  it('is gone once somebody else has come for it', () => {
    const req = requestWith({});
    forms.keep(req, ADA, { value: 'typed', now: NOW });
    expect(forms.take(req, { ...ADA, userId: 'grace' }, NOW)).toBeUndefined();
    expect(forms.take(req, ADA, NOW)).toBeUndefined();
  });

  it('lives a minute, and leaves the session with the next look, whatever that is for', () => {
    const session = {};
    forms.keep(requestWith(session), ADA, { value: 'typed', now: NOW });
    expect(forms.take(requestWith({ ...session }), ADA, later(59_999))).toBe('typed');
    expect(forms.take(requestWith({ ...session }), ADA, later(60_000))).toBeUndefined();
    forms.take(requestWith(session), { ...ADA, name: '/other' }, later(60_000));
    expect(session).toEqual({});
  });

  it('is the newest of a form, and of three forms at most', () => {
    const req = requestWith({});
    ['/1', '/2', '/3', '/4', '/3'].forEach((name, index) =>
      forms.keep(req, { name, userId: 'ada' }, { value: String(index), now: NOW }),
    );
    const take = (name: string) => forms.take(req, { name, userId: 'ada' }, NOW);
    expect(['/1', '/2', '/3', '/4'].map(take)).toEqual([undefined, '1', '4', '3']);
  });

  it('is as large as it may be, in bytes, and no larger', () => {
    const session = {};
    const keep = (value: string) => forms.keep(requestWith(session), ADA, { value, now: NOW });
    expect(keep('é'.repeat(50))).toBe(false);
    expect(session).toEqual({});
    expect(keep('é'.repeat(49))).toBe(true);
  });

  it('is one, and small, in a session that is a cookie: a browser drops a cookie above 4 KB', () => {
    const large = createSessionFlash<string>({ member: 'oauthRefusedForms', max: 3, maxBytes: 8192 });
    const session = { isNew: false };
    const keep = (name: string, value: string) =>
      large.keep(requestWith(session), { ...ADA, name }, { value, now: NOW });
    expect(keep('/1', 'x'.repeat(2000))).toBe(false);
    expect([keep('/1', 'x'.repeat(1500)), keep('/2', 'x'.repeat(1500))]).toEqual([true, true]);
    const cookie = Buffer.from(JSON.stringify(session)).toString('base64');
    expect(cookie.length).toBeLessThan(3000);
    expect(large.take(requestWith(session), { ...ADA, name: '/2' }, NOW)).toBe('x'.repeat(1500));
  });

  it('says nothing of the address, which may have a user code in it', () => {
    const session = {};
    const name = '/oauth/device?user_code=WDJB-MJHT';
    forms.keep(requestWith(session), { name, userId: 'ada' }, { value: 'wrong', now: NOW });
    expect(JSON.stringify(session)).not.toContain('WDJB');
  });

  it.each([[undefined], [null], ['text'], [{}], [[null]], [['text']], [[{ expiresAt: 'x' }]]])(
    'is nothing where a session holds %j instead',
    (oauthRefusedForms) => {
      expect(forms.take(requestWith({ oauthRefusedForms }), ADA, NOW)).toBeUndefined();
    },
  );
});
