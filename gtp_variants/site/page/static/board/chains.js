// Chains of stones, for the marks that the page computes by itself.

/**
 * Return the stones in atari.
 * @param {Record<string, string>} stones
 * @param {Record<string, string[]>} near the neighbours of each point
 * @param {Iterable<string>} immune stones that cannot be captured
 */
export function inAtari(stones, near, immune = []) {
  const found = [], safe = new Set(immune);
  for (const [chain, free] of chains(stones, near)) if (free.size === 1) found.push(...chain);
  return found.filter((vertex) => !safe.has(vertex));
}

/**
 * Yield each chain with its liberties.
 * @param {Record<string, string>} stones
 * @param {Record<string, string[]>} near
 * @returns {Generator<[string[], Set<string>]>}
 */
export function* chains(stones, near) {
  const seen = new Set();
  for (const start of Object.keys(stones)) {
    if (seen.has(start)) continue;
    const chain = [start], free = new Set();
    seen.add(start);
    for (const vertex of chain) {
      for (const next of near[vertex] ?? []) {
        if (!stones[next]) free.add(next);
        else if (stones[next] === stones[start] && !seen.has(next)) {
          seen.add(next);
          chain.push(next);
        }
      }
    }
    yield [chain, free];
  }
}
