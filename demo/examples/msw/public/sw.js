// A page has one Service Worker: the relay first, then MSW's. `npm run build` puts both scripts beside this one.
importScripts('/inpage-sw.js', '/mockServiceWorker.js');
