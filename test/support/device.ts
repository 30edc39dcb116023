import request, { type Response, type Test } from 'supertest';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import { type Choice, createPerson, hiddenFields, type Person, tickedScopes } from './person.js';
import { openSite, type Site, type SiteOptions } from './site.js';
import { basic, type Fields, tokenRequest, whoseGrantIs } from './tokens.js';

export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
export const DEVICE_GRANT_TYPES = ['authorization_code', 'refresh_token', DEVICE_CODE] as const;
export const PAGE = '/oauth/device';

/** RFC 8628 §3.2 */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export function openDeviceSite(options: SiteOptions = {}): Promise<Site> {
  return openSite({ grantTypes: DEVICE_GRANT_TYPES, ...options });
}

/** A typical client on a device: public, and never redirected to. */
export function deviceClient(site: Site, options: Partial<NewClient> = {}): Promise<ClientWithSecret> {
  return site.client({
    name: 'Picture frame',
    type: 'public',
    redirectUris: [],
    grantTypes: [DEVICE_CODE, 'refresh_token'],
    ...options,
  });
}

/** POST /oauth/device_authorization by the client, with HTTP Basic if it has a secret. */
export function deviceRequest(site: Site, client: ClientWithSecret, fields: Fields = {}): Test {
  const sent = request(site.server).post('/oauth/device_authorization').type('form');
  if (client.clientSecret === undefined) return sent.send({ client_id: client.clientId, ...fields });
  return sent.set('Authorization', basic(client.clientId, client.clientSecret)).send(fields);
}

export async function startDevice(
  site: Site,
  client: ClientWithSecret,
  fields?: Fields,
): Promise<DeviceAuthorization> {
  const response = await deviceRequest(site, client, fields);
  if (response.status !== 200) throw new Error(`no codes but ${response.status}: ${response.text}`);
  return response.body;
}

export function poll(
  site: Site,
  client: ClientWithSecret,
  { device_code: deviceCode }: Pick<DeviceAuthorization, 'device_code'>,
): Test {
  return tokenRequest(site, client, { grant_type: DEVICE_CODE, device_code: deviceCode });
}

export function storedDevice(site: Site, authorization: DeviceAuthorization) {
  return site.database.collection('oauth_grants').findOne(whoseGrantIs(authorization.device_code));
}

/** Ada allows it, without the pages. */
export async function allowStored(site: Site, authorization: DeviceAuthorization): Promise<void> {
  await site.database.collection('oauth_grants').updateOne(whoseGrantIs(authorization.device_code), {
    $set: { 'device.decision': 'allow', userId: 'ada' },
  });
}

/** Lets time pass for a device: waits of up to `seconds` are over. */
export async function letTimePass(
  site: Site,
  authorization: DeviceAuthorization,
  seconds: number,
): Promise<void> {
  const grant = await storedDevice(site, authorization);
  const earlier = (date: Date) => new Date(date.getTime() - seconds * 1000);
  const { device, expiresAt } = grant as unknown as {
    device: { nextPollAt: Date; expiresAt: Date };
    expiresAt: Date;
  };
  await site.database.collection('oauth_grants').updateOne(whoseGrantIs(authorization.device_code), {
    $set: {
      'device.nextPollAt': earlier(device.nextPollAt),
      'device.expiresAt': earlier(device.expiresAt),
      expiresAt: earlier(expiresAt),
    },
  });
}

export async function personOf(site: Site, name = 'ada'): Promise<Person> {
  const person = createPerson(site);
  await person.logIn(name);
  return person;
}

/** Opens the page and sends a code with its form. */
export async function typeCode({ agent }: Person, userCode: string): Promise<Response> {
  const page = await agent.get(PAGE);
  return agent
    .post(PAGE)
    .type('form')
    .redirects(1)
    .send({ ...hiddenFields(page), user_code: userCode });
}

/** Sends the form of the consent page. */
export function decideDevice(
  { agent }: Person,
  page: Response,
  { decision = 'allow', scopes, details }: Choice = {},
): Test {
  return agent
    .post(PAGE)
    .type('form')
    .redirects(1)
    .send({
      ...hiddenFields(page),
      granted_scope: scopes ?? tickedScopes(page),
      detail: details ?? tickedScopes(page, 'detail'),
      decision,
    });
}

/** The user's part, from the code to the decision. */
export async function decideOn(
  person: Person,
  { user_code: userCode }: DeviceAuthorization,
  choice?: Choice,
): Promise<Response> {
  return decideDevice(person, await typeCode(person, userCode), choice);
}

/** The whole flow: the token response's body. */
export async function connectDevice(
  site: Site,
  client: ClientWithSecret,
  { as, choice, fields }: { as?: string; choice?: Choice; fields?: Fields } = {},
): Promise<{ access_token: string; refresh_token: string; scope: string }> {
  const authorization = await startDevice(site, client, fields);
  await decideOn(await personOf(site, as), authorization, choice);
  const response = await poll(site, client, authorization);
  if (response.status !== 200) throw new Error(`no tokens but ${response.status}: ${response.text}`);
  return response.body;
}
