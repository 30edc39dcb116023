import request, { type Response } from 'supertest';

import { formatQuery, hiddenFields, type Query, tickedScopes } from './person.js';
import type { Site } from './site.js';

/** The headers of a browser that opens a page in a window (Fetch Metadata). */
export const NAVIGATION = {
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
};

/** The visitor's address after all redirects, and the page there. */
export interface Visit {
  /** The path if it is on this site; otherwise the whole URL, which was not opened. */
  readonly at: string;
  readonly response: Response;
}

interface Login {
  readonly name?: string;
  readonly password?: string;
}

export type Visitor = ReturnType<typeof createVisitor>;

/** A browser without a window: it stores cookies and follows redirects within the site. */
export function createVisitor({ server, url }: Pick<Site, 'server' | 'url'>) {
  const agent = request.agent(server);
  const follow = async (at: string, response: Response, left = 10): Promise<Visit> => {
    const { location } = response.headers as { location?: string };
    if (location === undefined) return { at, response };
    if (left === 0) throw new Error(`redirected again and again, to ${location}`);
    const { origin, href, pathname, search } = new URL(location, `${url}${at}`);
    if (origin !== url) return { at: href, response };
    return follow(`${pathname}${search}`, await agent.get(`${pathname}${search}`).set(NAVIGATION), left - 1);
  };
  const visitor = {
    agent,
    open: async (at: string): Promise<Visit> => follow(at, await agent.get(at).set(NAVIGATION)),
    /** Sends a form of a page. */
    send: async (at: string, fields: object): Promise<Visit> =>
      follow(at, await agent.post(at).set(NAVIGATION).type('form').send(fields)),
    logIn: (at = '/login', { name = 'ada', password = `password of ${name}` }: Login = {}): Promise<Visit> =>
      visitor.send(at, { username: name, password }),
    authorize: (query: Query) => visitor.open(`/oauth/authorize?${formatQuery(query)}`),
    /** Allows or denies the request of a consent page. */
    decide: ({ response }: Visit, decision: 'allow' | 'deny' = 'allow') =>
      visitor.send('/oauth/authorize', {
        ...hiddenFields(response),
        granted_scope: tickedScopes(response),
        decision,
      }),
  };
  return visitor;
}
