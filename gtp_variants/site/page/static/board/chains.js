// Chains of stones, for the marks that the page computes by itself.

/**
 * Return the stones in atari.
 * @param {Record<string, string>} stones
 * @param {[string, string][]} edges the pairs of neighbours
 * @param {string[]} immune stones that cannot be captured
 */
export function inAtari(stones, edges, immune = []) {
  /** @type {Record<string, string[]>} */
  const near = {};
  for (const [a, b] of edges) {
    (near[a] ??= []).push(b);
    (near[b] ??= []).push(a);
  }
  const found = [], seen = new Set();
  for (const [start, colour] of Object.entries(stones)) {
    if (seen.has(start)) continue;
    const chain = new Set([start]), free = new Set();
    // The loop reaches the stones that it adds.
    for (const vertex of chain) {
      seen.add(vertex);
      for (const next of near[vertex] ?? []) {
        if (!stones[next]) free.add(next);
        else if (stones[next] === colour) chain.add(next);
      }
    }
    if (free.size === 1) found.push(...chain);
  }
  return found.filter((vertex) => !immune.includes(vertex));
}
