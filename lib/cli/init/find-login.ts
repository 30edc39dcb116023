import { CliError } from '../exit.js';
import type { Io } from '../io.js';
import { note } from '../output.js';
import { promptFor } from '../prompt.js';
import type { Survey } from './survey.js';

/**
 * The login page of the site; undefined if `init` is to set one up. It never sets up a second login unasked.
 *
 * @throws CliError if the site has a login, but its path is unknown
 */
export async function findLogin(
  io: Io,
  { localStrategy, session, people, strategy, loginPages }: Survey,
  { login, withLogin, mayAsk }: { login?: string; withLogin?: true; mayAsk: boolean },
): Promise<string | undefined> {
  if (login !== undefined) return login;
  const [defaultPath = '/login'] = loginPages;
  const hasPage = loginPages.length > 0;
  // without a page the strategy is that of an API, so the new login gets its own Passport
  if (withLogin && localStrategy !== undefined && hasPage)
    throw new CliError(
      `${localStrategy} has a Passport strategy 'local', which ours would replace`,
      `Write --login ${defaultPath}: your own login page is all that is needed.`,
    );
  const file = localStrategy ?? session ?? people ?? strategy;
  if (withLogin || file === undefined) return undefined;
  let kind = 'a login';
  if (localStrategy === undefined && session !== undefined) kind = 'sessions';
  else if (localStrategy === undefined && people !== undefined) kind = 'people';

  const what = `this site has ${kind} of its own (${file})`;
  // the users of an API may have no login page
  if (!mayAsk || io.stdin.isTTY !== true || (kind === 'people' && !hasPage))
    throw new CliError(
      what,
      hasPage
        ? `Write --login and the path of its login page (perhaps ${loginPages.slice(0, 3).join(' or ')}); or --with-login for a login page of ours.`
        : 'No login page was found. Write --with-login for a page of ours on which these users log in; or --login and the path of your own.',
    );
  note(io, what);
  const answer = (await promptFor(io, `The path of its login page [${defaultPath}]: `)) || defaultPath;
  checkLoginPath(answer);
  return answer;
}

/** @throws CliError if the text is no path */
export function checkLoginPath(path: string): void {
  if (!/^\/(?![/\\])[^?#\s'\\]*$/.test(path))
    throw new CliError(`'${path}' is not a path on your site`, 'Write --login /login');
}
