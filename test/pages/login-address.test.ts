import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { FindLogin } from '../../lib/index.js';
import { postForm } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { createVisitor, NAVIGATION } from '../support/visitor.js';

const PAGE = '/oauth/applications/new';

async function withSite(options: SiteOptions, use: (site: Site) => Promise<void>): Promise<void> {
  await using site = await openSite(options);
  await use(site);
}

/** The address of the login for a visitor without a session. */
async function sentFrom(site: Site): Promise<URL> {
  const { headers } = await request(site.server).get(PAGE).expect(303);
  return new URL(headers.location!, site.url);
}

describe('a login at another origin', () => {
  test('a login at another origin gets the full return address, and the browser comes back', () =>
    withSite({ login: 'https://account.example/login?app=photos' }, async (site) => {
      const sent = await sentFrom(site);
      expect(`${sent.origin}${sent.pathname}`).toBe('https://account.example/login');
      expect(sent.searchParams.get('app')).toBe('photos');
      expect(sent.searchParams.get('return_to')).toBe(`${site.url}${PAGE}`);
      const visitor = createVisitor(site);
      await visitor.open(PAGE);
      // one session for both origins
      await postForm(visitor.agent, '/login', { username: 'ada', password: 'password of ada' });
      expect((await visitor.open('/')).at).toBe(PAGE);
      // a form after the end of the login leads there
      const { headers } = await visitor.agent.get(PAGE).set(NAVIGATION).expect(200);
      expect(headers['content-security-policy']).toContain("form-action 'self' https://account.example");
    }));
});

test('a login URL at this site gets a return path', () =>
  withSite({ issuer: 'https://photos.example', login: 'https://photos.example/login' }, async (site) => {
    expect((await sentFrom(site)).href).toBe(
      `https://photos.example/login?return_to=${encodeURIComponent(PAGE)}`,
    );
  }));

describe('a login address from a function', () => {
  let address: unknown;
  const causes: string[] = [];
  const login: FindLogin = (...requested) =>
    (typeof address === 'function' ? (address as FindLogin)(...requested) : address) as string;
  const site = siteFor({ login, onError: ({ cause }) => void causes.push(String(cause)) });
  const sendBy = (find: FindLogin) => {
    address = find;
    return sentFrom(site);
  };

  test('the function login gets the request, the return path and the hints', async () => {
    const sent = await sendBy(
      (req, returnTo, hints) =>
        `/login/${req.hostname}?${new URLSearchParams({ to: returnTo, ...hints }).toString()}`,
    );
    expect([sent.pathname, sent.searchParams.get('to')]).toEqual(['/login/127.0.0.1', PAGE]);
    const { clientId } = await site.client();
    const { headers } = await request(site.server).get(
      `/oauth/authorize?response_type=code&client_id=${clientId}&login_hint=ada&ui_locales=fr`,
    );
    const hinted = new URL(headers.location!, site.url).searchParams;
    expect([hinted.get('login_hint'), hinted.get('ui_locales')]).toEqual(['ada', 'fr']);
    expect(hinted.get('to')).toMatch(/^\/oauth\/authorize\?/);
  });

  test('the function login can return another origin', async () => {
    const sent = await sendBy((_req, returnTo) => `https://account.example/?to=${returnTo}`);
    expect(sent.origin).toBe('https://account.example');
  });

  test.each([
    [undefined, 'it gave undefined'],
    [Promise.resolve('/login'), 'it gave object'],
    ['', "it gave ''"],
    ['login', "it gave 'login'"],
    ['//evil.example', "it gave '//evil.example'"],
    ['/\\evil.example', 'it gave'],
    ['http://account.example/login', "it gave 'http://account.example/login'"],
    ['javascript:alert(1)', 'it gave'],
    ['/login\r\nSet-Cookie: a=b', 'it gave'],
  ])('the function login may not return %p, and the host gets an error', async (given, said) => {
    address = given;
    const answer = await request(site.server).get(PAGE);
    const { location, 'set-cookie': cookies } = answer.headers;
    expect([answer.status, location, cookies]).toEqual([500, undefined, undefined]);
    expect(causes.at(-1)).toMatch(
      /^TypeError: authorizationServer: the option login must give a path on this/,
    );
    expect(causes.at(-1)).toContain(said);
  });
});
