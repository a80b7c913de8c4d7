// Keeps the files of the page for offline use, but nothing of any game.

const CACHE = "gtp-variants-VERSION";
const OWN = (url) => url.origin === location.origin && (url.pathname === "/" || url.pathname.startsWith("/static/"));

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  })());
});

// Ask the server first, so that nobody sees an old page; fall back on the last answer when offline.
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !OWN(url)) return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    try {
      const answer = await fetch(event.request);
      if (answer.ok) await cache.put(url.pathname, answer.clone());
      return answer;
    } catch (problem) {
      const kept = await cache.match(url.pathname);
      if (kept) return kept;
      throw problem;
    }
  })());
});
