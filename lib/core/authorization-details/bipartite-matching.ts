/**
 * Gives as many items of one side as possible a place of their own on the other side, by augmenting paths. To take the
 * first place that fits could leave an item without one although another assignment serves all of them.
 *
 * @param places the places that fit each item, the preferred one first
 * @returns the place of each item, undefined if it has none
 */
export function matchToPlaces(places: readonly (readonly number[])[]): readonly (number | undefined)[] {
  const itemAt = new Map<number, number>();
  for (const item of places.keys()) augment(places, { item, itemAt, visited: new Set() });
  const placeOf = new Map([...itemAt].map(([place, item]) => [item, place]));
  return places.map((_fitting, item) => placeOf.get(item));
}

interface Search {
  readonly item: number;
  readonly itemAt: Map<number, number>;
  /** Each place is visited once in a search, so the work is bounded by the number of pairs that fit. */
  readonly visited: Set<number>;
}

/** Whether the item gets a place: a free one or, if there is none, one whose item gets another place. */
function augment(places: readonly (readonly number[])[], { item, itemAt, visited }: Search): boolean {
  const fitting = places[item] ?? [];
  const free = fitting.find((place) => !itemAt.has(place));
  if (free !== undefined) {
    itemAt.set(free, item);
    return true;
  }
  for (const place of fitting) {
    if (visited.has(place)) continue;
    visited.add(place);
    const occupant = itemAt.get(place)!;
    if (augment(places, { item: occupant, itemAt, visited })) {
      itemAt.set(place, item);
      return true;
    }
  }
  return false;
}
