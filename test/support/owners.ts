import { createPerson, type Person } from './person.js';
import type { Site, SiteOptions } from './site.js';

/** Options of a site that knows these people, by their ids and by their addresses. */
export function knowing(names: readonly string[]): Pick<SiteOptions, 'people'> {
  const userOf = (id: string) => ({ id, name: id.toUpperCase(), email: `${id}@example.com` });
  return {
    people: {
      find: (id) => (names.includes(id) ? userOf(id) : null),
      detail: (user) => (user as { email?: string }).email,
      findByName: (text) => {
        const name = names.find((each) => [each, `${each}@example.com`].includes(text.toLowerCase()));
        return Promise.resolve(name && userOf(name));
      },
    },
  };
}

/** The browsers of these people, each logged in. */
export async function logInAll<Name extends string>(
  site: Site,
  names: readonly Name[],
): Promise<Record<Name, Person['agent']>> {
  const agents = {} as Record<Name, Person['agent']>;
  for (const name of names) {
    const person = createPerson(site);
    await person.logIn(name);
    agents[name] = person.agent;
  }
  return agents;
}
