// Where the thread of a unit begins. Node keeps compiled modules for the main thread by itself, if the environment names a
// place for them; a thread has to be told, before it loads what takes long.
import { enableCompileCache } from 'node:module'

const { NODE_COMPILE_CACHE: place } = process.env
if (place !== undefined && place !== '') enableCompileCache(place)

await import('./worker.ts')
