// Entry point of a unit's thread. Node enables its compile cache for the main thread automatically, if NODE_COMPILE_CACHE
// names a folder; a worker thread must enable it before it loads large modules.
import { enableCompileCache } from 'node:module'

const { NODE_COMPILE_CACHE: directory } = process.env
if (directory !== undefined && directory !== '') enableCompileCache(directory)

await import('./worker.ts')
