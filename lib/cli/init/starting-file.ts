import ejs from 'ejs';

import { PACKAGED_VIEWS } from '../../pages/rendering/packaged-views.js';
import { importPath, type Project } from './project.js';

/** The URI of MongoDB in development. */
export const DATABASE = 'mongodb://127.0.0.1:27017/app';

/** A file of `init`: the server, or the app of a project without one. */
export const renderFile = (name: 'server' | 'app', data: object) =>
  ejs.render(PACKAGED_VIEWS.get(`init/${name}.ejs`)!, data);

/** The text of the file that sets up the authorization server. */
export function startingFile(project: Project): string {
  const { login, connectsItself, uriVariable, isImport, survey } = project;
  const ownsSession = login === undefined && !project.hasSession;
  const { name, file, isDefaultExport } = survey.connection ?? {};
  const environment = ['ISSUER', connectsItself && uriVariable, ownsSession && 'SESSION_SECRET'];
  // renamed, because this file may use the same name, such as users
  const renamed = name === 'connection' ? '' : `${name}${isImport ? ' as' : ':'} `;
  return renderFile('server', {
    ...project,
    ownsSession,
    environment: environment.filter(Boolean),
    database: DATABASE,
    place: place(project),
    connectionImport: file !== undefined && {
      name: isDefaultExport ? 'connection' : `{ ${renamed}connection }`,
      path: importPath(project, file, project.file),
    },
  });
}

/** The place of the call `mountOAuth(app)`. */
export function place({ hasSession }: Project): string {
  const start = hasSession ? 'after your session' : 'right after app = express()';
  return `${start}, before cors(), CSRF checks and your routes`;
}
