/** A form, as a browser would send it if nobody touched it. */
export interface FormInTest {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * The form with this id; undefined if the page has none.
 *
 * @param ticked names whose boxes are all ticked, whether they were or not
 */
export function formOf(html: string, id: string, ticked: readonly string[] = []): FormInTest | undefined {
  const form = (html.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find((found) => attribute(found, 'id') === id);
  if (form === undefined) return undefined;
  const inputs = (form.match(/<input\b[^>]*>/g) ?? []).filter(
    (input) =>
      attribute(input, 'type') === 'hidden' ||
      /\schecked\b/.test(input) ||
      ticked.includes(attribute(input, 'name')),
  );
  return {
    action: attribute(form, 'action'),
    fields: inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value.replaceAll(/&(#34|#39|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
