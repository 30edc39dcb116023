import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { createSessionFlash } from '../../lib/core/sessions/session-flash.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const ADA = { name: '/form', userId: 'ada' };
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);
const requestWith = (session: object) => ({ session }) as unknown as Request;
const forms = createSessionFlash<string>({ member: 'oauthRefusedForms', max: 3, maxBytes: 100 });

describe('a flash value for the next GET', () => {
  it('a flash value is read once, even from a session store with JSON', () => {
    const session = {};
    expect(forms.keep(requestWith(session), ADA, { value: 'typed', now: NOW })).toBe(true);
    const stored = JSON.parse(JSON.stringify(session)) as object;
    expect(forms.take(requestWith(stored), ADA, NOW)).toBe('typed');
    expect(forms.take(requestWith(stored), ADA, NOW)).toBeUndefined();
    expect(stored).toEqual({});
  });

  it('a flash value can be peeked at repeatedly by its user until its expiry', () => {
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
  ])('a flash value is not for %s, and stays for its form', (_what, of) => {
    const req = requestWith({});
    forms.keep(req, ADA, { value: 'typed', now: NOW });
    expect(forms.take(req, of, NOW)).toBeUndefined();
    expect(forms.take(req, ADA, NOW)).toBe('typed');
  });

  it('a flash value is dropped when another user asks for it', () => {
    const req = requestWith({});
    forms.keep(req, ADA, { value: 'typed', now: NOW });
    expect(forms.take(req, { ...ADA, userId: 'grace' }, NOW)).toBeUndefined();
    expect(forms.take(req, ADA, NOW)).toBeUndefined();
  });

  it('a flash value lives a minute, and leaves the session with the next read of any', () => {
    const session = {};
    forms.keep(requestWith(session), ADA, { value: 'typed', now: NOW });
    expect(forms.take(requestWith({ ...session }), ADA, later(59_999))).toBe('typed');
    expect(forms.take(requestWith({ ...session }), ADA, later(60_000))).toBeUndefined();
    forms.take(requestWith(session), { ...ADA, name: '/other' }, later(60_000));
    expect(session).toEqual({});
  });

  it('a flash value is the newest of its form, for three forms at most', () => {
    const req = requestWith({});
    ['/1', '/2', '/3', '/4', '/3'].forEach((name, index) =>
      forms.keep(req, { name, userId: 'ada' }, { value: String(index), now: NOW }),
    );
    const take = (name: string) => forms.take(req, { name, userId: 'ada' }, NOW);
    expect(['/1', '/2', '/3', '/4'].map(take)).toEqual([undefined, '1', '4', '3']);
  });

  it('a flash value fits its maximum in bytes, or is refused', () => {
    const session = {};
    const keep = (value: string) => forms.keep(requestWith(session), ADA, { value, now: NOW });
    expect(keep('é'.repeat(50))).toBe(false);
    expect(session).toEqual({});
    expect(keep('é'.repeat(49))).toBe(true);
  });

  it('a cookie session holds one small flash value, because browsers drop cookies above 4 KB', () => {
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

  it('a flash value does not store the address, which may contain a user code', () => {
    const session = {};
    const name = '/oauth/device?user_code=WDJB-MJHT';
    forms.keep(requestWith(session), { name, userId: 'ada' }, { value: 'wrong', now: NOW });
    expect(JSON.stringify(session)).not.toContain('WDJB');
  });

  it.each([[undefined], [null], ['text'], [{}], [[null]], [['text']], [[{ expiresAt: 'x' }]]])(
    'a flash value is missing if the session has %j in its place',
    (oauthRefusedForms) => {
      expect(forms.take(requestWith({ oauthRefusedForms }), ADA, NOW)).toBeUndefined();
    },
  );
});
