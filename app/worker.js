// The service worker of the browser edition: after the first visit the page works offline. It serves
// the files of one build; a newer build is stored whole before it takes over.
const build = 'tilestep-@build@';
const whole = ['./', 'tilestep.js', 'tilestep.wasm', 'tilestep.data'];

addEventListener('install', (event) => event.waitUntil(
  caches.open(build)
    .then((cache) => cache.addAll(whole.map((file) => new Request(file, {cache: 'no-cache'}))))
    .then(() => skipWaiting())));

addEventListener('activate', (event) => event.waitUntil(
  caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== build).map((name) => caches.delete(name))))
    .then(() => clients.claim())));

// PTX, data sets and the Chinese font are stored when they are first read.
async function answer(request) {
  const cache = await caches.open(build);
  const stored = await cache.match(request, {ignoreSearch: true});
  if (stored) return stored;
  const fetched = await fetch(request);
  if (fetched.ok) await cache.put(request, fetched.clone());
  return fetched;
}

addEventListener('fetch', (event) => {
  const isOurs = event.request.method === 'GET' && event.request.url.startsWith(registration.scope);
  if (isOurs) event.respondWith(answer(event.request));
});
