import { afterEach, describe, expect, test } from '@jest/globals';

import { type AuditDependencies, createAudit } from '../../lib/core/observability/audit.js';
import type { AuditEntry, AuditLog, AuditRecord } from '../../lib/core/observability/audit-log.js';
import { createEvents } from '../../lib/core/observability/events.js';
import { authorizationServer } from '../../lib/index.js';
import { OAuthError } from '../../lib/shared/errors.js';
import { letLimitEnd, letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainCode, obtainTokens, redeem, tokenRequest } from '../support/tokens.js';

describe('the audit collection', () => {
  const site = siteFor({ audit: { ttl: 3600 } });
  const client = fixture(() => site.client());

  test('audit.find finds new entries by user, client and time, the newest first', async () => {
    await obtainTokens(site, client);
    // an event of the same millisecond would be found, too
    letPass(1);
    const since = new Date();
    await obtainTokens(site, client, { as: 'grace', query: { scope: 'profile' } });
    const ofGrace = await site.oauth.audit.find({ userId: 'grace' });
    expect(ofGrace.map(({ type }) => type)).toEqual(['token.issued', 'code.issued', 'consent.given']);
    expect(ofGrace[0]).toMatchObject({
      clientId: client.clientId,
      scopes: ['profile'],
      grantType: 'authorization_code',
      grantId: expect.any(String),
      ip: expect.any(String),
      requestId: expect.any(String),
      time: expect.any(Date),
    });
    expect(ofGrace[0]).not.toHaveProperty('_id');
    expect(
      (await site.oauth.audit.find({ clientId: client.clientId, since })).every(
        ({ userId }) => userId === 'grace',
      ),
    ).toBe(true);
    expect(await site.oauth.audit.find({ limit: 2 })).toHaveLength(2);
    expect(await site.oauth.audit.find({ userId: 'nobody' })).toEqual([]);
  });

  test('audit entries expire by a TTL index, after the seconds of the option', async () => {
    const collection = site.database.collection('oauth_audit');
    expect(await collection.indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
    await tokenRequest(site, client, { grant_type: 'client_credentials' });
    await site.oauth.audit.find();
    const [stored] = await collection.find().sort({ time: -1 }).limit(1).toArray();
    expect(stored?.expiresAt.getTime() - stored?.time.getTime()).toBe(3600_000);
  });

  test('no audit entry has a secret, or the user name of a failed login', async () => {
    site.oauth.events.emit('login.failed', { username: 'my password by mistake' });
    const code = await obtainCode(site, client);
    const { access_token, refresh_token } = (await redeem(site, client, code)).body;
    await site.oauth.audit.find();
    const text = JSON.stringify(await site.database.collection('oauth_audit').find().toArray());
    expect(text).toContain('login.failed');
    for (const secret of [code, access_token, refresh_token, client.clientSecret, 'by mistake'])
      expect(text).not.toContain(secret);
  });

  test('a request sends no command of the audit', async () => {
    await site.oauth.audit.find();
    // the pause before the audit writes by itself
    letLimitEnd(1000, 'by hand');
    await using quiet = await openSite({ audit: { ttl: 3600 }, database: site.database, issuer: site.url });
    expect(
      await commandsDuring(site.database, () =>
        tokenRequest(quiet, client, { grant_type: 'client_credentials' }).expect(200),
      ),
    ).toEqual(['find oauth_clients', 'insert oauth_grants']);
    expect(await commandsDuring(site.database, () => quiet.oauth.audit.find())).toEqual([
      'insert oauth_audit',
      'find oauth_audit',
    ]);
  });

  test('close() stores the pending audit entries', async () => {
    await using other = await openSite({ audit: { ttl: 60 }, database: site.database });
    const made = await other.client();
    await other.oauth.close();
    expect(await site.oauth.audit.find({ clientId: made.clientId })).toMatchObject([
      { type: 'client.created' },
    ]);
  });

  test('audit.find refuses undefined and objects in its query', async () => {
    const find = (query: unknown) => site.oauth.audit.find(query as never);
    await expect(find({ userId: undefined })).rejects.toThrow('userId must have a value');
    await expect(find({ userId: { $ne: null } })).rejects.toThrow('userId must be a string');
    await expect(find({ since: '2026-01-01' })).rejects.toThrow('since must be a Date');
    await expect(find({ user: 'ada' })).rejects.toThrow("unknown option 'user'; did you mean 'userId'");
    await expect(find({ limit: 0 })).rejects.toThrow('limit');
  });

  test('audit.find without the option says how to switch it on, and no collection is made', async () => {
    await using without = await openSite();
    await without.client();
    await expect(without.oauth.audit.find()).rejects.toThrow('audit: { ttl:');
    expect((await without.database.connection.listCollections()).map(({ name }) => name)).not.toContain(
      'oauth_audit',
    );
    await without.oauth.close();
  });

  test('a wrong option audit stops the start with the cure', () => {
    const start = (audit: unknown) => () =>
      authorizationServer({
        issuer: site.url,
        connection: site.database.connection,
        scopes: {},
        login: '/login',
        audit: audit as never,
      });
    expect(start({ ttl: 0 })).toThrow(/audit\.ttl/);
    expect(start(true)).toThrow('{ ttl: seconds');
  });
});

describe('the audit while the database is down', () => {
  let close: () => Promise<void> = () => Promise.resolve();
  afterEach(() => close());

  /** A log that fails while `isDown`. */
  function startAudit(options: Partial<AuditDependencies> = {}) {
    const stored: AuditEntry[] = [];
    const warnings: (string | undefined)[] = [];
    const state = { isDown: true };
    const waiting: (() => void)[] = [];
    const log: Pick<AuditLog, 'createId' | 'append'> = {
      createId: () => String(stored.length),
      append: (entries: readonly AuditRecord[]) => {
        for (const notify of waiting.splice(0)) notify();
        if (state.isDown) return Promise.reject(new OAuthError('temporarily_unavailable', 'down'));
        stored.push(...entries);
        return Promise.resolve();
      },
    };
    const events = createEvents();
    const audit = createAudit({
      log: log as AuditLog,
      events,
      ttl: 60,
      interval: 5,
      onError: ({ detail }) => warnings.push(detail),
      ...options,
    });
    close = () => ((state.isDown = false), audit.close());
    const happen = (count: number) =>
      Array.from({ length: count }, (_, index) => events.emit('client.created', { clientId: String(index) }));
    /** Waits for the next attempt to store entries. */
    const attempt = () => new Promise<void>((resolve) => waiting.push(resolve));
    return { stored, warnings, state, audit, happen, attempt };
  }

  test('audit entries wait for the database with a warning, and are all stored once it is back', async () => {
    const { stored, warnings, state, audit, happen } = startAudit();
    happen(1200);
    expect(await audit.flush()).toBe(false);
    expect(await audit.flush()).toBe(false);
    expect(warnings).toEqual(['the entries of the audit wait for the database']);
    state.isDown = false;
    expect(await audit.flush()).toBe(true);
    expect(stored.map(({ clientId }) => clientId)).toEqual(
      Array.from({ length: 1200 }, (_, index) => String(index)),
    );
  });

  test('audit entries above the capacity are dropped and counted, in the audit itself too', async () => {
    const { stored, warnings, state, audit, happen } = startAudit({ capacity: 10 });
    happen(25);
    state.isDown = false;
    await audit.flush();
    expect(stored).toHaveLength(11);
    expect(stored.at(-1)).toMatchObject({ type: 'audit.dropped', count: 15 });
    expect(warnings).toEqual([
      expect.stringContaining('is full'),
      '15 entries of the audit were dropped while the database was down',
    ]);
  });

  test('audit entries are stored by a retry after a failure, without a loss', async () => {
    const { stored, state, happen, attempt } = startAudit();
    happen(1);
    await attempt();
    await attempt();
    state.isDown = false;
    await attempt();
    expect(stored).toHaveLength(1);
  });
});
