import { CliError, EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { note } from '../output.js';
import { promptFor } from '../prompt-for.js';
import type { Survey } from './survey.js';

interface Requested {
  readonly login?: string;
  readonly withLogin?: boolean;
  readonly mayAsk: boolean;
}

/** The login page that the site has; undefined if one is to be set up. A second login is never set up unasked. */
export async function findLogin(io: Io, survey: Survey, requested: Requested): Promise<string | undefined> {
  if (requested.login !== undefined) return requested.login;
  if (requested.withLogin === true) return refuseToReplace(survey);
  const found = findOwn(survey);
  if (found === undefined) return undefined;
  const what = `this site has ${found.kind} of its own (${found.file})`;
  // of an API nobody can name the login page
  const mayAsk = requested.mayAsk && io.stdin.isTTY === true && (found.kind !== 'people' || hasPage(survey));
  if (!mayAsk) throw new CliError(what, EXIT.usage, cureOf(survey));
  note(io, what);
  const [defaultPath = '/login'] = survey.loginPages;
  const answer = (await promptFor(io, `The path of its login page [${defaultPath}]: `)) || defaultPath;
  checkLoginPath(answer);
  return answer;
}

/** What says that users log in to the site already, and the file that has it. */
function findOwn({ strategy, session, people }: Survey) {
  const found = [
    { kind: 'a login', file: strategy },
    { kind: 'sessions', file: session },
    { kind: 'people', file: people },
  ] as const;
  return found.find(({ file }) => file !== undefined);
}

export function checkLoginPath(path: string): void {
  if (!/^\/(?![/\\])[^?#\s'\\]*$/.test(path))
    throw new CliError(`'${path}' is not a path on your site`, EXIT.usage, 'Write --login /login');
}

/** Whether users seem to log in by a page, not by an API alone. */
function hasPage({ loginPages }: Survey): boolean {
  return loginPages.length > 0;
}

function refuseToReplace(survey: Survey): undefined {
  const {
    localStrategy,
    loginPages: [defaultPath = '/login'],
  } = survey;
  // without a page the strategy is that of an API, and ours gets a Passport of its own
  if (localStrategy === undefined || !hasPage(survey)) return;
  throw new CliError(
    `${localStrategy} has a Passport strategy 'local', which ours would replace`,
    EXIT.usage,
    `Write --login ${defaultPath}: your own login page is all that is needed.`,
  );
}

function cureOf(survey: Survey): string {
  const { loginPages } = survey;
  if (!hasPage(survey))
    return 'No login page was found. Write --with-login for a page of ours on which these users log in; or --login and the path of your own.';
  const found = loginPages.slice(0, 3).join(' or ');
  const perhaps = found === '' ? '' : ` (perhaps ${found})`;
  return `Write --login and the path of its login page${perhaps}; or --with-login for a login page of ours.`;
}
