import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import express, { type Request, Router } from 'express';
import type { PassportStatic } from 'passport';

import { mergeOptions } from './merge-options.js';
import { openSite, type Site, type SiteOptions } from './site.js';

export type MountLogin = (router: Router, passport: PassportStatic) => void;

export const form = express.urlencoded({ extended: false });

/** The login of most sites: a form with a separate action; back to it after a mistake, home after the login. */
export const ordinaryLogin: MountLogin = (router, passport) => {
  router.get('/login', (req, res) =>
    req.user ? res.redirect('/home') : res.send('<form method="post" action="/login"></form>'),
  );
  router.post('/login', form, authenticate(passport));
};

export function authenticate(passport: PassportStatic, options = {}) {
  return passport.authenticate('local', { successRedirect: '/', failureRedirect: '/login', ...options });
}

export function mountPages(router: Pick<Router, 'get'>): void {
  router.get(['/', '/home', '/album'], (req, res) => {
    res.send(`<p>${req.user === undefined ? 'nobody' : 'in'}</p>`);
  });
  router.get('/api/news', (_req, res) => {
    res.json([]);
  });
}

export interface LoginHost {
  readonly site: Site;
  /** Sets the login for the current test; by default it is the ordinary one. */
  login(mount: MountLogin): void;
  isLoggedIn(req: Request): boolean;
}

/** One site for all tests of a suite, whose login each of them can replace. */
export function loginHostForAll(options: SiteOptions = {}): LoginHost {
  let site: Site;
  let passport: PassportStatic;
  let router: Router;
  const host = {
    get site() {
      return site;
    },
    login(mount: MountLogin) {
      router = Router();
      mount(router, passport);
    },
    isLoggedIn: (_req: Request): boolean => true,
  };
  beforeAll(async () => {
    const defaults: SiteOptions = {
      people: { isLoggedIn: (req) => host.isLoggedIn(req) },
      mountLogin(app, given) {
        passport = given;
        app.use((req, res, next) => router(req, res, next));
      },
    };
    site = await openSite(mergeOptions(defaults, options));
    mountPages(site.app);
  });
  afterAll(() => site?.close());
  beforeEach(() => {
    host.isLoggedIn = () => true;
    host.login(ordinaryLogin);
  });
  return host;
}
