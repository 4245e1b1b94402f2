// Loaded by `--import` before other modules of a thread: writes the URL of each that is loaded after it to a file of the thread.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const { RECORDED_MODULES: folder } = process.env
if (folder !== undefined) {
  const file = join(folder, String(threadId))
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`)
      return next(url, context)
    },
  })
}
