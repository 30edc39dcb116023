import { type BrowserPage, createHttpBrowser } from '../../interop/support/http-browser.js';
import type { BrowserCommand, BrowserEntry, BrowserTask } from '../profile.js';

/** The browser's address at the end of its tasks, and its pictures. */
export interface Visit extends BrowserPage {
  readonly pictures: readonly string[];
  /** The tasks that were done, by their names. */
  readonly done: readonly string[];
}

export interface SuiteBrowserOptions {
  readonly entries: readonly BrowserEntry[];
  /** `https://localhost:8443`: the pages there are the suite's. */
  readonly suite: string;
  readonly fetch: (url: URL, init: object) => Promise<Response>;
}

/**
 * Carries the browser commands of a configuration out as the suite does, on pages without scripts: the first matching
 * entry, its tasks in their order, each on one page.
 */
export class SuiteBrowser {
  readonly #browser;
  readonly #entries;
  readonly #suite;
  /** The uses of each entry. */
  readonly #taken = new Map<BrowserEntry, number>();
  #page: BrowserPage | undefined;
  /** The typed values, by the names of the fields. */
  #fields: Record<string, string> = {};
  #pictures: string[] = [];

  constructor({ entries, suite, fetch }: SuiteBrowserOptions) {
    this.#browser = createHttpBrowser({ stopAt: `${suite}/`, fetch });
    this.#entries = entries;
    this.#suite = suite;
  }

  async visit(address: string | URL): Promise<Visit> {
    const entry = this.#entries.find((each) => this.#isFor(each, String(address)));
    if (entry === undefined) throw new Error(`no entry is for ${String(address)}`);
    this.#taken.set(entry, (this.#taken.get(entry) ?? 0) + 1);
    this.#pictures = [];
    await this.#show(this.#browser.open(address));
    const done: string[] = [];
    for (const task of entry.tasks) if (await this.#run(task)) done.push(task.task);
    return { ...this.#page!, pictures: this.#pictures, done };
  }

  #isFor(entry: BrowserEntry, address: string): boolean {
    const { match, 'match-limit': limit = Infinity } = entry;
    return matches(match, address) && (this.#taken.get(entry) ?? 0) < limit;
  }

  /** @returns whether the browser was on the page of the task */
  async #run({ task, match, optional = false, commands = [] }: BrowserTask): Promise<boolean> {
    const { href } = this.#page!.url;
    if (!matches(match, href)) {
      if (optional) return false;
      throw new Error(`${task}: at ${href} in the place of ${match}`);
    }
    for (const command of commands) await this.#command(command);
    return true;
  }

  async #command(command: BrowserCommand): Promise<void> {
    const [what, by, target, ...more] = command.map(String);
    if (what === 'wait') return this.#expect(String(by), String(target), more);
    if (by !== 'id') throw new Error(`elements are found by their ids here, not by ${String(by)}`);
    const tag = tagOf(this.#page!.text, String(target));
    if (tag === undefined) {
      if (more.at(-1) === 'optional') return;
      throw new Error(`no ${String(target)} at ${this.#page!.url.href}: ${textOf(this.#page!.text)}`);
    }
    if (what === 'text') this.#fields[attributeOf(tag, 'name') ?? ''] = more[0]!;
    else await this.#show(this.#press(String(target), tag));
  }

  #press(button: string, tag: string): Promise<BrowserPage> {
    const form = attributeOf(tag, 'form') ?? formAround(this.#page!.text, tag);
    return this.#browser.submit(this.#page!, form, { fields: this.#fields, button });
  }

  async #show(coming: Promise<BrowserPage>): Promise<void> {
    this.#page = await coming;
    this.#fields = {};
  }

  /** The suite's waits end at once, as no script changes anything. */
  #expect(by: string, target: string, [, pattern, picture]: readonly string[]): void {
    const { url, text } = this.#page!;
    const isOfSuite = url.href.startsWith(`${this.#suite}/`);
    const isThere =
      by === 'id'
        ? (isOfSuite && target === 'submission_complete') || tagOf(text, target) !== undefined
        : by === 'xpath' && target === '//*' && new RegExp(pattern!).test(textOf(text));
    if (!isThere) throw new Error(`not at ${url.href}: ${by} ${target} ${pattern ?? ''}: ${textOf(text)}`);
    if (picture !== undefined) this.#pictures.push(textOf(text));
  }
}

/** As the suite's patterns do, `*` stands for any characters. */
function matches(pattern: string, address: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.?+^$()[\]{}|\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(address);
}

const tagOf = (html: string, id: string): string | undefined =>
  [...html.matchAll(/<\w+\b[^>]*>/g)].map(([tag]) => tag).find((tag) => attributeOf(tag, 'id') === id);

const attributeOf = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];

function formAround(html: string, tag: string): string {
  const found = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].find(([form]) => form.includes(tag));
  return attributeOf(String(found), 'id') ?? '';
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<(style|script)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
