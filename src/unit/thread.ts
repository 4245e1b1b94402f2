// Entry point of a unit's thread. Node caches compiled modules for the main thread by itself, if the environment names a
// place for them; a worker thread needs the call below, before it loads large modules.
import { enableCompileCache } from 'node:module'

const { NODE_COMPILE_CACHE: place } = process.env
if (place !== undefined && place !== '') enableCompileCache(place)

await import('./worker.ts')
