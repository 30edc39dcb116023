import MongoStore from 'connect-mongo';
import express, { type Express } from 'express';
import session from 'express-session';
import type { Collection, MongoClient } from 'mongodb';
import passport from 'passport';
import { Strategy } from 'passport-local';

import { USER_ID } from './setup.js';

interface Person {
  readonly _id: string;
  readonly name: string;
}

/**
 * The routes with a session. A site that has it everywhere also pays for it at the token endpoint, which is not
 * counted.
 */
const SESSION_PATHS = ['/login', '/oauth/authorize'];

/**
 * A site's login, with Passport and sessions in MongoDB; the same for each contender that leaves the login to its host.
 */
export async function mountLogin(app: Express, client: MongoClient): Promise<void> {
  const people = client.db().collection<Person>('people');
  // another process of the site finds the user there
  await people.replaceOne({ _id: USER_ID }, { name: 'Ada Lovelace' }, { upsert: true });
  usePassport(people);
  app.use(
    SESSION_PATHS,
    session({
      secret: 'of the benchmark',
      resave: false,
      saveUninitialized: false,
      store: MongoStore.create({ client, touchAfter: 3600 }),
      cookie: { sameSite: 'lax', maxAge: 86_400_000 },
    }),
  );
  app.use(SESSION_PATHS, passport.session());
  app.post(
    '/login',
    express.urlencoded({ extended: false }),
    passport.authenticate('local'),
    (_req, res) => void res.sendStatus(204),
  );
}

function usePassport(people: Collection<Person>): void {
  passport.use(
    new Strategy(
      (username, _password, done) =>
        void people.findOne({ _id: username }).then((person) => done(null, person ?? false), done),
    ),
  );
  passport.serializeUser((user, done) => done(null, (user as Person)._id));
  passport.deserializeUser(
    (id: string, done) =>
      void people.findOne({ _id: id }).then((person) => done(null, person as never), done),
  );
}

/** The cookie of the user, logged in through the contender's page. */
export async function logInAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: USER_ID, password: 'of ada' }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (answer.status !== 204 || cookie === undefined) throw new Error(`the login answered ${answer.status}`);
  return cookie.slice(0, cookie.indexOf(';'));
}
