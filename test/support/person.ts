import request, { type Response, type Test } from 'supertest';

import { peekCarriedText } from '../../lib/core/http/carried-text.js';
import { REDIRECT_URI, type Site } from './site.js';

const ANY_SITE = 'http://same.invalid';

export type Query = Readonly<Record<string, string | undefined>>;

/** The user's actions on the consent page. */
export interface Choice {
  readonly decision?: 'allow' | 'deny';
  /** The scopes left ticked. Default: all. */
  readonly scopes?: readonly string[];
  /** The positions of the authorization details left ticked. Default: as on the page. */
  readonly details?: readonly string[];
}

/** A user with a browser: cookies, forms, and the redirect to the client. */
export interface Person {
  readonly agent: ReturnType<typeof request.agent>;
  logIn(name?: string): Promise<Response>;
  /** The first answer of the authorization endpoint, before anything is clicked. */
  openAuthorize(query: Query | string): Promise<Response>;
  /** Sends the form of a consent page, and follows its redirects on this site. */
  choose(page: Response, choice?: Choice): Promise<Response>;
  /** Sends a form of a page of the authorization endpoint, and follows its redirect to a GET, if there is one. */
  sendForm(fields: Readonly<Record<string, unknown>>): Promise<Response>;
  /** All the way through: the URL of the callback to the client. */
  authorize(query: Query, choice?: Choice): Promise<URL>;
}

export function createPerson(site: { readonly server: Site['server'] | string }): Person {
  const agent = request.agent(site.server);
  const person: Person = {
    agent,
    logIn: (name = 'ada') =>
      agent
        .post('/login')
        .type('form')
        .send({ username: name, password: `password of ${name}` }),
    openAuthorize: (query) =>
      agent.get(`/oauth/authorize?${typeof query === 'string' ? query : formatQuery(query)}`),
    choose: (page, { decision = 'allow', scopes, details } = {}) =>
      person.sendForm({
        ...hiddenFields(page),
        granted_scope: scopes ?? tickedScopes(page),
        detail: details ?? tickedScopes(page, 'detail'),
        decision,
      }),
    async sendForm(fields) {
      const response = await agent.post('/oauth/authorize').type('form').send(fields);
      // a proxy removes the public path of a tenant before a request comes here
      return isHome(response)
        ? agent.get(String(response.headers.location).replace(/^.*(?=\/oauth\/authorize\?)/, ''))
        : response;
    },
    async authorize(query, choice) {
      const page = await person.openAuthorize(query);
      return locationOf(page.status === 200 ? await person.choose(page, choice) : page);
    },
  };
  return person;
}

/** A logged-in user; by default ada. */
export async function logInPerson(site: Parameters<typeof createPerson>[0], name?: string): Promise<Person> {
  const person = createPerson(site);
  await person.logIn(name);
  return person;
}

/** Sends a form as a browser does. */
export function postForm(agent: { post(path: string): Test }, path: string, fields: object | string): Test {
  return agent.post(path).type('form').send(fields);
}

/** The query of a valid authorization request for a code, by a client or its id. */
export function codeQuery<More extends object = object>(
  client: string | { readonly clientId: string },
  more = {} as More,
) {
  return {
    response_type: 'code',
    client_id: typeof client === 'string' ? client : client.clientId,
    redirect_uri: REDIRECT_URI,
    ...more,
  };
}

/** The page after a form: its answer, or the GET of its redirect, as after a refused form. */
export async function pageAfter(agent: Person['agent'], sent: Response): Promise<Response> {
  return sent.status === 303 ? agent.get(String(sent.headers.location)) : sent;
}

export function formatQuery(query: Query): string {
  return new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
}

/** Whether a form led to a GET of the authorization endpoint; a form must never redirect to a client directly. */
export function isHome({ status, headers }: Response): boolean {
  const location = (headers as Record<string, string | undefined>).location ?? '';
  if (/[?#&](code|error|access_token)=/.test(location) && !location.startsWith('/'))
    throw new Error(`a form is answered by sending people on: ${status} ${location}`);
  return status === 303 && /^\/([^?]+\/)?oauth\/authorize\?/.test(location);
}

export function locationOf(response: Response): URL {
  if (response.headers.location === undefined)
    throw new Error(`no redirect but ${response.status}: ${response.text}`);
  return new URL(response.headers.location, ANY_SITE);
}

/** Presses the button of the page that requires a new login; returns the address to which the login page leads back. */
export async function leaveLogin(person: Person, page: Response): Promise<string> {
  const { pathname, searchParams } = locationOf(
    await person.sendForm({ ...hiddenFields(page), account: 'switch' }),
  );
  if (pathname !== '/login') throw new Error(`not the login page but ${pathname}`);
  return String(searchParams.get('return_to'));
}

/** Logs in from the page that requires a new login, and returns to the authorization request. */
export async function logInAgain(person: Person, page: Response, name = 'ada'): Promise<Response> {
  const back = await leaveLogin(person, page);
  await person.logIn(name);
  return person.agent.get(back);
}

export const codeOf = (response: Response) => locationOf(response).searchParams.get('code');
export const errorOf = (response: Response) => locationOf(response).searchParams.get('error');

export function fragmentOf(url: URL): URLSearchParams {
  return new URLSearchParams(url.hash.slice(1));
}

export function hiddenFields(page: Pick<Response, 'text'>): Record<string, string> {
  const inputs = page.text.match(/<input[^>]*type="hidden"[^>]*>/g) ?? [];
  return Object.fromEntries(inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]));
}

/** The request in the form of a page, as the query of an address. */
export function pendingRequestOf(page: Pick<Response, 'text'>): string {
  return peekCarriedText(hiddenFields(page).authorization_request ?? '') ?? '';
}

/** The return path in the form of our login page. */
export function returnPathOf(page: Pick<Response, 'text'>): string {
  return peekCarriedText(hiddenFields(page).return_to ?? '') ?? '';
}

/** The values of the ticked boxes with a name. */
export function tickedScopes(page: Pick<Response, 'text'>, name = 'granted_scope'): string[] {
  const inputs = page.text.match(/<input[^>]*type="checkbox"[^>]*>/g) ?? [];
  return inputs
    .filter((input) => attribute(input, 'name') === name && / checked\b/.test(input))
    .map((input) => attribute(input, 'value'));
}

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return unescapeHtml(value);
}

export const unescapeHtml = (html: string): string =>
  html
    .replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
