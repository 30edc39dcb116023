import { join } from 'node:path';

import { beforeAll, expect, it } from '@jest/globals';

import { createRenderView, readView } from '../../lib/pages/rendering/view-files.js';
import { openFolder } from '../support/folder.js';
import { fixture } from '../support/site-for.js';

let views: string;
const folder = fixture(() => openFolder({ 'boilerplate.ejs': '<%= word %> of the site' }));
beforeAll(() => void (views = join(folder.path, 'views')));
const write = (name: string, text: string) => folder.write(join('views', name), text);

const problem = { id: 'p', problems: ['It is wrong'] };

it('without a host’s folder views are those of the package, with relative includes', () => {
  const render = createRenderView(undefined);
  expect(render('partials/problem', problem)).toContain('It is wrong');
  expect(readView(undefined, 'style.css')).toContain('{');
});

it('a host’s file replaces the package’s, also in its views, and can include any path', async () => {
  const render = createRenderView(views);
  await write('partials/problem.ejs', 'ours is replaced: <%= problems[0] %>');
  await write(
    'page.ejs',
    "<%- include('partials/problem', { problems: ['first'] }) %>, <%- include('../boilerplate') %>",
  );
  expect(render('page', { word: 'A word' })).toBe('ours is replaced: first, A word of the site');
  await write('absolute.ejs', `<%- include('${join(folder.path, 'boilerplate')}') %>`);
  expect(render('absolute', { word: 'One' })).toBe('One of the site');
});

it('a changed view of the host is read again, and escapes its values', async () => {
  const render = createRenderView(views);
  await write('changing.ejs', 'one');
  expect(render('changing', {})).toBe('one');
  await write('changing.ejs', '<%= word %>');
  expect(render('changing', { word: '<b>' })).toBe('&lt;b&gt;');
});

it('the error for a missing view has its name and the file that includes it', async () => {
  const render = createRenderView(views);
  expect(() => render('absent', {})).toThrow('there is no view absent.ejs');
  await write('broken.ejs', "<%- include('partials/absent') %>");
  expect(() => render('broken', {})).toThrow(
    `there is no view partials/absent.ejs for ${join(views, 'broken.ejs')} to include`,
  );
});
