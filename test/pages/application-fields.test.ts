import { describe, expect, test } from '@jest/globals';

import type { ClientField } from '../../lib/core/clients/client-field.js';
import {
  flagSchema,
  listSchema,
  numberSchema,
  textSchema,
} from '../../lib/core/clients/validation/schemas.js';
import { BUILT_IN } from '../../lib/features.js';
import { editApplication } from '../support/applications.js';
import { logInPerson } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

const common = { isOwners: true } as const;
/** The form has an input for each by its stored type. */
const fields: readonly ClientField[] = [
  {
    ...common,
    name: 'plan',
    shape: textSchema,
    stored: { type: String },
    label: { en: 'Plan', de: 'Tarif' },
    meaning: { en: 'Costs < 5 €' },
  },
  { ...common, name: 'seats', shape: numberSchema, stored: { type: Number } },
  { ...common, name: 'isBeta', shape: flagSchema, stored: { type: Boolean } },
  { ...common, name: 'teamNames', shape: listSchema, stored: { type: [String], default: undefined } },
  { name: 'hostNote', shape: textSchema, stored: { type: String } },
];

const builtIn = { ...BUILT_IN, clientFields: [...BUILT_IN.clientFields, ...fields] };
const site = siteFor({ builtIn, security: { rateLimits: false } });
const ada = fixture(() => logInPerson(site, 'ada'));
const client = fixture(() => site.client({ ownerId: 'ada', plan: 'large' } as never));

const path = () => `/oauth/applications/${client.clientId}/edit`;
const formIn = (language: string) => ada.agent.get(path()).set('Accept-Language', language);
const send = (typed: object) => editApplication(ada.agent, client.clientId, { scope: [], ...typed });
const stored = async () => (await site.oauth.clients.find(client.clientId)) as object;

describe('a client field that its row gives to the owner', () => {
  test('the form of an application has a field of the site, in the language of the page', async () => {
    const { text } = await formIn('de');
    expect(text).toContain('<label for="application-plan">Tarif</label>');
    expect(text).toContain('<p class="eas-explanation" id="application-plan-explanation">Costs &lt; 5 €</p>');
    expect(text).toMatch(/<input [^>]*id="application-plan" name="plan" value="large"/);
    expect(text).toMatch(/inputmode="numeric" id="application-seats" name="seats"/);
    expect(text).toMatch(/<input type="checkbox" id="application-is-beta" name="is_beta" value="true">/);
    expect(text).toMatch(/<textarea [^>]*id="application-team-names" name="team_names"/);
    expect(text).not.toContain('host_note');
  });

  test('the form of an application changes and removes a field of any type', async () => {
    const typed = {
      plan: ' small ',
      seats: '12',
      is_beta: ['false', 'true'],
      team_names: 'Red\r\n\r\n Blue ',
      host_note: 'none of the owner’s',
    };
    expect((await send(typed)).status).toBe(303);
    const changed = await stored();
    expect(changed).toMatchObject({ plan: 'small', seats: 12, isBeta: true, teamNames: ['Red', 'Blue'] });
    expect(changed).not.toHaveProperty('hostNote');
    const { text } = await formIn('en');
    expect(text).toMatch(/name="is_beta" value="true" checked/);
    expect(text).toMatch(/name="team_names"[^>]*>\nRed\nBlue</);
    await send({ plan: '', seats: '', is_beta: 'false', team_names: '' });
    const left = await stored();
    for (const name of ['plan', 'seats', 'isBeta', 'teamNames']) expect(left).not.toHaveProperty(name);
  });

  test('a field of a wrong type is refused, and a form without the field leaves its value', async () => {
    await send({ plan: 'kept', seats: '3' });
    expect((await send({ seats: 'many' })).status).toBe(303);
    expect((await formIn('en')).text).toContain('seats must be a number');
    await send({});
    expect(await stored()).toMatchObject({ plan: 'kept', seats: 3 });
  });
});
