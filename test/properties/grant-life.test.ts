import { afterAll, beforeAll, describe, test } from '@jest/globals';
import fc from 'fast-check';

import { begin, LIVES, lookAtAll, openPeople, type Real, STEPS } from '../support/grant-life.js';
import { IS_LONG, reportProgress } from '../support/long-run.js';
import { openSite, type Site } from '../support/site.js';

const RUNS = IS_LONG ? 5000 : 10;

/**
 * The life of grants: a model of a few lines, compared with two servers of one site. The actions of users, clients and
 * code come in any order, at either server.
 */
describe.each([
  ['that hear of each other’s changes', true],
  ['of which one has no change streams', false],
])('two processes %s', (name, hears) => {
  let sites: readonly [Site, Site];
  let people: Real['people'];

  beforeAll(async () => {
    const here = await openSite({ ...LIVES, security: { rateLimits: false } });
    const there = await openSite({
      ...LIVES,
      security: { rateLimits: false },
      database: here.database,
      issuer: here.url,
    });
    sites = [here, there];
    if (!hears) await there.oauth.close();
    people = await openPeople(sites);
  });
  afterAll(async () => {
    for (const site of [...sites].reverse()) {
      await site.oauth.close();
      await site.close();
    }
  });

  test(`two processes ${name}: exactly the tokens live that the model says`, async () => {
    let lives = 0;
    const stopTelling = reportProgress(() => `${name}: ${lives} of ${RUNS} lives`);
    const everyLife = fc.assert(
      fc.asyncProperty(fc.commands([...STEPS], { size: '+1', maxCommands: 30 }), async (steps) => {
        lives += 1;
        const { model, real } = await begin(sites, people);
        await fc.asyncModelRun(() => ({ model, real }), steps);
        await lookAtAll(model, real);
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
    await everyLife.finally(stopTelling);
  });
});
