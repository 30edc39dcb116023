import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, posix, resolve } from 'node:path';

import ejs, { type TemplateFunction } from 'ejs';

import { PACKAGED_VIEWS } from './packaged-views.js';

/** A compiled view of the site, by its path, or of this package, by its name. */
interface View {
  readonly file: string;
  readonly isOwn: boolean;
  readonly template: TemplateFunction;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * Renders this package's views, or the site's of the same name. `res.render` would look only into the site's views
 * folder in a router, and load `ejs` from Express's location. EJS cannot find the files, which may be in a bundle.
 *
 * @returns a function that renders a view by its name without the ending; it throws if there is no view, or on an EJS
 * error
 */
export function createRenderView(views: string | undefined): (name: string, data: Data) => string {
  const folder = views === undefined ? undefined : resolve(views);
  const templateOf = createTemplates();

  const ofHost = (file: string): View | undefined =>
    existsSync(file) ? { file, isOwn: false, template: templateOf(file) } : undefined;
  /** Resolves an include as EJS does: an absolute path, beside the including file, in the views folders. */
  const find = (path: string, from: View | undefined): View | undefined => {
    const name = extname(path) === '' ? `${path}.ejs` : path;
    if (/^(\/|[A-Za-z]+:\\)/.test(name)) return ofHost(resolve('/', name));
    const besideHost = from?.isOwn === false ? ofHost(join(dirname(from.file), name)) : undefined;
    if (besideHost !== undefined) return besideHost;
    const besideOwn = from?.isOwn === true ? [posix.join(posix.dirname(from.file), name)] : [];
    // in the views folders the site's file comes first, so that it can replace one partial
    for (const inFolder of [...besideOwn, posix.normalize(name)]) {
      const ofSite = folder === undefined ? undefined : ofHost(join(folder, inFolder));
      if (ofSite !== undefined) return ofSite;
      const text = PACKAGED_VIEWS.get(inFolder);
      if (text !== undefined) return { file: inFolder, isOwn: true, template: templateOf(inFolder, text) };
    }
    return undefined;
  };

  const render = (path: string, data: Data, from?: View): string => {
    const view = find(path, from);
    if (view === undefined)
      throw new Error(
        `express-authorization-server: there is no view ${path}.ejs${from === undefined ? '' : ` for ${from.file} to include`}`,
      );
    return view.template({
      ...data,
      // an included view gets all locals of the including one
      include: (included: string, more?: Data) => render(included, { ...data, ...more }, view),
    });
  };
  return render;
}

/** Compiles each view once; the site's files each time unless in production. */
function createTemplates(): (file: string, text?: string) => TemplateFunction {
  const isCached = process.env.NODE_ENV === 'production';
  const compiled = new Map<string, TemplateFunction>();
  return (file, text) => {
    const cached = compiled.get(file);
    if (cached !== undefined) return cached;
    // EJS uses the name in its messages
    const template = ejs.compile(text ?? readFileSync(file, 'utf8'), { filename: file });
    if (isCached || text !== undefined) compiled.set(file, template);
    return template;
  };
}

/** The text of a file in the site's views folder; otherwise of the package's file of that name. */
export function readView(views: string | undefined, name: string): string {
  const siteFile = views === undefined ? undefined : join(views, name);
  return siteFile !== undefined && existsSync(siteFile)
    ? readFileSync(siteFile, 'utf8')
    : (PACKAGED_VIEWS.get(name) ?? '');
}
