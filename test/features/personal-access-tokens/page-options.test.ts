import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { logInPerson } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { until } from '../../support/until.js';

const ROOT = '/oauth/access-tokens';

describe('the options of the form for a new token', () => {
  const open = async (personalAccessTokens: object, more = {}) => {
    const other = await openSite({ personalAccessTokens, ...more });
    const bob = await logInPerson(other, 'bob');
    return { other, bob };
  };

  test('the form of a new token offers no date if tokens live less than a day', async () => {
    const { other, bob } = await open({ maxTtl: 3600 });
    const { text } = await bob.agent.get(`${ROOT}/new`);
    expect(text).toContain('value="3600" checked');
    expect(text).not.toContain('type="date"');
    await other.close();
  });

  test('the form of a new token offers no date after the year 9999', async () => {
    const { other, bob } = await open({ maxTtl: 1_000_000_000_000 });
    expect((await bob.agent.get(`${ROOT}/new`)).text).toContain('max="9999-12-30"');
    await other.close();
  });
});

test('the page of a service token lists only events of this token', async () => {
  await using audited = await openSite({
    personalAccessTokens: { serviceTokens: true },
    audit: { ttl: 86_400 },
    security: { rateLimits: false },
  });
  const person = await logInPerson(audited);
  const { personalAccessTokens: tokens } = audited.oauth;
  const { id } = await tokens.create({ owners: ['ada'], name: 'Deployment', scopes: ['profile'] });
  const other = await tokens.create({ owners: ['ada'], name: 'Other', scopes: ['profile'] });
  await tokens.rotate(other.id);
  const activityOf = async (of: string) =>
    /<ul class="eas-activity"[\s\S]*?<\/ul>/.exec((await person.agent.get(`${ROOT}/${of}`)).text)?.[0] ?? '';
  await until(async () => (await activityOf(id)) !== '');
  expect((await activityOf(id)).match(/<li>/g)).toHaveLength(1);
});

test('hidden events do not displace others in the list on the page of a token', async () => {
  await using audited = await openSite({ personalAccessTokens: true, audit: { ttl: 86_400 } });
  const person = await logInPerson(audited);
  const { models, personalAccessTokens: tokens } = audited.oauth;
  const { id, clientId } = await tokens.create({ userId: 'ada', name: 'Backup', scopes: ['profile'] });
  const audit = models.AuditEntry!;
  await until(async () => (await audit.countDocuments({ clientId })) > 0);
  const issued = (await audit.findOne({ clientId }).lean())!;
  const narrowed = Array.from({ length: 12 }, (_, index) => ({
    ...issued,
    _id: new mongoose.Types.ObjectId(),
    type: 'grant.narrowed',
    ip: `192.0.2.${index}`,
    time: new Date(issued.time.getTime() + index),
  }));
  await audit.insertMany(narrowed);
  const { text } = await person.agent.get(`${ROOT}/${id}`).expect(200);
  expect(/<ul class="eas-activity"[\s\S]*?<\/ul>/.exec(text)?.[0].match(/<li>/g)).toHaveLength(1);
});
