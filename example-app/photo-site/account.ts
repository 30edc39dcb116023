import express, { type Request, Router } from 'express';
import type { AuthorizationServer, User, Users } from 'express-authorization-server';

import { requireLogin } from './pages.js';
import type { Photos } from './photos.js';

interface AccountOptions {
  readonly oauth: AuthorizationServer;
  readonly users: Users;
  readonly photos: Photos;
}

/** Maximum number of wrong passwords in a session. */
const MAX_WRONG = 5;

const endSession = (req: Request) =>
  new Promise<void>((resolve, reject) => {
    req.session.destroy((error: unknown) => (error instanceof Error ? reject(error) : resolve()));
  });
const signedIn = ({ user }: Request) => user as User;

/** The account page, and the deletion of an account. */
export function createAccountPages({ oauth, users, photos }: AccountOptions): Router {
  const pages = Router().use('/account', requireLogin, (_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });

  const locals = async (req: Request) => {
    const { id } = signedIn(req);
    const owned = await oauth.clients.listOfOwner(id);
    const applications = owned.filter(({ coOwnerIds = [] }) => coOwnerIds.length === 0).length;
    return { title: 'Your account', applications };
  };
  pages.get('/account', async (req, res) => res.render('account', await locals(req)));

  pages.get('/account/data', async (req, res) => {
    res.attachment('lantern-apps-and-logins.json');
    res.json(await oauth.people.export(signedIn(req).id));
  });

  // another site can send this form, too, but does not know the password
  pages.post('/account/delete', express.urlencoded({ extended: false }), async (req, res) => {
    const { id, username } = signedIn(req);
    const { password } = (req.body ?? {}) as { password?: unknown };
    const verified = typeof password === 'string' ? await users.verify(username, password) : null;
    if (verified?.id !== id) {
      // whoever finds an open session gets few guesses: the login page counts failures
      const { session } = req as unknown as { session: { wrongPasswords?: number } };
      session.wrongPasswords = (session.wrongPasswords ?? 0) + 1;
      if (session.wrongPasswords >= MAX_WRONG) {
        await endSession(req);
        return res.redirect(303, '/login?return_to=/account');
      }
      const problem = 'This is not your password. Nothing was deleted.';
      return res.status(403).render('account', { ...(await locals(req)), problem });
    }
    await users.delete(id);
    // last, when no request can add a photo any more; other sessions find no user
    await photos.removeAll(id);
    await endSession(req);
    res.redirect(303, '/goodbye');
  });

  pages.get('/goodbye', (_req, res) => {
    const text = 'Nobody has access to it any more, and your photos are gone.';
    res.render('goodbye', { title: 'Your account is deleted', text });
  });
  return pages;
}
